# SPDX-License-Identifier: Apache-2.0
"""One page that shows a result: a file with all that it needs, which works from a disk."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error
from tandem.files import replace_file

FOLDER = Path(__file__).parents[1] / "_page"
"""What `page/` is built into."""
HEAD = b"<!doctype html><!-- tandem-page -->"
"""How a page begins."""


def write_page(data: dict[str, Any], path: Path) -> None:
    """Writes the page of some data (docs/schemas/page.json).

    Raises UserError if it cannot be written, or the page's own program is not there."""
    replace_file(path, page_of(data))


def page_of(data: dict[str, Any]) -> Iterator[bytes]:
    """The file in parts."""
    script, style = _built("page.js"), _built("page.css")
    title = html.escape(data["title"])
    yield HEAD
    yield (
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{title}</title><style>{style}</style></head><body>"
        "<noscript>This page draws itself with a script, which is part of it.</noscript>\n"
        '<script id="data" type="application/json">'
    ).encode()
    yield _inside_script(json.dumps(data)).encode()
    yield f"</script>\n<script>{_inside_script(script)}</script></body></html>\n".encode()


_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""It asks nobody for anything, whatever is in its data."""


def _inside_script(text: str) -> str:
    """A text that does not end the element that it is in."""
    return text.replace("</", "<\\/").replace("<!--", "\\u003c!--")


def _built(name: str) -> str:
    try:
        return (FOLDER / name).read_text()
    except OSError:
        raise user_error(
            "page",
            "the program of the pages has not been built",
            Place(str(FOLDER / name)),
            "a wheel has it; in a checkout: make page",
        ) from None
