# SPDX-License-Identifier: Apache-2.0
"""Placing a kernel of a package: the area and clock rate that open tools reach."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.schedule.delays import Target
from tandem.synthesis.flow import synthesize
from tandem.synthesis.nextpnr import TRIES
from tandem.synthesis.result import Placement
from tandem.synthesis.tools import work_folder


@dataclass(frozen=True)
class PlacedKernel:
    """A kernel after place and route."""

    placement: Placement

    @property
    def fmax_mhz(self) -> float:
        return self.placement.fmax_mhz

    def resources(self) -> dict[str, Any]:
        """Cells of the kernel alone, and with the registers around it that stand for its users."""
        design, total = self.placement.design, self.placement.total
        return {
            "estimated": False,
            "lut4": design.lut4,
            "ff": design.ff,
            "bram": design.bram,
            "dsp": design.dsp,
            "with_harness": {
                "lut4": total.lut4,
                "ff": total.ff,
                "comb_cells": self.placement.comb_cells,
            },
            "device": self.placement.device,
            "critical_path_ps": {
                "logic": self.placement.critical.logic_ps,
                "routing": self.placement.critical.routing_ps,
            },
        }


def place_kernel(
    verilog: Path, top: str, target: Target, clock_ns: float, seed: int = 1, tries: int = TRIES
) -> PlacedKernel:
    """Synthesises, places and routes, with further seeds where the clock is missed. Raises
    SynthesisError, after which the tools' output stays where the error says."""
    with work_folder("tandem-place-") as work:
        return PlacedKernel(synthesize(verilog, top, target, clock_ns, work, seed, tries=tries))
