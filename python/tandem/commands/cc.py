# SPDX-License-Identifier: Apache-2.0
"""tandem cc, tandem c++: compilers, whose options are a compiler's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

NAMES = {"cc": False, "c++": True}
"""Command name -> whether it compiles C++."""
USAGE = """\
Usage: tandem cc | c++ [--offload FUNCTION]... [--platform PLATFORM] COMPILER-OPTIONS

A compiler for a project's own build: clang, which keeps what offloading needs inside of each
object, and leads the calls of each FUNCTION to its pair when it links an executable, from objects
and from static archives. $TANDEM_OFFLOAD names functions too, for those programs that have them.

  make CC="tandem cc" LDFLAGS="--offload FUNCTION"
  make CC="tandem cc" LD="tandem cc" LDFLAGS=...      where the Makefile links with $(LD)
  ./configure CC="tandem cc" && TANDEM_OFFLOAD=FUNCTION make
  cmake -DCMAKE_C_COMPILER="tandem;cc" ..

PLATFORM (a name or a file) is the executable's where TANDEM_PLATFORM names none when it runs. All
other options are clang's; its own list is that of `tandem cc -help`."""


def register(app: typer.Typer) -> None:
    """Among the commands that are listed; `tandem.commands` calls `run` before options are read."""
    for name, is_cxx in NAMES.items():
        language = "C++" if is_cxx else "C"
        about = f"The {language} compiler of a project's own build, which leads calls to the pair."
        app.command(name, help=about)(lambda: None)


def run(name: str, words: Sequence[str]) -> int:
    """Compiles or links as the words say; the exit status."""
    if list(words) in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    from tandem.host.driver import compile_or_link

    return compile_or_link(words, NAMES[name])
