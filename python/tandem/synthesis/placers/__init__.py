# SPDX-License-Identifier: Apache-2.0
"""What is different between families on the way from a netlist to a placement. Cells and the words
for yosys and nextpnr are in `targets/NAME.toml`."""

from __future__ import annotations

from tandem.synthesis.placers import ecp5, ice40, nexus
from tandem.synthesis.placers.placer import Placer

_ALL = (ecp5.PLACER, ice40.PLACER, nexus.PLACER)
PLACERS: dict[str, Placer] = {placer.family: placer for placer in _ALL}
"""By nextpnr's word for the family."""
