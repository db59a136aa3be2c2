# SPDX-License-Identifier: Apache-2.0
"""One page that shows a result: a file with all that it needs, which works from a disk."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error

FOLDER = Path(__file__).parents[1] / "_page"
"""What `page/` is built into."""
HEAD = b"<!doctype html><!-- tandem-page -->"
"""How a page begins."""
DATA_BEGINS, DATA_ENDS = '<script id="data" type="application/json">', "</script>\n"


def page_of(data: dict[str, Any], *, is_live: bool = False) -> Iterator[bytes]:
    """The page of some data (docs/schemas/page.json) in parts. `is_live`: it asks the server that
    it comes from.

    Raises UserError if the page's own program is not there."""
    script, style = _built("page.js"), _built("page.css")
    title = html.escape(data["title"])
    yield HEAD
    yield (
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}{_ASKS if is_live else ""}">'
        f"<title>{title}</title><style>{style}</style></head><body>"
        "<noscript>This page draws itself with a script, which is part of it.</noscript>\n"
        f"{DATA_BEGINS}"
    ).encode()
    yield _inside_script(json.dumps(data)).encode()
    yield f"{DATA_ENDS}<script>{_inside_script(script)}</script></body></html>\n".encode()


def data_of_page(text: str) -> Any:
    """What a page was made of. Raises ValueError for a text that is no page."""
    _, begins, rest = text.partition(DATA_BEGINS)
    data, ends, _ = rest.partition(DATA_ENDS)
    if not (begins and ends):
        raise ValueError("no data of a page is in it")
    return json.loads(data)


_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""It asks nobody for anything, whatever is in its data."""
_ASKS = "; connect-src 'self'"


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
