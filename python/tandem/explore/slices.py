# SPDX-License-Identifier: Apache-2.0
"""Slices of an older Xilinx family that each step of a ladder takes."""

from __future__ import annotations

from pathlib import Path

from tandem import progress
from tandem.compiler.compile import compile_kernel
from tandem.explore.ladder import Ladder
from tandem.files import temporary_folder
from tandem.frontend.program import Program
from tandem.manifest import read_manifest
from tandem.package import write_package
from tandem.rtl.text import module_name
from tandem.schedule.delays import Target
from tandem.synthesis.slices import Slices, kernel_slices


def slices_of(
    ladder: Ladder, program: Program, target: Target, clock_ps: int, family: str
) -> list[Slices]:
    """Those of each rung, in a netlist by yosys. Raises SynthesisError where it is missing or
    fails."""
    found: list[Slices] = []
    for rung in ladder.rungs:
        progress.count(len(found), len(ladder.rungs))
        progress.step(f"step {len(found)} of {len(ladder.rungs) - 1}")
        compiled = compile_kernel(program, rung.point.kernel, target, clock_ps, point=rung.point)
        with temporary_folder() as folder:
            package = write_package(compiled, Path(folder) / "step.tandem")
            top = module_name(read_manifest(package)["kernel"])
            found.append(kernel_slices(package / "kernel.sv", top, family))
    return found
