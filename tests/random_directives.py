# SPDX-License-Identifier: Apache-2.0
"""Random directives in a C file: before loops, local arrays and functions."""

from __future__ import annotations

import re
from random import Random

LOOP = re.compile(r"^\s*(?:for \(|while \(|do \{)")
ARRAY = re.compile(r"^    u?int\d+_t (array\d+)\[\d+\]")
FUNCTION = re.compile(r"^static .*\bfunction\d+\(.*\)$")
LOOPS = ("pipeline", "pipeline ii(1)", "pipeline ii(7)", "pipeline off")
COPIES = ("unroll", "unroll(2)", "unroll(3)", "unroll(8)", "unroll off")


def with_directives(text: str, random: Random) -> str:
    """The text with some, in the project's own spelling."""
    lines: list[str] = []
    for line in text.splitlines():
        lines += [f"#pragma tandem {words}" for words in _before(line, random)]
        lines.append(line)
    return "\n".join([*lines, ""])


def _before(line: str, random: Random) -> list[str]:
    array = ARRAY.match(line)
    if LOOP.match(line):
        found = [random.choice(LOOPS)] if random.random() < 0.3 else []
        return found + ([random.choice(COPIES)] if random.random() < 0.3 else [])
    if array and random.random() < 0.4:
        banks = random.choice(["", ", 2", ", 4"])
        return [f"partition({array[1]}{banks})"]
    if FUNCTION.match(line) and random.random() < 0.5:
        return [random.choice(["inline", "inline off"])]
    return []
