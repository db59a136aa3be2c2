# SPDX-License-Identifier: Apache-2.0
"""Comments of C, and what only looks like one in a string."""

from __future__ import annotations

import re

_COMMENT_OR_STRING = re.compile(
    r"""(/\*.*?\*/|//[^\n]*)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.S
)
_VISIBLE = re.compile(r"[^\n]")


def blanked(text: str, strings: bool = False) -> str:
    """The text with spaces in the place of comments, and of `strings` too if that is asked for:
    everything else stays where it is."""

    def blank(match: re.Match[str]) -> str:
        return _VISIBLE.sub(" ", match[0]) if strings or match[1] else match[0]

    return _COMMENT_OR_STRING.sub(blank, text)
