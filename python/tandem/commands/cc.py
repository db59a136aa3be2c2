# SPDX-License-Identifier: Apache-2.0
"""tandem cc, tandem c++: compilers, whose options are a compiler's."""

from __future__ import annotations

from collections.abc import Sequence

NAMES = {"cc": False, "c++": True}
"""Command name -> whether it compiles C++."""
USAGE = """\
Usage: tandem cc | c++ [--offload FUNCTION]... [--platform PLATFORM] COMPILER-OPTIONS

A compiler for a project's own build: clang, which keeps what offloading needs beside each object,
and leads the calls of each FUNCTION (or those that $TANDEM_OFFLOAD names) to its pair when it
links an executable. All other options are clang's; --help shows them."""


def run(name: str, words: Sequence[str]) -> int:
    """Compiles or links as the words say; the exit status."""
    if list(words) == ["-h"]:
        print(USAGE)
        return 0
    from tandem.host.driver import compile_or_link

    return compile_or_link(words, NAMES[name])
