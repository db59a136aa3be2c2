# SPDX-License-Identifier: Apache-2.0
"""Operators that are a pipeline of their own and take operands in every cycle: floating-point
operations, made of the C in `library/float/`, and macros, which users bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import llvmlite.binding as llvm

from tandem import policy
from tandem.compiler.clock_facts import (
    facts_of,
    shortest_clock_ps,
    split_for_clock,
    unclocked_facts,
)
from tandem.diagnostics import UserError
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.program import Program
from tandem.frontend.symbols import definition
from tandem.installation import data_file
from tandem.ir.builder import Builder
from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel, Macro
from tandem.ir.loops import natural_loops
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import MACRO_CORE, Divide, Op, Parameter
from tandem.languages.imported import import_c
from tandem.llvm.passes import Passes, run_passes
from tandem.passes.expand_division import divide_in_chain
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import substitute
from tandem.schedule.area import estimate_area
from tandem.schedule.control_registers import control_registers
from tandem.schedule.cores import Core
from tandem.schedule.delays import Target
from tandem.schedule.same_bits import made_bits
from tandem.schedule.scheduler import schedule_kernel

SOURCES = ("f32.c", "f64.c")

ENDLESS_PS = 10**12
"""A clock period in which any function is done."""
STRAIGHT = (
    "write it with loops of a known number of iterations, and arrays whose indices follow from them"
)
NO_FLOATS = "compute with integers, or leave that part to the function that calls it"

_made: dict[tuple[str, str, int], Core] = {}
"""(operation, target, clock period) -> its core: kernels share them."""


def with_cores(target: Target, clock_ps: int, macros: Mapping[str, Macro]) -> Target:
    """The target with a core for every operation that is asked for, made for a clock, and for
    macros. Raises UserError for a macro whose C has no fixed course."""
    own = {f"{MACRO_CORE}{name}": _macro(target, macro) for name, macro in macros.items()}
    return replace(target, cores=_Cores(target, clock_ps, own))


@dataclass(frozen=True, eq=False)
class _Cores:
    """`own`: those of macros, whose latency is given."""

    target: Target
    clock_ps: int
    own: Mapping[str, Core]

    def __call__(self, kind: str, /) -> Core:
        if kind in self.own:
            return self.own[kind]
        key = (kind, self.target.file, self.clock_ps)
        if key not in _made:
            _made[key] = _build(self.target, self.clock_ps, kind)
        return _made[key]

    @property
    def slower_ps(self) -> list[int]:
        shortest_ps, steps = shortest_clock_ps(self.target), range(1, 1 + policy.CLOCKS_OF_CORES)
        clocks = (round(shortest_ps * policy.NEXT_CLOCK_OF_CORES**step) for step in steps)
        return [ps for ps in clocks if ps > self.clock_ps]

    def at(self, clock_ps: int) -> _Cores:
        fit = [ps for ps in self.slower_ps if ps <= clock_ps]
        return replace(self, clock_ps=fit[-1]) if fit else self


def _build(target: Target, clock_ps: int, kind: str) -> Core:
    """The function of that name as a core. Its C is ours: it has no loops and no memory."""
    kernel = import_c(_alone(kind), kind).kernel
    run_pipeline(kernel, Options(facts=facts_of(target, clock_ps)))
    _take_parameters(kernel)
    split_for_clock(kernel, target, clock_ps)
    schedule = schedule_kernel(kernel, target, clock_ps, is_core=True)
    area = estimate_area(schedule)
    control = control_registers(schedule, made_bits(schedule))
    return Core(schedule, {**{n: area[n] for n in ("lut4", "dsp")}, "ff": area["ff"] - control})


def _macro(target: Target, macro: Macro) -> Core:
    """The C of a macro as a function of one cycle, however long that is."""
    kernel = clone(macro.body)
    for block in natural_loops(kernel):
        block.copies = 0
    try:
        run_pipeline(kernel, Options(facts=unclocked_facts(target)))
    except UserError as error:
        told = error.diagnostics[0]
        is_loop = told.code == "inner-loop"
        what = "its C has a loop of an unknown number of iterations" if is_loop else told.message
        raise macro.error(f"{what} ({told.place})", STRAIGHT) from error
    if len(kernel.blocks) != 1 or any(
        m.kind is not MemoryKind.ROM for m in kernel.memories.values()
    ):
        raise macro.error("its C has a loop or an array that stays one", STRAIGHT)
    if any(op.core for _, op in kernel.ops()):
        raise macro.error("its C computes with floating-point numbers", NO_FLOATS)
    _take_parameters(kernel)
    if any(isinstance(op, Divide) for _, op in kernel.ops()):
        rebuild(kernel, _in_one_cycle)
    schedule = schedule_kernel(kernel, target, ENDLESS_PS, is_core=True)
    assert schedule.blocks[kernel.entry].length == 1, f"`{macro.name}` takes one cycle"
    return Core(schedule, dict.fromkeys(("lut4", "ff", "dsp"), 0), macro)


def _in_one_cycle(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    """An operation again; of a divider, which takes a cycle a bit, its steps."""
    if isinstance(op, Divide):
        return divide_in_chain(builder, *operands)
    return remake(builder, op, operands)


def _alone(function: str) -> Program:
    """The C of one core: importing all the others with it takes several times as long."""
    library = _library()
    modules = zip(library.files, library.modules, strict=True)
    file, text = next(row for row in modules if definition(row[1], function) is not None)
    module = llvm.parse_assembly(text)
    for other in module.functions:
        if not other.is_declaration and other.name != function:
            other.linkage = "internal"
    run_passes(module, Passes.add_global_dead_code_eliminate_pass)
    return replace(library, main=file.path, files=(file,), modules=(str(module),))


@cache
def _library() -> Program:
    """The C of all cores, compiled once."""
    program = Program.of(*(data_file("library", f"float/{name}") for name in SOURCES))
    return replace(program, modules=tuple(map(to_llvm_ir, program.files)))


def _take_parameters(kernel: Kernel) -> None:
    """Makes the arguments parameters of the kernel's one block: what is different in every
    cycle."""
    assert len(kernel.blocks) == 1, f"`{kernel.name}` has branches or loops"
    given = [a for a in kernel.arguments if a.op is not None]
    values: dict[Op, Op] = {}
    for argument in given:
        assert argument.op is not None
        parameter = Parameter((), argument.width, name=argument.name)
        values[argument.op] = parameter
        kernel.entry.parameters.append(parameter)
    kernel.arguments = [a for a in kernel.arguments if a.is_result]
    substitute(kernel, values)
