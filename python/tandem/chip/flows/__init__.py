# SPDX-License-Identifier: Apache-2.0
"""What is different between families on the way from a chip's Verilog to a bitstream. Cells and the
words for yosys and nextpnr are in `targets/NAME.toml`."""

from __future__ import annotations

from tandem.chip.flows import ecp5, ice40
from tandem.chip.flows.flow import Flow

FLOWS: dict[str, Flow] = {"ecp5": ecp5.FLOW, "ice40": ice40.FLOW}
"""By nextpnr's word for the family."""
