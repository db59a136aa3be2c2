# SPDX-License-Identifier: Apache-2.0
"""`tandem serve`: what a page asks for while one looks at it, and what nobody may ask for."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Page, browser
from test_pages import PROGRAM
from test_schemas import holds
from trial import TANDEM, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")
READY_SECONDS = 120


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """A server of the program in a folder; gives its address."""
    words = [TANDEM, "serve", "app.c", "--offload", "mix", *options]
    process = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("page: ").strip()
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130, errors
        assert "Traceback" not in errors


def asked(url: str, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """The status of an answer and its JSON or text."""
    host, port = url.split("/")[2].rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    sent = json.dumps(body) if body is not None and not isinstance(body, str) else body
    given = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, path, sent, {**given, **headers})
    answer = connection.getresponse()
    text = answer.read().decode()
    is_json = answer.headers.get("Content-Type") == "application/json"
    return answer.status, json.loads(text) if is_json else text


def ready(url: str) -> dict[str, Any]:
    """The state once nothing is built any more."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        _, state = asked(url, "GET", "/state")
        if state["state"] != "building":
            return state
        time.sleep(0.1)
    raise AssertionError("it builds for ever")


@pytest.fixture(scope="module")
def folder(cache: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    source(folder, PROGRAM)
    return folder


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(folder, "--platform", "pcie3-x16") as url:
        assert ready(url)["state"] == "ready"
        yield url


def test_a_number_of_the_platform_is_moved(url: str) -> None:
    _, data = asked(url, "GET", "/data")
    holds("page", data)
    status, slow = asked(url, "POST", "/wish", {"changes": ["link.bandwidth_to_device=10MB/s"]})
    assert status == 200
    holds("page", slow)
    before, after = (d["results"][0]["breakdown_s"] for d in (data, slow))
    assert after["transfer_in"] > 5 * before["transfer_in"]
    assert after["compute"] == before["compute"]
    status, again = asked(url, "POST", "/wish", {"changes": []})
    assert again["results"][0]["breakdown_s"] == before


def test_what_it_shows_is_what_run_shows(url: str, folder: Path) -> None:
    change = "link.transfer_time=100us"
    _, data = asked(url, "POST", "/wish", {"changes": [change]})
    words = ("--platform", "pcie3-x16", "--set", change, "--json")
    done = tandem("run", "app.c", "--offload", "mix", *words, cwd=folder)
    run, shown = json.loads(done.stdout), data["results"][0]
    for key in ("breakdown_s", "busy_s", "fixed_s", "total_s", "cycles", "bytes_in"):
        assert shown[key] == run[key], key
    assert shown["kernels"][0]["loops"] == run["kernels"][0]["loops"]


def test_another_clock_and_directive_build_again(url: str) -> None:
    version = ready(url)["version"]
    wish = {
        "clock_ns": 20,
        "directives": ["app.c:5: unroll(2)"],
        "changes": ["link.transfer_time=1us"],
    }
    status, state = asked(url, "POST", "/wish", wish)
    assert status == 202 and state["version"] == version
    done = ready(url)
    assert (done["state"], done["version"]) == ("ready", version + 1)
    _, data = asked(url, "GET", "/data")
    assert data["schedules"][0]["clock_ps"] == 20_000
    assert data["platform"]["changes"] == ["link.transfer_time=1us"]
    status, _ = asked(url, "POST", "/wish", {"clock_ns": 20, "directives": ["app.c:99: unroll(2)"]})
    assert status == 202
    failed = ready(url)
    assert failed["state"] == "failed" and "99" in failed["errors"][0]["message"]
    asked(url, "POST", "/wish", {})
    assert ready(url)["state"] == "ready"


def test_a_wish_overtakes_a_build(url: str) -> None:
    version = ready(url)["version"]
    for clock in (11, 12, 13):
        assert asked(url, "POST", "/wish", {"clock_ns": clock})[0] == 202
    assert ready(url)["state"] == "ready"
    _, data = asked(url, "GET", "/data")
    assert data["schedules"][0]["clock_ps"] == 13_000
    assert ready(url)["version"] < version + 3
    asked(url, "POST", "/wish", {})
    ready(url)


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ([1], "not a wish"),
        ({"run": "rm"}, "not a wish"),
        ({"changes": "link.bandwidth=1MB/s"}, "no list"),
        ({"changes": ["x"] * 65}, "no list"),
        ({"changes": ["link.bandwidth"]}, "not understood"),
        ({"changes": ["--output=/tmp/x"]}, "link"),
        ({"changes": ["link.wings=2"]}, "wings"),
        ({"changes": ["link.bandwidth_to_device=soon"]}, "soon"),
        ({"clock_ns": "fast"}, "no number"),
        ({"directives": ['mix: macro("/etc/passwd", latency 1)']}, "not understood"),
        ({"directives": ["app.c:5: unroll(2)\n#include </etc/passwd>"]}, "not understood"),
    ],
)
def test_wishes_that_nobody_grants(url: str, wish: Any, told: str) -> None:
    status, answer = asked(url, "POST", "/wish", wish)
    assert status == 400 and told in json.dumps(answer), answer
    assert ready(url)["state"] == "ready"


HOSTILE = [
    ("GET", "/../../etc/passwd", None, {}, 404),
    ("GET", "/%2e%2e/etc/passwd", None, {}, 404),
    ("GET", "//etc/passwd", None, {}, 404),
    ("GET", "/app.c", None, {}, 404),
    ("GET", "/data/", None, {}, 404),
    ("GET", "/wish", None, {}, 405),
    ("POST", "/", {}, {}, 405),
    ("PUT", "/wish", {}, {}, 405),
    ("DELETE", "/data", None, {}, 405),
    ("TRACE", "/", None, {}, 405),
    ("GET", "/data", None, {"Host": "evil.example"}, 403),
    ("POST", "/wish", {}, {"Origin": "http://evil.example"}, 403),
    ("POST", "/wish", {}, {"Content-Type": "text/plain"}, 415),
    ("POST", "/wish", {}, {"Content-Length": "999999999"}, 413),
    ("POST", "/wish", {}, {"Content-Length": "-1"}, 411),
    ("POST", "/wish", "{", {}, 400),
    ("POST", "/wish", "[" * 40_000, {}, 400),
]


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), HOSTILE)
def test_hostile_requests(
    url: str, method: str, path: str, body: Any, headers: dict[str, str], status: int
) -> None:
    found, answer = asked(url, method, path, body, **headers)
    assert found == status, answer
    assert "root:" not in str(answer)
    assert asked(url, "GET", "/state")[0] == 200


def test_many_who_say_nothing_keep_nobody_out(url: str) -> None:
    host, port = url.split("/")[2].rsplit(":", 1)
    silent = [socket.create_connection((host, int(port))) for _ in range(40)]
    assert asked(url, "GET", "/state")[0] == 200
    for one in silent:
        one.close()


def test_beyond_this_machine_a_token_is_asked_for(folder: Path) -> None:
    with serving(folder, "--address", "0.0.0.0") as url:
        path = "/" + url.split("/", 3)[3]
        assert "?token=" in path
        for other in ("/", "/data", "/state", "/?token=", "/?token=guess"):
            assert asked(url, "GET", other)[0] == 401
        assert asked(url, "POST", "/wish", {})[0] == 401
        status, page = asked(url, "GET", path)
        assert status == 200 and "connect-src 'self'" in page
        token = path.split("=")[1]
        assert asked(url, "GET", "/state", Cookie=f"tandem-token={token}")[0] == 200


def test_bad_addresses(folder: Path) -> None:
    words = ("serve", "app.c", "--offload", "mix")
    refused(tandem(*words, "--address", "here", cwd=folder), "`here` is no address")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused(tandem(*words, "--port", port, cwd=folder), f"cannot listen on 127.0.0.1:{port}")


def test_in_a_browser(url: str) -> None:
    with browser() as made:
        page = Page(made, url)
        tab = page.tab
        tab.wait_for_selector("#breakdown")
        first = tab.locator(".tile-value").first.inner_text()
        tab.get_by_label("link.transfer_time, from a tenth to ten times").focus()
        for _ in range(40):
            tab.keyboard.press("ArrowRight")
        tab.wait_for_selector("html[data-answered]")
        tab.wait_for_timeout(300)
        assert "as fast as at first" in tab.inner_text(".told >> nth=0")
        assert tab.locator(".tile-value").nth(1).inner_text() and first
        field = tab.get_by_label("link.bandwidth_to_device", exact=True)
        field.fill("much")
        field.press("Enter")
        tab.wait_for_selector(".live .warning")
        assert page.serious() == []
        own = [text for text in page.complaints if "400" not in text]
        assert own == []
