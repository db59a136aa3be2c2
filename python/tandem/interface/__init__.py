# SPDX-License-Identifier: Apache-2.0
"""Tandem from Python, and what the command line is made of: plain arguments in, plain data out.

The results are dicts of numbers, texts and lists, the same that the commands print with `--json`;
docs/schemas describes them. Errors are `tandem.diagnostics.TandemError`.
"""

from tandem.interface.advising import advise
from tandem.interface.chips import build_chip
from tandem.interface.climbing import ladder
from tandem.interface.kernels import bisect, compile, place, slices
from tandem.interface.options import clock_ps
from tandem.interface.pages import write_report
from tandem.interface.running import run
from tandem.interface.verifying import verify

__all__ = [
    "advise",
    "bisect",
    "build_chip",
    "clock_ps",
    "compile",
    "ladder",
    "place",
    "run",
    "slices",
    "verify",
    "write_report",
]
