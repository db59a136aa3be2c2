# SPDX-License-Identifier: Apache-2.0
"""From C files and a function's name to scheduled hardware: the compiler as one call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from tandem.analysis.reaches import REACH_BITS
from tandem.compiler.builds import PointBuilds, order_schedule, start_one_by_one
from tandem.compiler.choices import choose_shape
from tandem.compiler.clock_facts import facts_of, shortest_clock_ps
from tandem.compiler.clocks import fit_as_asked, fit_clock
from tandem.compiler.cores import with_cores
from tandem.compiler.device import beyond_device, device_room
from tandem.compiler.fits import Asked, Fit, MayWin
from tandem.compiler.goals import BALANCED, Goal, first_shape
from tandem.compiler.point import Point
from tandem.compiler.tried import told_fastest, with_gains
from tandem.diagnostics import Diagnostic, Infeasible, UserError, user_error
from tandem.frontend.by_value import plain_bytes
from tandem.frontend.directives.ineffective import now_registers, taken_anyway
from tandem.frontend.imported import Imported, has_same_parts
from tandem.frontend.importer import import_kernel
from tandem.frontend.linking import find_definition
from tandem.frontend.program import Program
from tandem.frontend.sharing import Lines
from tandem.frontend.symbols import definition
from tandem.garbage import uncollected
from tandem.installation import data_file, known
from tandem.ir.argument import Argument, ArgumentKind, Extent
from tandem.ir.clone import clone
from tandem.ir.expressions import Expression, Node
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Constant
from tandem.languages.imported import import_c
from tandem.languages.known import language_of
from tandem.passes.in_common import InCommon
from tandem.passes.pipelines import (
    DEFAULT,
    FOR_CLOCK,
    UP_TO_EXTENTS,
    After,
    Options,
    Step,
    run_pipeline,
)
from tandem.passes.shape import Shape
from tandem.rtl.emit import Hardware, emit_kernel
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule
from tandem.schedule.target_files import load_target
from tandem.stages import TRIAL, stage


@dataclass(frozen=True)
class Lineage:
    """How the kernel that was kept is made of the C: which functions are apart, what the passes are
    told, and for which period operations are split."""

    imported: Imported
    options: Options
    target: Target
    split_ps: int

    def make(self, after: After, without: Collection[Step] = ()) -> Kernel:
        """The kernel once more, but for some steps. `after` is told of the import (`import`), and
        of every step."""
        kernel = self.imported.again(self.imported.apart).kernel
        order_schedule(kernel, self.options.shape)
        after("import", kernel)
        split = replace(self.options, facts=facts_of(self.target, self.split_ps))
        for steps, options in ((DEFAULT, self.options), (FOR_CLOCK, split)):
            run_pipeline(kernel, options, [s for s in steps if s not in without], after)
        start_one_by_one(kernel, self.options)
        return kernel


@dataclass
class Compiled:
    """A kernel on its way into a package. `modules`: the LLVM IR of each C file; `function_ir`: of
    the function and all that it calls, in one piece."""

    schedule: KernelSchedule
    hardware: Hardware
    program: Program
    modules: list[str]
    function_ir: str
    as_imported: Kernel
    """Before any pass of ours: memory is used in the order of the C."""
    lineage: Lineage
    builds: PointBuilds
    """What makes the kernels of design points of the same C."""
    clock_reason: str = ""
    """Why the clock is slower than asked for."""
    notes: tuple[Diagnostic, ...] = ()
    """What is told of directives that do less than they say, and of what was not tried or does not
    fit the device."""
    replaced: frozenset[str] = frozenset()
    """Functions of the C library that the kernel holds and that software calls ours of too."""

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


def compile_kernel(
    program: Program,
    top: str,
    target: Target,
    clock_ps: int,
    slower_clock: bool = False,
    goal: Goal = BALANCED,
    after: After | None = None,
    free_clock: bool = False,
    keeps_variables: bool = False,
    point: Point | None = None,
) -> Compiled:
    """Compiles `top` for a clock period. With `slower_clock` the period becomes longer where an
    operation needs it, which else is an error; with `free_clock`, which goes with it, also where
    the kernel takes less time so. `after` is told of every pass, of the first of the kernels that
    are tried. With `keeps_variables` variables that nothing but the kernel uses are left as the C
    leaves them. With a `point` nothing is tried: the kernel has the refinements of that, and those
    that directives ask for.

    Raises UserError and Infeasible with the C line and the cure."""
    with uncollected():
        imported = import_c(program, top)
        cores_ps = max(clock_ps, shortest_clock_ps(target)) if slower_clock else clock_ps
        target = with_cores(target, cores_ps, imported.kernel.macros)
        options = Options(
            _claims(program, imported), facts=facts_of(target, clock_ps), shape=first_shape(goal)
        )
        if not keeps_variables:
            imported = imported.with_scratch(_scratch(imported, options))
        asked = Asked(clock_ps, free_clock, goal.period_exponent)
        clock = _Clock(target, asked, slower_clock)
        made = _Made(imported, replace(options, proven=_proven(imported, options)), clock, after)
        builds = PointBuilds(imported, made.options, target, clock_ps)
        if point is not None:
            best, made_with, kept = builds.fit(point.also(*builds.said()))
        else:
            best = choose_shape(made.fit, goal, made.repeated, device_room(target))
            made_with, kept = made.way_to(best.shape)
        best.schedule.kernel.deeds = with_gains(best.schedule.kernel.deeds, best.steps)
        lineage = Lineage(kept, made_with, target, best.split_ps)
        told = _told(imported, best, goal, target, chosen=point is None)
        return _compiled(program, imported, best, lineage, builds, told)


def _compiled(
    program: Program,
    imported: Imported,
    best: Fit,
    lineage: Lineage,
    builds: PointBuilds,
    told: Iterable[Diagnostic],
) -> Compiled:
    """The best kernel with its hardware."""
    with stage("emit"):
        hardware = emit_kernel(best.schedule)
    return Compiled(
        best.schedule,
        hardware,
        program,
        imported.modules,
        imported.software or imported.function_ir,
        imported.kernel,
        lineage,
        builds,
        best.reason,
        tuple(dict.fromkeys(told)),
        imported.replaced,
    )


def _told(
    imported: Imported, best: Fit, goal: Goal, target: Target, *, chosen: bool
) -> Iterator[Diagnostic]:
    """What is told of a kernel; `chosen`: by the compiler, not by a point."""
    arrays = frozenset(imported.kernel.memories)
    yield from imported.notes
    yield from now_registers(imported.directives, arrays, best.schedule.kernel.memories)
    yield from taken_anyway(imported.directives) if chosen else ()
    yield from _not_kept(best, goal)
    yield from beyond_device(best.schedule, target)


@dataclass(frozen=True)
class _Clock:
    """The clock that is asked for; with `may_be_slower` as `compile_kernel` has it."""

    target: Target
    asked: Asked
    may_be_slower: bool
    reason: str = ""
    """Why it is slower than what was asked for."""

    def fit(self, kernel: Kernel, may_win: MayWin) -> Fit | None:
        """The schedule of a kernel; None where it cannot win."""
        if self.may_be_slower:
            fit = fit_clock(lambda: clone(kernel), self.target, self.asked, may_win)
            return fit and replace(fit, reason=fit.reason or self.reason)
        return fit_as_asked(kernel, self.target, self.asked.clock_ps, may_win)

    def settled(self, fit: Fit) -> _Clock:
        """The clock of more shapes of a kernel that is too large to be made with several: that of
        the first."""
        if not fit.is_large:
            return self
        clock_ps = max(self.asked.clock_ps, fit.schedule.clock_ps)
        return replace(self, asked=replace(self.asked, clock_ps=clock_ps), reason=fit.reason)


class _Made:
    """The kernels that are made of one import, by their shapes. `after` is told of every pass of
    the first."""

    def __init__(
        self, imported: Imported, options: Options, clock: _Clock, after: After | None
    ) -> None:
        self.imported, self.clock = imported, clock
        self._common = InCommon()
        first = self._common.make(lambda: imported.again(imported.apart).kernel, options, after)
        self.options = replace(options, proven=_extents(first), filled=_filled(first))
        self._unused = [first]
        self._fits: WeakValueDictionary[Shape, Fit] = WeakValueDictionary()

    def fit(self, shape: Shape, may_win: MayWin) -> Fit | None:
        """What a shape makes; the same again where no more functions can be kept apart."""
        found = self._imported(shape)
        same = replace(shape, apart=found.apart)
        other = self._fits.get(same)
        if other is None:
            with stage(TRIAL):
                other = self.clock.fit(self._kernel(shape, found), may_win)
        if other is not None:
            self.clock = self.clock.settled(other)
            self._fits[same] = other = replace(other, shape=same)
        return other

    def repeated(self, apart: frozenset[str]) -> Mapping[str, Lines]:
        """The functions of which there are several copies with some apart, and their lines."""
        return self.imported.repeated.left(self.imported.apart | apart)

    def way_to(self, shape: Shape) -> tuple[Options, Imported]:
        """With what, and of what, a shape is made."""
        return replace(self.options, shape=shape), self._imported(shape)

    def _imported(self, shape: Shape) -> Imported:
        return self.imported.having(self.imported.apart | shape.apart)

    def _kernel(self, shape: Shape, found: Imported) -> Kernel:
        """The first time the kernel that is there, then another one."""
        if self._unused:
            return self._unused.pop()
        told = replace(self.options, shape=shape)
        kernel = self._common.make(lambda: clone(found.kernel), told)
        order_schedule(kernel, shape)
        return kernel


def _not_kept(best: Fit, goal: Goal) -> Iterator[Diagnostic]:
    """That more would have been tried, had there been time; that what is faster is too large."""
    if best.fastest is not None and (faster := told_fastest(best.schedule, best.fastest)):
        yield faster
    if best.is_cut:
        kernel = best.schedule.kernel
        yield Diagnostic(
            "budget",
            f"after {goal.budget_s:g} s no more ways to build `{kernel.name}` were tried",
            kernel.place(kernel.entry.line),
            "give it more time with --budget, or say with a directive what each loop shall be",
            severity="note",
        )


def _proven(imported: Imported, options: Options) -> dict[str, Extent]:
    """What is shown of extents where the functions that are kept apart are part of the kernel, no
    iteration is made of several of the C's, no call runs beside another one, and arrays that may
    overlap are not joined."""
    known = imported.kernel
    is_whole = not imported.apart and imported.whole_ir == imported.function_ir
    if is_whole and not any(block.copies for block in known.blocks) and not known.overlaps:
        return {}
    arguments = known.name, imported.place, known.overlaps, imported.has_members
    whole = import_kernel(imported.whole_ir, *arguments)
    if not has_same_parts(whole, known):
        return {}
    whole.overlaps = ()
    for block in whole.blocks:
        block.copies = min(1, block.copies) if block.copies is not None else None
    try:
        run_pipeline(whole, options, UP_TO_EXTENTS)
    except (UserError, Infeasible):  # too large in one piece, or against a directive
        return {}
    return _of_numbers(_extents(whole), known) if known.overlaps else _extents(whole)


def _of_numbers(extents: dict[str, Extent], kernel: Kernel) -> dict[str, Extent]:
    """Those that follow from numbers alone: what an array holds may change through another one."""
    numbers = {
        argument.name for argument in kernel.arguments if argument.kind is ArgumentKind.SCALAR
    }
    claims = {name: extent.claim for name, extent in extents.items()}
    return {n: extents[n] for n, claim in claims.items() if claim and claim.names() <= numbers}


def _scratch(imported: Imported, options: Options) -> frozenset[str]:
    """Variables that only the kernel uses, and each call fills before it reads them."""
    named = {name for a in imported.kernel.arguments for name in _named_by(a)}
    private = {
        a.name
        for a in imported.kernel.arguments
        if a.variable is not None and a.variable.is_private and not a.is_volatile
    }
    if not private - named:
        return frozenset()
    kernel = clone(imported.kernel)
    try:
        run_pipeline(kernel, options, UP_TO_EXTENTS)
    except (UserError, Infeasible):  # told where it is made
        return frozenset()
    return _filled(kernel) & (private - named)


def _named_by(argument: Argument) -> Iterator[str]:
    """The arguments that another one is about."""
    yield from argument.joins
    yield argument.tells_of
    if argument.field is not None:
        yield argument.field.parent
    if argument.part is not None:
        yield argument.part.parent


def _filled(kernel: Kernel) -> frozenset[str]:
    """Arguments of which every call writes all, and reads nothing."""
    arrays = (a for a in kernel.arguments if a.kind in (ArgumentKind.MEMORY, ArgumentKind.STREAM))
    return frozenset(a.name for a in arrays if a.direction == "out" and not a.made)


def _extents(kernel: Kernel) -> dict[str, Extent]:
    return {argument.name: argument.extent for argument in kernel.arguments}


def _claims(program: Program, imported: Imported) -> dict[str, Extent]:
    """What annotations and types of the file that defines the kernel say."""
    top = imported.kernel.name
    passed = {
        name: Extent("typed", Expression((Node(Constant, REACH_BITS, value=bytes_),)))
        for name, bytes_ in plain_bytes(imported.modules, top).items()
    }
    for file, module in zip(program.files, imported.modules, strict=True):
        if definition(module, top) is not None:
            place = find_definition(top, [str(file.path)], module)
            return passed | language_of(file.path).claims(program, file, top, place)
    return passed
