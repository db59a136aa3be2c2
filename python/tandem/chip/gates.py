# SPDX-License-Identifier: Apache-2.0
"""A kernel's netlist as the model that runs on a chip, which counts what toggles in it."""

from __future__ import annotations

from tandem.compiler.compile import find_target
from tandem.files import temporary_folder
from tandem.host.application import Offload
from tandem.models.toggles import Counted
from tandem.models.verilator import build_verilator, counting, quickest_build
from tandem.progress import stage
from tandem.synthesis.gates import NETS, Mapper, map_gates, mapper_of, mapper_of_family
from tandem.synthesis.slices import FAMILIES

GATES = "gates.so"


def build_gates(offload: Offload, family: str) -> str:
    """Makes the model; its name within the kernel's package.

    Raises SynthesisError where yosys fails, UserError where Verilator is missing."""
    kernel, package = offload.compiled.kernel, offload.package
    with temporary_folder() as work:
        with stage(f"netlist of {kernel.name}"):
            top = offload.compiled.hardware.name
            gates = map_gates(package / "kernel.sv", top, _mapper(family), work / "netlist")
        counted = [Counted(kind, at // 8, bits) for kind, (at, bits) in gates.nets.items()]
        with stage(f"model of the netlist of {kernel.name}"):
            watch = counting(NETS, counted)
            build_verilator(kernel, gates.verilog, package / GATES, work, quickest_build(), watch)
    return GATES


def _mapper(family: str) -> Mapper:
    return mapper_of_family(family) if family in FAMILIES else mapper_of(find_target(family))
