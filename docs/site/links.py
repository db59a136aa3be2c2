# SPDX-License-Identifier: Apache-2.0
"""Links of pages that are read in the repository, led to where the site has the same; and what
Python-Markdown wants to be written otherwise than GitHub does."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^ *(```|~~~)")
FOLDERS = {"docs/schemas": "reference/schemas.md"}
"""Folders that pages lead to, by the page that shows them."""


@dataclass(frozen=True)
class Links:
    """`root`: the repository; `moved`: pages outside of docs/, by where the site has them."""

    root: Path
    moved: dict[str, str]

    def place(self, path: str) -> str:
        """Where the site has what the repository has at `path`: beside its pages as it is, but for
        pages themselves, and for schemas, which have one each."""
        path = path.rstrip("/")
        if path in self.moved:
            return self.moved[path]
        if path in FOLDERS:
            return FOLDERS[path]
        if path.startswith("docs/schemas/"):
            return f"reference/schemas/{Path(path).stem}.md"
        return path.removeprefix("docs/") if path.startswith("docs/") else f"files/{path}"

    def files_of(self, page: str, text: str) -> Iterator[str]:
        """The files that a page leads to and that are no pages of the site."""
        for target in self._targets(page, text):
            is_file = (self.root / target).is_file()
            if is_file and self.place(target).startswith("files/"):
                yield target

    def rewritten(self, page: str, text: str) -> str:
        """The page with each link to where the site has the same."""
        here = os.path.dirname(self.place(page))

        def led(match: re.Match[str]) -> str:
            place = self.place(_joined(page, match[1]))
            return f"]({os.path.relpath(place, here or '.')}{match[2] or ''})"

        return outside_of_code(text, lambda line: LINK.sub(led, line))

    def _targets(self, page: str, text: str) -> Iterator[str]:
        for match in LINK.finditer(text):
            yield _joined(page, match[1])


def _joined(page: str, link: str) -> str:
    """What a link of a page leads to, from the top of the repository."""
    return os.path.normpath(os.path.join(os.path.dirname(page), link))


def outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """A text of which each line is changed that is in no block of code."""
    is_code, lines = False, []
    for line in text.split("\n"):
        is_fence = bool(FENCE.match(line))
        lines.append(line if is_code or is_fence else change(line))
        is_code ^= is_fence
    return "\n".join(lines)


STARTS = re.compile(r"(- |\d+\. |\|)")


def as_python_markdown(text: str) -> str:
    """A text with an empty line before each list and table, which GitHub does not need."""
    is_code, before, lines = False, "", []
    for line in text.split("\n"):
        begins = STARTS.match(line)
        continues = not before.strip() or before.startswith((" ", "|")) or STARTS.match(before)
        if begins and not is_code and not continues:
            lines.append("")
        lines.append(line)
        is_code ^= bool(FENCE.match(line))
        before = line
    return "\n".join(lines)
