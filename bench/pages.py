# SPDX-License-Identifier: Apache-2.0
"""Pages: how large they are, how soon they can be used, how they move, how soon a number that is
moved is answered. In the distribution's Chromium, without a graphics card."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from figures import Figure, at_least, at_most
from tandem.children import TANDEM

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "tests"))
from browser import browser  # noqa: E402

PROGRAM = REPOSITORY / "examples" / "encrypt_file" / "main.c"
EVENTS = 10_000_000
ROUNDS = 5
FRAMES = 60
PAN = f"""() => new Promise((done) => {{
  const view = document.querySelector("#timeline canvas");
  const press = (key) => view.dispatchEvent(new KeyboardEvent("keydown", {{ key }}));
  for (let i = 0; i < ZOOMS; i++) press("+");
  let frames = 0;
  const began = performance.now();
  const next = () => {{
    if (frames++ === {FRAMES}) return done({FRAMES}000 / (performance.now() - began));
    press(frames % 2 ? "ArrowRight" : "ArrowLeft");
    requestAnimationFrame(next);
  }};
  requestAnimationFrame(next);
}})"""
"""Frames a second of a view that moves in each of them."""


def pages(work: Path) -> list[Figure]:
    """The page of triple DES, one with ten million events, and a live one."""
    plain = work / "plain.bin"
    plain.write_bytes(bytes(range(256)) * 1024)
    return [*_triple_des(work, plain), *_events(work), _live(work, plain)]


def _triple_des(work: Path, plain: Path) -> list[Figure]:
    page = work / "des3.html"
    words = ["--offload", "des3_encrypt", "--report", str(page), "--", plain, work / "cipher.bin"]
    subprocess.run([*TANDEM, "run", PROGRAM, *words], check=True, stdout=subprocess.DEVNULL)
    with browser() as made:
        seconds = [_ready_s(made, page) for _ in range(ROUNDS)]
    return [
        at_most("triple DES, size", page.stat().st_size / 1e6, "MB", 3),
        at_most("triple DES, until it can be used", median(seconds), "s", 1),
    ]


def _ready_s(made: Any, page: Path) -> float:
    tab = made.new_context().new_page()
    began = time.monotonic()
    tab.goto(page.as_uri())
    tab.wait_for_selector("html[data-ready]")
    taken = time.monotonic() - began
    tab.close()
    return taken


def _spans() -> Iterator[dict[str, Any]]:
    """Calls with a transfer each way, of which no two take as long."""
    end = 0
    for number in range(EVENTS // 5):
        for component, category, units in (
            ("software", "call", 7),
            ("link", "transfer_in", 11 + number % 5),
            ("device", "compute", 23 + number % 7),
            ("link", "transfer_out", 5 + number % 3),
            ("software", "wait", 2),
        ):
            start, end = end, end + 1000 * units
            span = {"component": component, "category": category, "start_ps": start, "end_ps": end}
            yield {**span, "call": number, "bytes": 64}


def _events(work: Path) -> list[Figure]:
    from tandem.report.gather import Gathered
    from tandem.report.html import page_of

    page = Gathered(work / "events.html")
    page.add_spans(_spans())
    assert page.timeline is not None and page.timeline["count"] == EVENTS
    with (work / "events.html").open("wb") as file:
        file.writelines(page_of(page.data()))
    with browser() as made:
        tab = made.new_context(viewport={"width": 1280, "height": 900}).new_page()
        tab.goto((work / "events.html").as_uri(), timeout=120_000)
        tab.evaluate("document.querySelector('#timeline').scrollIntoView()")
        tab.wait_for_selector("#timeline[data-ready]", timeout=120_000)
        rates = [tab.evaluate(PAN.replace("ZOOMS", str(zooms))) for zooms in (2, 15, 15)]
    size = (work / "events.html").stat().st_size / 1e6
    return [
        at_least("ten million events, frames a second", min(rates), "", 30),
        Figure("ten million events, size", size, "MB", "lower"),
    ]


def _live(work: Path, plain: Path) -> Figure:
    words = ["--offload", "des3_encrypt", "--platform", "pcie3-x16", "--", plain, work / "c.bin"]
    process = subprocess.Popen(
        [*TANDEM, "serve", PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("page: ").strip()
        while json.load(urllib.request.urlopen(f"{url}state"))["state"] == "building":
            time.sleep(0.2)
        seconds = [_wish_s(url, number) for number in range(1, 1 + 4 * ROUNDS)]
    finally:
        process.terminate()
        process.wait()
    return at_most("live, a number moved", median(seconds), "s", 0.3)


def _wish_s(url: str, number: int) -> float:
    body = json.dumps({"changes": [f"link.bandwidth_to_device={500 + number}MB/s"]}).encode()
    request = urllib.request.Request(
        f"{url}wish", body, {"Content-Type": "application/json"}, method="POST"
    )
    began = time.monotonic()
    data = json.load(urllib.request.urlopen(request))
    assert data["platform"]["changes"]
    return time.monotonic() - began
