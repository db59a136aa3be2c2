# SPDX-License-Identifier: Apache-2.0
"""Pages of results, in a real browser: all is drawn, every figure is the data's, each of C and
schedule shows the other one, with the keyboard alone too."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Page, browser, check_figures
from seeds import ALL
from tandem import write_report
from test_schemas import holds
from test_streams import TWO_WAYS
from trial import KERNEL, MAIN, good, refused, source, tandem

PROGRAM = """#include <stdint.h>
#include <stdlib.h>
void mix(const uint32_t *table, const uint32_t *in, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t a = table[in[i] & 255];
        uint32_t b = table[in[i] >> 24];
        out[i] = a * 5 + b;
    }
}
int main(void)
{
    static uint32_t table[256], in[4096], out[4096];
    for (int i = 0; i < 4096; i++)
        in[i] = table[i & 255] = i * 2654435761u;
    for (int i = 1; i < 9; i++)
        mix(table, in, out, 512 * i);
    return out[0] == 1;
}
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as made:
        yield made


BUDGET = """[kernel.mix]
source = "app.c"
[kernel.mix.most]
ii = 1
lut4 = 100000
"""
OFFLOAD = ("app.c", "--offload", "mix")
COMMANDS = {
    "run": ("run", *OFFLOAD, "--platform", "src-6e", "--advise"),
    "fast": ("run", *OFFLOAD, "--platform", "pcie3-x16"),
    "verify": ("verify", "streams.c", "--offload", "top"),
    "build": ("build", "app.c", "--top", "mix", "-o", "built"),
    "batches": ("batches", *OFFLOAD),
    "chip": ("run", *OFFLOAD, "--platform", "picorv32-chip", "--toggles"),
    "ladder": ("build", "--kernel", "fir", "--ladder", "-o", "ladder"),
    "advise": ("advise", "app.c", "--platform", "pcie3-x16"),
    "compare": ("compare", "src-6e.json", "pcie3-x16.json"),
    "fit": (
        *("platform", "fit", "src-6e", "times.csv", "--application", *OFFLOAD),
        *("--unknown", "software.call_time"),
    ),
    "check": ("check", "--budget", "budget.toml"),
    "study": ("reproduce", "ibm-coprocessor", "--table", "batches"),
}


@pytest.fixture(scope="module")
def pages(cache: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page of each kind of result."""
    folder = tmp_path_factory.mktemp("pages")
    source(folder, PROGRAM)
    (folder / "streams.c").write_text(TWO_WAYS.replace("DEPTHS", ""))
    (folder / "budget.toml").write_text(BUDGET)
    (folder / "times.csv").write_text("arguments,no_config_s\n,0.005\n1,0.0052\n")
    for platform in ("src-6e", "pcie3-x16"):
        done = tandem("run", *OFFLOAD, "--platform", platform, "--json", cwd=folder)
        good(done)
        (folder / f"{platform}.json").write_text(done.stdout)
    good(tandem("run", *OFFLOAD, "--report", "run.json", cwd=folder))
    for name, words in COMMANDS.items():
        done = tandem(*words, "--report", f"{name}.html", cwd=folder)
        assert done.returncode in (0, 1), done.stdout + done.stderr
    good(tandem("report", "src-6e.json", "pcie3-x16.json", "-o", "both.html", cwd=folder))
    return folder


KINDS = (*COMMANDS, "both")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (400, "dark")])
def test_a_page_is_drawn_and_true(
    chromium: Any, pages: Path, name: str, width: int, theme: str
) -> None:
    page = Page(chromium, pages / f"{name}.html", width, theme)
    data = page.data()
    holds("page", data)
    page.see_all()
    assert check_figures(page, data) > 3
    assert page.serious() == []
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    for chart in page.tab.query_selector_all(".plot"):
        assert chart.query_selector("svg [aria-label], svg path, svg rect, svg circle"), name
    assert page.complaints == []


@pytest.mark.skipif(not ALL, reason="all published tables: made by `make test-all`")
@pytest.mark.parametrize("study", ["src-6e", "rasc", "ibm-coprocessor", "soc", "impulse-c"])
def test_published_tables(chromium: Any, cache: None, tmp_path: Path, study: str) -> None:
    """Each cell of each study is on its page."""
    good(tandem("reproduce", study, "--report", "study.html", cwd=tmp_path))
    page = Page(chromium, tmp_path / "study.html")
    page.see_all()
    cells = page.data()["results"][0]["cells"]
    shown = {f["at"] for f in page.figures()}
    ours = (i for i, cell in enumerate(cells) if cell["role"] != "given")
    assert all(f"/results/0/cells/{i}/ours" in shown for i in ours)
    assert check_figures(page, page.data()) > len(cells)
    assert page.serious() == [] and page.complaints == []


def test_what_is_drawn_is_what_is_there(chromium: Any, pages: Path) -> None:
    """Each section comes from its part of the data, and bars are as long as their times."""
    page = Page(chromium, pages / "run.html")
    page.see_all()
    names = page.tab.eval_on_selector_all("main > section", "(all) => all.map((s) => s.id)")
    wanted = ["summary", "breakdown", "break-even", "advice", "loops", "timeline", "schedule-0"]
    assert set(wanted) < set(names), names
    times = page.data()["results"][0]["breakdown_s"]
    told = "[r.querySelector('title')?.textContent ?? '', +r.getAttribute('width')]"
    bars = page.tab.eval_on_selector_all("#breakdown svg rect", f"(all) => all.map((r) => {told})")
    total = {t.split(": ")[1].split(" ")[0]: w for t, w in bars if t.startswith("total: ")}
    assert total["configure"] / total["call"] == pytest.approx(
        times["configure"] / times["call"], rel=0.2
    )


def test_the_c_shows_its_operations_and_they_show_it(chromium: Any, pages: Path) -> None:
    """With the keyboard alone: from a line to its operations, and from one of these to its line."""
    page = Page(chromium, pages / "build.html")
    tab = page.tab
    line = tab.locator(".line.has", has_text="a * 5 + b")
    line.focus()
    tab.keyboard.press("Enter")
    assert "chosen" in (line.get_attribute("class") or "")
    rows = tab.locator(".op.chosen")
    assert rows.count() == 1 and "app.c:8" in rows.inner_text()
    assert "operations" in tab.locator(".details").inner_text()
    tab.get_by_role("button", name="operations", exact=True).click()
    tab.locator(".schedule").focus()
    tab.keyboard.press("End")
    chosen = tab.locator(".op.chosen")
    assert chosen.count() == 1
    number = tab.locator(".details [data-operation]").get_attribute("data-operation")
    schedule = page.data()["schedules"][0]
    row = schedule["operations"][int(number.split("/")[-1])]
    lines = tab.locator(".line.chosen .line-number").all_inner_texts()
    assert lines == [str(row[3])]
    assert schedule["texts"][row[7]].replace("`", "") in tab.locator(".details").inner_text()
    assert tab.locator(".details svg .node").count() > 1
    tab.locator(".details svg .node:not(.chosen)").first.focus()
    tab.keyboard.press("Enter")
    assert tab.locator(".details [data-operation]").get_attribute("data-operation") != number
    assert page.complaints == []


def test_the_timeline_goes_down_to_a_cycle(chromium: Any, pages: Path) -> None:
    page = Page(chromium, pages / "run.html")
    page.see_all()
    tab = page.tab
    view = tab.locator("#timeline canvas")
    data = page.data()["timeline"]
    assert data["count"] > 20 and data["dropped"] == 0

    def span() -> float:
        tab.wait_for_timeout(50)
        return float(view.get_attribute("data-span") or 0)

    whole = span()
    view.focus()
    tab.keyboard.press("n")
    told = tab.locator("#timeline .told")
    assert "from" in told.inner_text()
    tab.get_by_role("button", name="zoom to cycles").click()
    assert span() == 40 * page.data()["schedules"][0]["clock_ps"] < whole / 1000
    before = float(view.get_attribute("data-from") or 0)
    tab.keyboard.press("ArrowLeft")
    view.focus()
    tab.keyboard.press("ArrowRight")
    span()
    assert float(view.get_attribute("data-from") or 0) > before
    tab.keyboard.press("Home")
    assert span() == whole


def test_events_are_the_trace_s(chromium: Any, pages: Path, tmp_path: Path) -> None:
    """As many of each component."""
    source(tmp_path, PROGRAM)
    words = ("run", "app.c", "--offload", "mix", "--trace", "t.json", "--report", "r.html")
    good(tandem(*words, cwd=tmp_path))
    page = Page(chromium, tmp_path / "r.html")
    page.see_all()
    rows = page.tab.eval_on_selector_all(
        "#timeline tbody tr", "(all) => all.map((r) => [...r.children].map((c) => c.textContent))"
    )
    shown: Counter[str] = Counter()
    for row in rows:
        shown[row[0].split(" (")[0]] += int(row[2].replace(",", ""))
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert shown == Counter(e["cat"] for e in events if e["ph"] == "X")


def test_the_theme_is_the_reader_s_choice(chromium: Any, pages: Path) -> None:
    page = Page(chromium, pages / "run.html", theme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(colour)
    page.tab.get_by_role("button", name="show it dark").click()
    assert page.tab.evaluate(colour) != light
    assert page.serious() == []


def test_a_page_asks_nobody_for_anything(pages: Path) -> None:
    for name in KINDS:
        text = (pages / f"{name}.html").read_text()
        head = text.split("<body>")[0]
        assert "default-src 'none'" in head and "src=" not in head and "href=" not in head


def test_libraries_bring_their_licences(pages: Path) -> None:
    """As each of them wants of whoever hands it on."""
    text = (pages / "run.html").read_text()
    assert "Copyright" in text and "Permission to use, copy, modify" in text
    for name in ("@observablehq/plot", "@dagrejs/dagre", "d3-scale", "delaunator"):
        assert f"{name}: Copyright" in text, name


def test_hostile_text_stays_text(chromium: Any, tmp_path: Path) -> None:
    """Names and sentences of a result are shown, whatever is in them."""
    evil = "</script><script>document.title = 'taken'</script><!-- <img src=x onerror=alert(1)>"
    result = {
        "format": "tandem-verify-result", "kernels": [], "platform": evil, "checked_calls": 1,
        "mismatches": 1, "cycles": 7, "note": evil, "notes": [],
    }  # fmt: skip
    write_report(tmp_path / "evil.html", result)
    page = Page(chromium, tmp_path / "evil.html")
    assert evil in page.tab.inner_text("main")
    assert page.tab.title() == evil and page.complaints == []


def test_what_cannot_be_drawn_says_so(chromium: Any, tmp_path: Path) -> None:
    """A result that is not as its schema has it costs its section, and no other."""
    write_report(tmp_path / "odd.html", {"format": "tandem-run-result", "breakdown_s": 7})
    page = Page(chromium, tmp_path / "odd.html")
    assert "cannot be drawn" in page.tab.inner_text("main")
    assert page.tab.query_selector("#provenance") and page.complaints


def test_pages_are_made_again(pages: Path, tmp_path: Path) -> None:
    """From the data, from the page itself, and from what was printed with a package beside it."""
    for name in ("run.json", "run.html"):
        good(tandem("report", pages / name, "-o", tmp_path / "again.html", cwd=tmp_path))
        good(tandem("report", tmp_path / "again.html", "-o", tmp_path / "d.json", cwd=tmp_path))
        again = json.loads((tmp_path / "d.json").read_text())
        assert again["schedules"][0]["operations"] and again["timeline"]["count"]
        (tmp_path / "d.json").unlink()
    good(tandem("report", pages / "built", "-o", tmp_path / "b.html", cwd=tmp_path))
    good(tandem("report", pages / "built" / "mix.tandem", "-o", tmp_path / "p.html", cwd=tmp_path))
    assert (tmp_path / "b.html").read_bytes() == (tmp_path / "p.html").read_bytes()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.json", "{}", "it is no result of a command"),
        ("a.json", "[1, 2]", "it is no result of a command"),
        ("a.json", '{"format": "tandem-errors"}', "it is no result of a command"),
        ("a.json", "{", "it cannot be read"),
        ("a.json", "[" * 100_000, "it cannot be read"),
        ("a.html", "<html></html>", "no data of a page is in it"),
    ],
)
def test_what_no_page_can_be_made_of(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)
    refused(tandem("report", name, cwd=tmp_path), "error[report]", told, "--json")
    assert not (tmp_path / "report.html").exists()


def test_where_no_page_can_go(tmp_path: Path) -> None:
    """Told before anything is built."""
    source(tmp_path, KERNEL + MAIN)
    (tmp_path / "mine.html").write_text("<p>mine</p>")
    run = ("run", "app.c", "--offload", "scale", "--report")
    refused(tandem(*run, "mine.html", cwd=tmp_path), "would replace a file of another kind")
    refused(tandem(*run, "page.pdf", cwd=tmp_path), "a page is no file `*.pdf`", "*.html")
    refused(tandem(*run, "no/where.html", cwd=tmp_path), "there is no folder")
    refused(tandem("report", tmp_path, cwd=tmp_path), "no package and no result is in it")
    assert (tmp_path / "mine.html").read_text() == "<p>mine</p>"
