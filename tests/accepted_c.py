# SPDX-License-Identifier: Apache-2.0
"""What C Tandem takes, by example, and the page docs/language.md that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ACCEPTED = Path(__file__).parent / "accepted"
REFUSED = Path(__file__).parent / "diagnostics"


def accepted() -> dict[Path, str]:
    """Files of tests/accepted, each with a function `top`: what it shows, in words."""
    found = {}
    for path in sorted(ACCEPTED.glob("*.c")):
        said = re.search(r"^/\* (?!SPDX|offload:)(.*) \*/$", path.read_text(), re.M)
        assert said, path
        found[path] = said[1]
    return found


def runs(path: Path) -> bool:
    """Whether an example is a program, which checks itself; the others are a function."""
    return "int main(" in path.read_text()


@dataclass(frozen=True)
class Refusal:
    """A file of tests/diagnostics: its code, and what is said."""

    name: str
    code: str
    said: str
    cure: str


def refusals() -> list[Refusal]:
    """What is refused, by code."""
    found = []
    for path in sorted(REFUSED.glob("*.txt")):
        text = path.read_text()
        first = re.match(r".*?error\[([\w-]+)\]: (.*)", text)
        cure = re.search(r"^  help: (.*)", text, re.M)
        assert first, path
        found.append(Refusal(path.stem, first[1], first[2], cure[1] if cure else ""))
    return sorted(found, key=lambda r: (r.code, r.name))


def page() -> str:
    """The text of docs/language.md."""
    lines = [
        "# Which C is taken",
        "",
        "The function that becomes hardware, with all that it calls. The rest of the program may",
        "be any C. Every row is tried by the tests: examples that are programs in every mode,",
        "where the RTL must do what the C does. The page is written by",
        "`pytest tests/test_accepted_c.py --update`.",
        "",
        *(f"- {what}: [example](../tests/accepted/{p.name})" for p, what in accepted().items()),
        "",
        "## What is refused",
        "",
        "| code | for example | what is said | what to do |",
        "| --- | --- | --- | --- |",
    ]
    for r in refusals():
        cells = (f"`{r.code}`", f"[{r.name}](../tests/diagnostics/{r.name}.c)", r.said, r.cure)
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(lines) + "\n"
