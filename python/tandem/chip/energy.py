# SPDX-License-Identifier: Apache-2.0
"""What a program on a chip takes of energy: the chip's numbers (`[energy]` of its file) times what
the run has counted (docs/energy.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tandem.diagnostics import user_error
from tandem.installation import known
from tandem.synthesis.slices import FAMILIES

FJ, NW, PS = 1e-15, 1e-9, 1e-12
EXAMPLE = """[energy]
static = { value = "30 mW", source = "..." }
cycle = { value = "370 pJ", source = "..." }
toggle = { value = "0.65 pJ", source = "..." }
netlist = "ecp5"
"""


def require_energy(chip: Mapping[str, Any]) -> None:
    """Raises UserError where a chip's file says nothing of energy, or names a family of which there
    are no netlists."""
    if "energy" not in chip:
        raise user_error(
            "energy",
            f"the file of {chip['name']} has no table [energy]",
            help=f"add it (docs/energy.md tells where such numbers come from):\n{EXAMPLE.strip()}",
        )
    family = chip["energy"]["netlist"]
    if family not in (names := [*known("targets"), *FAMILIES]):
        raise user_error(
            "netlist", f"no netlist of a family `{family}`", help=f"known are: {', '.join(names)}"
        )


@dataclass(frozen=True)
class _Cycles:
    """What a cycle takes, in joules: with what it does, and without."""

    static_j: float
    dynamic_j: float

    def of(self, cycles: float) -> float:
        return cycles * (self.static_j + self.dynamic_j)


def energy_json(chip: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    """The energy of a run, in joules (docs/schemas/chip-result.json). `report`: the engine's, with
    the activity of each kernel."""
    said, cycles = chip["energy"], max(1, report["cycles"])
    # Where in the program instructions are is not told: all cycles get the same of them.
    instructions_fj = said["instruction_fj"] * report["instructions"] / cycles
    cycle = _Cycles(
        static_j=said["static_nw"] * NW * report["clock_ps"] * PS,
        dynamic_j=(said["cycle_fj"] + instructions_fj) * FJ,
    )
    kernels = [_kernel_json(said, cycle, row) for row in report["kernels"]]
    parts = {
        "static": report["cycles"] * cycle.static_j,
        "processor": report["cycles"] * cycle.dynamic_j,
        "words": sum(sum(row["words"]) for row in report["kernels"]) * said["word_fj"] * FJ,
        "kernels": sum(row["toggles"] for row in kernels) * said["toggle_fj"] * FJ,
    }
    return {
        "netlist": said["netlist"],
        "static_w": said["static_nw"] * NW,
        "toggle_j": said["toggle_fj"] * FJ,
        "total_j": sum(parts.values()),
        "parts": parts,
        "kernels": kernels,
    }


def _kernel_json(said: Mapping[str, Any], cycle: _Cycles, row: Mapping[str, Any]) -> dict[str, Any]:
    """That of a kernel's calls, by their parts, and of the C function in their place."""
    nets = {signal["name"]: signal for signal in row["activity"]["signals"]}
    toggles = sum(signal["toggles"] for signal in nets.values())
    parts = {part: cycle.of(cycles) for part, cycles in row["parts"].items()}
    parts["transfer"] += sum(row["words"]) * said["word_fj"] * FJ
    parts["compute"] += toggles * said["toggle_fj"] * FJ
    return {
        "kernel": row["kernel"],
        "nets": sum(signal["bits"] for signal in nets.values()),
        "toggles": toggles,
        "of_registers": nets["registers"]["toggles"],
        "parts": parts,
        "total_j": sum(parts.values()),
        "software_j": cycle.of(row["software_cycles"]),
    }
