# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: built without a warning, with what it is to have, asking nobody."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tandem
from documents import ROOT, copy_into

pytest.importorskip("material", reason="no mkdocs-material; pip install 'tandem-accel[dev]'")
ASKS = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*(?:src|href)=["']?(?:https?:)?//""")


def build(repository: Path, to: Path) -> subprocess.CompletedProcess[str]:
    """The site as `make site` builds it, in a folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", to],
        cwd=repository,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    return folder


def text_of(page: Path) -> str:
    return re.sub(r"<[^>]+>", "", page.read_text())


def test_no_page_asks_anybody_for_anything(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    assert [p.name for p in pages if ASKS.search(p.read_text())] == []
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert "@import" not in styles and not re.search(r"url\([\"']?(https?:)?//", styles)


def test_the_reference_has_what_there_is(site: Path) -> None:
    commands = text_of(site / "reference" / "command-line.html")
    for told in ("tandem run", "tandem platform fit", "tandem cc", "--max-lut4 N"):
        assert told in commands
    python = text_of(site / "reference" / "python.html")
    assert [name for name in tandem.__all__ if f"tandem.{name}" not in python] == []
    assert "tandem_submit" in text_of(site / "reference" / "headers.html")
    schemas = {path.stem for path in (ROOT / "docs" / "schemas").glob("*.json")}
    assert schemas == {path.stem for path in (site / "reference" / "schemas").glob("*.html")}
    assert "breakdown_s" in text_of(site / "reference" / "schemas" / "run.html")
    assert "extent" in text_of(site / "diagnostics" / "index.html")


def test_files_that_pages_lead_to_are_there(site: Path) -> None:
    header = site / "files" / "include" / "tandem" / "stream.h"
    assert header.read_text() == (ROOT / "include" / "tandem" / "stream.h").read_text()


def test_everything_is_found(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text())
    rows = found.get("docs") or found["items"]
    assert any("initiation interval" in row["text"] for row in rows)


def test_broken_links_are_told(tmp_path: Path) -> None:
    links = ("nowhere.md", "glossary.md#no-such-title", "../no/file.c")
    copy_into(tmp_path / "copy")
    page = tmp_path / "copy" / "docs" / "ci.md"
    page.write_text(page.read_text() + "".join(f"\n[broken]({link})\n" for link in links))
    done = build(tmp_path / "copy", tmp_path / "site")
    assert done.returncode == 1
    assert [link for link in links if Path(link).name not in done.stderr] == [], done.stderr
