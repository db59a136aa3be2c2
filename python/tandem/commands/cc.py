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
and from static archives. Without a FUNCTION it compiles and links as clang does.

Options of its own; all others are clang's, and its list is that of `tandem cc -help`:
  --offload FUNCTION   a function that becomes hardware; several: once for each. The link fails
                       where it is not there
  --platform PLATFORM  a name or a file, for runs of the executable where TANDEM_PLATFORM names none
  -h, --help           this, where it stands first

Variables, as it compiles and links:
  TANDEM_OFFLOAD       without --offload: functions, separated by spaces, for those executables
                       that have them
  TANDEM_PLATFORM      as --platform, which comes first
  TANDEM_PROGRESS      1: tell at once, on standard error, what is being done
  TANDEM_CLANG         another clang, with its options
Variables, as the executable runs:
  TANDEM_MODE          native, emulate or simulate
  TANDEM_PLATFORM      another platform's file
  TANDEM_REPORT        the file into which the run's report goes

A Makefile:
  make CC="tandem cc" LDFLAGS="--offload FUNCTION"
  make CC="tandem cc" LD="tandem cc" LDFLAGS=...      where it links with $(LD)
configure:
  ./configure CC="tandem cc" CXX="tandem c++" && TANDEM_OFFLOAD=FUNCTION make
CMake:
  cmake -B build -DCMAKE_C_COMPILER="tandem;cc" -DCMAKE_CXX_COMPILER="tandem;c++"
  TANDEM_OFFLOAD=FUNCTION cmake --build build
Then:
  tandem run ./app -- ARGS                            where the time of the executable goes"""


def register(app: typer.Typer) -> None:
    """Among the commands that are listed; `tandem.commands` calls `run` before options are read."""
    for name, is_cxx in NAMES.items():
        language = "C++" if is_cxx else "C"
        about = f"The {language} compiler of a project's own build, which leads calls to the pair."
        app.command(name, help=about)(lambda: None)


def run(name: str, words: Sequence[str]) -> int:
    """Compiles or links as the words say; the exit status."""
    if words[:1] and words[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    from tandem.host.driver import compile_or_link

    return compile_or_link(words, NAMES[name])
