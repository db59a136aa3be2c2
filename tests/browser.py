# SPDX-License-Identifier: Apache-2.0
"""Pages in a real browser, without a window: the distribution's own Chromium."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tandem.report.html import data_of_page

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
SCALES = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12}
SCALES |= {"TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1}
SCALES |= {f"{k}/s": v for k, v in list(SCALES.items()) if k.endswith("B")}
SCALES |= {
    "J": 1,
    "mJ": 1e-3,
    "µJ": 1e-6,
    "nJ": 1e-9,
    "pJ": 1e-12,
    "MHz": 1,
    "%": 0.01,
    "\u00d7": 1,
}
BASES = {"ps": 1e-12, "ns": 1e-9}
"""What a unit of the data is of the one that is shown."""
DIGITS = 6e-3
"""How far a figure of three or four digits may be off, as a part of it."""


def chromium() -> str:
    """The browser; where there is none the test says what to install."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium; install the distribution's package chromium")
    return found


@contextmanager
def browser() -> Iterator[Any]:
    """A browser for several pages."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    with sync_playwright() as started:
        made = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield made
        finally:
            made.close()


class Page:
    """A page in a tab, with what it has complained of."""

    def __init__(self, made: Any, file: Path | str, width: int = 1280, theme: str = "light"):
        size: Any = {"width": width, "height": 900}
        self.tab = made.new_context(viewport=size, color_scheme=theme).new_page()
        self.complaints: list[str] = []
        self.tab.on("console", self._heard)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("requestfailed", lambda request: self.complaints.append(request.url))
        self.text = "" if isinstance(file, str) else file.read_text()
        self.tab.goto(file if isinstance(file, str) else file.absolute().as_uri())
        self.tab.wait_for_selector("html[data-ready]")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def see_all(self) -> None:
        """Scrolls through the page, so that all of it is drawn, and opens what is folded."""
        self.tab.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        height = self.tab.evaluate("document.documentElement.scrollHeight")
        for top in range(0, height, 700):
            self.tab.evaluate(f"scrollTo(0, {top})")
            self.tab.wait_for_timeout(30)
        if self.tab.query_selector("#timeline"):
            self.tab.wait_for_selector("#timeline[data-ready]")

    def data(self) -> Any:
        """What the page is made of."""
        return data_of_page(self.text)

    def serious(self) -> list[str]:
        """What axe-core finds that keeps people from using the page."""
        from axe_core_python.sync_playwright import Axe

        found = Axe().run(self.tab)["violations"]
        return [f"{v['id']}: {v['nodes'][0]}" for v in found if v["impact"] in GRAVE]

    def figures(self) -> list[dict[str, str]]:
        """Every figure: where in the data it is from, and what is shown."""
        return self.tab.evaluate(
            "[...document.querySelectorAll('.figure')].map((e) => "
            "({...e.dataset, title: e.title, text: e.textContent}))"
        )


GRAVE = ("serious", "critical")


def at(data: Any, pointer: str) -> Any:
    """What a JSON Pointer leads to."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        data = data[int(name)] if isinstance(data, list) else data[name]
    return data


def shown(text: str) -> float:
    """The number that a figure's text says, in the unit without a prefix."""
    found = re.fullmatch(r"([<>] )?(-?[\d,.e+-]+) ?(\D*)", text)
    assert found, text
    return float(found[2].replace(",", "")) * SCALES.get(found[3].strip(), 1)


def check_figures(page: Page, data: Any) -> int:
    """Compares every figure with the data; returns how many there are."""
    figures = page.figures()
    for figure in figures:
        value = at(data, figure["at"])
        if "over" in figure:
            value /= at(data, figure["over"])
        assert float(figure["title"]) == pytest.approx(value, rel=1e-12), figure
        value *= BASES.get(figure["unit"], 1)
        said = shown(figure["text"])
        if figure["text"].startswith(("<", ">")):
            assert abs(value) <= abs(said), figure
        else:
            slack = 0.0005 if figure["unit"] == "%" else 0
            assert said == pytest.approx(value, rel=DIGITS, abs=slack), figure
    return len(figures)
