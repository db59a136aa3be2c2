# SPDX-License-Identifier: Apache-2.0
"""Networks of processes as Impulse C has them (`co.h`): which there are, by running the function
that makes them, and the C of the function that those in hardware become.

That function, `co_hardware`, is a kernel like any other: what processes get of software, and give
to it, are its arrays, and what is between two of them is a stream of `tandem/stream.h`. A process
that is alone in hardware is called; of several each is started.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tandem.diagnostics import Place, user_error
from tandem.files import folder_of_the_process
from tandem.frontend.clang import read_c
from tandem.languages.discovery import Given, find_program
from tandem.languages.impulse.directions import directions
from tandem.languages.impulse.hardware import HARDWARE, Hardware
from tandem.languages.impulse.network import Network, Process, find_network
from tandem.languages.known import is_source

MAKER = "co_initialize"
"""The program's own function that makes the network."""
_INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]co\.h[>"]', re.M)


def with_network(
    main: Path, given: Given, functions: Sequence[str]
) -> tuple[Given, tuple[str, ...]]:
    """What is to be offloaded of a program: where these are processes of a network, the function
    that they become, which is a source of the program then.

    Raises UserError where there is no such network, or some of it cannot be hardware."""
    if not functions or not any(map(_includes_words, (main, *given.sources))):
        return given, tuple(functions)
    program = find_program(main, given)
    if not any(MAKER in read_c(path) for path in program.paths):
        return given, tuple(functions)
    network = find_network(program)
    chosen = _chosen(main, network, functions)
    if not chosen:
        return given, tuple(functions)
    if program.is_cxx:
        raise user_error(
            "network",
            "processes in hardware are functions of C here, and the program is C++",
            Place(str(main)),
            "put them into files of C",
        )
    text = Hardware(network, chosen, directions(program, network)).text()
    place = folder_of_the_process() / f"{HARDWARE}.c"
    place.write_text(text)
    others = tuple(path for path in program.paths if path != main)
    return replace(given, sources=(*others, place)), (HARDWARE,)


def _includes_words(path: Path) -> bool:
    """Whether a file is C that has Impulse C's words."""
    return is_source(path) and path.is_file() and bool(_INCLUDES.search(read_c(path)))


def _chosen(main: Path, network: Network, functions: Sequence[str]) -> list[Process]:
    """The processes that are to be hardware; none where other functions are offloaded."""
    if list(functions) == [HARDWARE]:
        found = [process for process in network.processes if process.located]
        if not found:
            raise user_error(
                "network",
                "no process has a location in hardware",
                Place(str(main)),
                "give one with co_process_config(process, co_loc, ...), or name one: --offload "
                + " or ".join(dict.fromkeys(p.function for p in network.processes)),
            )
        return found
    found = [process for process in network.processes if process.function in functions]
    known = {process.function for process in found}
    others = [name for name in functions if name not in known]
    if found and others:
        raise user_error(
            "network",
            f"`{others[0]}` is no process of the network, and `{found[0].function}` is one",
            Place(str(main)),
            "offload processes, or functions that software calls, and not both",
        )
    return found


# -- which way ends go -----------------------------------------------------------------------------


# -- the C of the hardware -------------------------------------------------------------------------
