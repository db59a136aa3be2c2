# SPDX-License-Identifier: Apache-2.0
"""C functions compiled to pipelined hardware, and the truth about the pair.

`tandem.compile`, `tandem.build_chip`, `tandem.run` and `tandem.verify` do what commands do, and
return what their `--json` prints; `tandem.write_report` makes a page of it; `tandem.reserve` drives
kernels from Python. docs/python.md describes them.
"""

from __future__ import annotations

# Not from `typing`: until signals are taken over, as little as possible is loaded.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tandem.compiler.room import Room as Room
    from tandem.interface import advise as advise
    from tandem.interface import build_chip as build_chip
    from tandem.interface import compile as compile
    from tandem.interface import ladder as ladder
    from tandem.interface import run as run
    from tandem.interface import verify as verify
    from tandem.interface import write_report as write_report
    from tandem.interface.sweep import Sweep as Sweep
    from tandem.interface.sweep import sweep as sweep
    from tandem.languages.discovery import Given as Given
    from tandem.result import Result as Result
    from tandem.runtime import reserve as reserve

__all__ = [
    "Given",
    "Result",
    "Room",
    "Sweep",
    "advise",
    "build_chip",
    "compile",
    "ladder",
    "reserve",
    "run",
    "sweep",
    "verify",
    "write_report",
]

_PLACES = {
    "Given": "tandem.languages.discovery",
    "Result": "tandem.result",
    "Room": "tandem.compiler.room",
    "Sweep": "tandem.interface.sweep",
    "advise": "tandem.interface",
    "build_chip": "tandem.interface",
    "compile": "tandem.interface",
    "ladder": "tandem.interface",
    "reserve": "tandem.runtime",
    "run": "tandem.interface",
    "sweep": "tandem.interface.sweep",
    "verify": "tandem.interface",
    "write_report": "tandem.interface",
}


def __getattr__(name: str) -> Any:
    """Loads what is asked for, since most of it takes longer to load than a command to run."""
    if name not in _PLACES:
        raise AttributeError(f"module 'tandem' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)
