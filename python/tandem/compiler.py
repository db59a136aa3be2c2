# SPDX-License-Identifier: Apache-2.0
"""From C files and a function's name to scheduled hardware: the compiler as one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.annotations import read_extents
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.importer import import_kernel
from tandem.frontend.optimise import find_definition, optimise
from tandem.frontend.program import Program
from tandem.installation import data_file, known
from tandem.ir.kernel import Kernel
from tandem.passes import split_wide
from tandem.passes.count_loops import COUNTER_BITS
from tandem.passes.pipelines import Options, run_pipeline
from tandem.rtl.emit import Hardware, emit_kernel
from tandem.schedule.delays import Target, load_target
from tandem.schedule.scheduler import KernelSchedule, fastest_clock_ps, schedule_kernel


@dataclass
class Compiled:
    """A kernel on its way into a package. `modules`: the LLVM IR of each C file."""

    schedule: KernelSchedule
    hardware: Hardware
    program: Program
    modules: list[str]

    @property
    def kernel(self) -> Kernel:
        return self.schedule.kernel


def find_target(name: str) -> Target:
    """A target by its name. Raises UserError that lists the known ones."""
    if name not in known("targets"):
        raise user_error(
            "target", f"unknown target `{name}`", help=f"known are: {', '.join(known('targets'))}"
        )
    return load_target(data_file("targets", f"{name}.toml"))


def import_c(program: Program, top: str) -> tuple[Kernel, list[str]]:
    """The kernel as imported, before any pass of ours, and each C file's LLVM IR."""
    modules = [to_llvm_ir(file) for file in program.files]
    files = [str(path) for path in program.paths]
    text = optimise(modules, top, files)
    return import_kernel(text, top, find_definition(top, files)), modules


def compile_kernel(
    program: Program,
    top: str,
    target: Target,
    clock_ps: int,
    slower_clock: bool = False,
    after: Callable[[str, Kernel], None] | None = None,
) -> Compiled:
    """Compiles `top` for a clock period. With `slower_clock` the period becomes longer where an
    operation needs it; else that is an error. `after` is told of every pass.

    Raises UserError and Infeasible with the C line and the cure."""
    kernel, modules = import_c(program, top)
    extents = _extents(program.paths, kernel)
    run_pipeline(kernel, Options(extents, target.lut_inputs), after=after)
    if slower_clock:
        clock_ps = max(clock_ps, counter_clock_ps(target))
    split_wide.run(kernel, target.delay_ps, target.budget_ps(clock_ps))
    if slower_clock:
        clock_ps = max(clock_ps, fastest_clock_ps(kernel, target))
    schedule = schedule_kernel(kernel, target, clock_ps)
    return Compiled(schedule, emit_kernel(schedule), program, modules)


def counter_clock_ps(target: Target) -> int:
    """The clock period in which a loop counter works: a faster clock would cost its loops their
    ii."""
    return target.clock_for_ps(max(target.rows[r].delay(COUNTER_BITS) for r in ("add", "eq")))


def _extents(sources: Sequence[Path], kernel: Kernel) -> dict[str, str]:
    """Annotated extents from the file that defines the kernel."""
    path = next((s for s in sources if str(s) == kernel.source), sources[0])
    extents = read_extents(path.read_text(errors="replace"), str(path))
    names = {a.name for a in kernel.arguments if a.kind == "pointer"}
    for name in extents:
        if name not in names:
            raise _unknown_extent(name, names, path)
    return extents


def _unknown_extent(name: str, names: set[str], path: Path) -> UserError:
    return user_error(
        "pragma",
        f"extent of `{name}`, which is no pointer argument of the function",
        Place(str(path)),
        f"pointer arguments are: {', '.join(sorted(names)) or 'none'}",
    )
