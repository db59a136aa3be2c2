# SPDX-License-Identifier: Apache-2.0
"""From C files and a function's name to scheduled hardware: the compiler as one call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tandem.choices import BALANCED, Goal, Loops, choose_loops
from tandem.clocks import Fit, counter_bits, fit_clock
from tandem.diagnostics import Place, user_error
from tandem.frontend.annotations import read_claims
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.importer import import_kernel
from tandem.frontend.linking import find_definition
from tandem.frontend.optimise import optimise
from tandem.frontend.program import Program
from tandem.frontend.symbols import definition, resolved
from tandem.installation import data_file, known
from tandem.ir.clone import clone
from tandem.ir.kernel import Extent, Kernel
from tandem.passes import split_wide
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.reassociate import Timing
from tandem.rtl.emit import Hardware, emit_kernel
from tandem.schedule.delays import Target, load_target
from tandem.schedule.scheduler import KernelSchedule, schedule_kernel


@dataclass
class Compiled:
    """A kernel on its way into a package. `modules`: the LLVM IR of each C file; `function_ir`: of
    the function and all that it calls, in one piece."""

    schedule: KernelSchedule
    hardware: Hardware
    program: Program
    modules: list[str]
    function_ir: str
    clock_reason: str = ""
    """Why the clock is slower than asked for."""

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


@dataclass
class Imported:
    """A kernel as the C has it, before any pass of ours; for the rest see `Compiled`."""

    kernel: Kernel
    modules: list[str]
    function_ir: str
    place: Place


def import_c(program: Program, top: str) -> Imported:
    """The kernel `top` of a program."""
    modules = list(program.modules) or [to_llvm_ir(file) for file in program.files]
    files = [str(path) for path in program.paths]
    top = resolved(modules, top)
    text = optimise(modules, top, files)
    place = find_definition(top, files)
    return Imported(import_kernel(text, top, place), modules, text, place)


def compile_kernel(
    program: Program,
    top: str,
    target: Target,
    clock_ps: int,
    slower_clock: bool = False,
    goal: Goal = BALANCED,
    after: Callable[[str, Kernel], None] | None = None,
    free_clock: bool = False,
) -> Compiled:
    """Compiles `top` for a clock period. With `slower_clock` the period becomes longer where an
    operation needs it, which else is an error; with `free_clock`, which goes with it, also where
    the kernel takes less time so. `after` is told of every pass, of the first of the kernels that
    are tried.

    Raises UserError and Infeasible with the C line and the cure."""
    with _uncollected():
        imported = import_c(program, top)
        options = _options(program, imported, target, clock_ps, goal)
        run_pipeline(imported.kernel, options, after=after)
        unused = [imported.kernel]

        def kernel_with(loops: Loops) -> Kernel:
            """The first time the kernel that is there, then another one."""
            if unused:
                return unused.pop()
            kernel = import_kernel(imported.function_ir, top, imported.place)
            limit = goal.unroll_limit if loops.unroll_limit is None else loops.unroll_limit
            other = replace(
                options, rolled=loops.rolled, flattened=loops.flattened, unroll_limit=limit
            )
            run_pipeline(kernel, other)
            return kernel

        def fit(loops: Loops) -> Fit:
            kernel = kernel_with(loops)
            if slower_clock:
                return fit_clock(lambda: clone(kernel), target, clock_ps, free_clock)
            split_wide.run(kernel, target.delay_ps, target.budget_ps(clock_ps))
            return Fit(schedule_kernel(kernel, target, clock_ps))

        best = choose_loops(fit, goal)
        hardware = emit_kernel(best.schedule)
        return Compiled(
            best.schedule, hardware, program, imported.modules, imported.function_ir, best.reason
        )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Python's search for cycles of garbage is off: it takes longer than the compiler itself, which
    makes few such cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Has Python take all that was made for old: it would look through it at once otherwise."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def _options(
    program: Program, imported: Imported, target: Target, clock_ps: int, goal: Goal
) -> Options:
    return Options(
        _claims(program, imported),
        target.lut_inputs,
        counter_bits=counter_bits(target, clock_ps),
        unroll_limit=goal.unroll_limit,
        timing=Timing(target.delay_ps, target.level_ps, target.budget_ps(clock_ps)),
    )


def _claims(program: Program, imported: Imported) -> dict[str, Extent]:
    """What annotations and types of the file that defines the kernel say."""
    top = imported.kernel.name
    for file, module in zip(program.files, imported.modules, strict=True):
        if definition(module, top) is not None:
            return read_claims(file, top, find_definition(top, [str(file.path)]))
    return {}
