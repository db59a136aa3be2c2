# SPDX-License-Identifier: Apache-2.0
"""tandem cc, tandem c++: compilers, whose options are a compiler's."""

from __future__ import annotations

from collections.abc import Sequence

NAMES = {"cc": False, "c++": True}
"""Command name -> whether it compiles C++."""


def run(name: str, words: Sequence[str]) -> int:
    """Compiles or links as the words say; the exit status."""
    from tandem.host.driver import compile_or_link

    return compile_or_link(words, NAMES[name])
