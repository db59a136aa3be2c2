# SPDX-License-Identifier: Apache-2.0
"""The files in a rule of make's, as C compilers write them."""

from __future__ import annotations

import re


def rule_files(rule: str) -> list[str]:
    """The files behind the target `rule` of a make rule, with make's escapes undone."""
    text = rule.replace("\\\n", " ").removeprefix("rule:")
    words = re.findall(r"(?:\\[ #]|\S)+", text)
    return [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words]
