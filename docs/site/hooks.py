# SPDX-License-Identifier: Apache-2.0
"""What the site has beside docs/: pages from the top of the repository, pages made of code, and
each file that a page leads to. Pages stay as GitHub shows them, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diagnostics import diagnostics_page
from links import Links, as_python_markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from reference import command_line_page, headers_page, python_page, schema_pages

ROOT = Path(__file__).parents[2]
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "bench/README.md": "benchmarks.md",
    "engine/README.md": "rooms/engine.md",
    **{
        f"python/tandem/{path.parent.name}/README.md": f"rooms/{path.parent.name}.md"
        for path in sorted((ROOT / "python" / "tandem").glob("*/README.md"))
    },
}
"""Pages outside of docs/, by where they are in the repository, and where the site has them."""
LINKS = Links(ROOT, MOVED)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what is not in docs/."""
    for source, place in MOVED.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text()))
    for place, text in made_pages():
        files.append(File.generated(config, place, content=text))
    for page in list(files.documentation_pages()):
        for path in LINKS.files_of(source_of(page.src_uri), page.content_string):
            place = LINKS.place(path)
            if files.get_file_from_path(place) is None:
                files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    return files


def made_pages() -> list[tuple[str, str]]:
    """The pages that are made of code, each with its place."""
    return [
        ("reference/command-line.md", command_line_page()),
        ("reference/python.md", python_page()),
        ("reference/headers.md", headers_page(ROOT / "include")),
        *schema_pages(ROOT / "docs" / "schemas"),
        ("diagnostics/index.md", diagnostics_page(ROOT / "docs" / "diagnostics")),
    ]


def source_of(place: str) -> str:
    """Where in the repository a page of the site is, or would be."""
    return next((s for s, p in MOVED.items() if p == place), f"docs/{place}")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """A page as the site's Markdown has it, with links to where the site has things."""
    return as_python_markdown(LINKS.rewritten(source_of(page.file.src_uri), markdown))
