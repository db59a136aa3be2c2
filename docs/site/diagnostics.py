# SPDX-License-Identifier: Apache-2.0
"""The list of diagnostics that have a page."""

from __future__ import annotations

from pathlib import Path

HEAD = """# Diagnostics

What Tandem says of input that it cannot take has a code, such as `error[extent]`, a place, and what
would help. These codes have a page each, with C that shows them, made by
`pytest tests/test_accepted_c.py --update`.

| code | what is behind it |
| --- | --- |
"""


def diagnostics_page(folder: Path) -> str:
    """A row a code, with the first paragraph of its page."""
    rows = [
        f"| [`{path.stem}`]({path.name}) | {first_paragraph(path.read_text())} |"
        for path in sorted(folder.glob("*.md"))
    ]
    return HEAD + "\n".join(rows) + "\n"


def first_paragraph(text: str) -> str:
    """What stands below the title, in one line."""
    below = text.split("\n\n", 2)[1]
    return " ".join(below.split()).replace("|", "\\|")
