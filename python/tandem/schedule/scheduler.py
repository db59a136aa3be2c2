# SPDX-License-Identifier: Apache-2.0
"""When each operation of a kernel starts: every block on its own, loops as pipelines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tandem.diagnostics import Diagnostic, Infeasible, Place
from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.loops import natural_loops
from tandem.schedule.chaining import add_chaining
from tandem.schedule.constraints import (
    Node,
    Problem,
    accesses_of_sides,
    build_problem,
    carries_answers,
)
from tandem.schedule.delays import Target
from tandem.schedule.limits import Limits, recurrence, unit_limit
from tandem.schedule.registers import fewest_registers
from tandem.schedule.reservation import reserve
from tandem.schedule.starts import Starts, Unmeetable

II_LIMIT = 4096
TRIALS = 16
"""How often an `ii` is tried that is just above what one recurrence allows, before the least that
all of them allow is searched for."""


@dataclass
class BlockSchedule:
    """`start`: the cycle of each operation within an iteration. A loop parameter is read in
    `reads` and its next value written in `writes`. In `decide` it is known which block is next;
    `length` cycles after an iteration starts it is over. `ii` is 0 for a block that is no loop."""

    block: Block
    length: int
    start: dict[Op, int]
    decide: int
    ports: dict[Op, int] = field(default_factory=dict)
    """Which of a memory's equal ports serves an access."""
    ii: int = 0
    reads: dict[Op, int] = field(default_factory=dict)
    writes: dict[Op, int] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits())
    """What stands in the way of a smaller ii."""

    def passes_on(self, parameter: Op) -> bool:
        """Whether an iteration reads a loop parameter in the cycle in which the one before it
        writes it."""
        return self.ii > 0 and self.writes[parameter] - self.ii == self.reads[parameter]


@dataclass
class KernelSchedule:
    """The schedule of a kernel for a clock period."""

    kernel: Kernel
    target: Target
    clock_ps: int
    blocks: dict[Block, BlockSchedule] = field(default_factory=dict)

    @property
    def pipeline(self) -> BlockSchedule | None:
        """The kernel's one loop, if it has just one and that is a pipeline. Of any other kernel no
        single `ii` and latency would tell the truth."""
        loops = list(natural_loops(self.kernel))
        if len(loops) != 1 or not self.blocks[loops[0]].ii:
            return None
        return self.blocks[loops[0]]

    @property
    def ii(self) -> int | None:
        """Initiation interval of a kernel that is one pipeline."""
        return self.pipeline.ii if self.pipeline else None

    @property
    def latency_cycles(self) -> int | None:
        """Cycles from the start of an iteration of that pipeline to its last effect."""
        return self.pipeline.length if self.pipeline else None


def slowest_operation(kernel: Kernel, target: Target) -> Op | None:
    """The operation with the longest delay."""
    ops = [op for _, op in kernel.ops()]
    return max(ops, key=target.delay_ps, default=None)


def fastest_clock_ps(kernel: Kernel, target: Target) -> int:
    """The shortest clock period in which every single operation fits."""
    slowest = slowest_operation(kernel, target)
    return target.clock_for_ps(target.delay_ps(slowest) if slowest else 0)


def schedule_kernel(kernel: Kernel, target: Target, clock_ps: int) -> KernelSchedule:
    """Schedules every block. Raises Infeasible when an operation does not fit the clock period,
    or a directive's `ii` cannot be had."""
    _check_clock(kernel, target, clock_ps)
    result = KernelSchedule(kernel, target, clock_ps)
    sharing = accesses_of_sides(kernel)

    def problem_of(block: Block, passes_on: bool = False) -> Problem:
        problem = build_problem(kernel, block, target, sharing, passes_on)
        add_chaining(problem, target.budget_ps(clock_ps), target.shared_register_ps)
        return problem

    for block in kernel.blocks:
        result.blocks[block] = _schedule_block(kernel, block, problem_of)
    return result


def _check_clock(kernel: Kernel, target: Target, clock_ps: int) -> None:
    least = fastest_clock_ps(kernel, target)
    slowest = slowest_operation(kernel, target)
    if clock_ps < least and slowest is not None:
        raise Infeasible(
            Diagnostic(
                "clock",
                f"a clock of {clock_ps / 1000:g} ns is too short for `{slowest.kind}` of "
                f"{slowest.operands[0].width} bits on {target.name}",
                Place(kernel.source, slowest.line),
                f"use --clock-ns {-(-least // 100) / 10:g} or more, or narrower integers",
            )
        )


def _schedule_block(
    kernel: Kernel, block: Block, problem_of: Callable[..., Problem]
) -> BlockSchedule:
    problem = problem_of(block)
    if not problem.is_loop:
        starts = Starts(problem, 0)
        ports = reserve(problem, starts, 0).port
        start = fewest_registers(problem, 0, starts.all())
        return _collect(problem, start, ports, Limits())
    if not carries_answers(problem):
        return _pipelined(kernel, problem)
    other = problem_of(block, passes_on=True)
    try:
        found = _pipelined(kernel, problem)
    except Infeasible:  # a directive's `ii`, which the other may reach
        return _pipelined(kernel, other)
    better = found if found.ii == 1 else _pipelined(kernel, other)
    return better if better.ii < found.ii else found


def _pipelined(kernel: Kernel, problem: Problem) -> BlockSchedule:
    """The least `ii` from what the units allow on, with what stood in the way of a smaller one."""
    limits = Limits(unit_limit(problem))
    wanted = problem.block.wanted_ii or 0
    ii = limits.res_mii
    while ii < II_LIMIT:
        try:
            starts = Starts(problem, ii)
            ports = reserve(problem, starts, ii).port
        except Unmeetable as error:
            limits.add(recurrence(problem, error.cycle, ii))
            ii = max(ii + 1, limits.rec_mii)
            if len(limits.recurrences) % TRIALS == 0:
                ii = _least_met(problem, ii, limits)
            continue
        if wanted and ii > wanted:
            raise _unreachable(kernel, problem.block, wanted, ii, limits)
        start = fewest_registers(problem, ii, starts.all())
        return _collect(problem, start, ports, limits, ii)
    text = f"no ii below {II_LIMIT} works: {limits.sentence()}"
    raise Infeasible(Diagnostic("ii", text, Place(kernel.source, problem.block.line)))


def _least_met(problem: Problem, least: int, limits: Limits) -> int:
    """The least `ii`, from one on, that the constraints allow, ports aside. What stands in the way
    of a smaller one is the last of the limits then."""

    def fails(ii: int) -> bool:
        try:
            Starts(problem, ii)
        except Unmeetable as error:
            limits.add(recurrence(problem, error.cycle, ii))
            return True
        return False

    below, above = least - 1, least
    while above < II_LIMIT and fails(above):
        below, above = above, min(II_LIMIT, 2 * above)
    while above - below > 1:
        middle = (below + above) // 2
        if fails(middle):
            below = middle
        else:
            above = middle
    return above


def _unreachable(
    kernel: Kernel, block: Block, wanted: int, possible: int, limits: Limits
) -> Infeasible:
    return Infeasible(
        Diagnostic(
            "ii",
            f"ii={wanted} is unreachable: {limits.sentence()}",
            Place(kernel.source, block.line),
            f"use `#pragma tandem pipeline ii({possible})`, or {limits.cure()}",
        )
    )


def _collect(
    problem: Problem, start: dict[Node, int], ports: dict[Node, int], limits: Limits, ii: int = 0
) -> BlockSchedule:
    ops = {n.op: start[n] for n in problem.nodes if n.kind == "op" and n.op is not None}
    reads = {p: start[problem.node_of[p]] for p in problem.block.parameters if problem.is_loop}
    writes = {p: start[node] for p, node in problem.writes.items()}
    return BlockSchedule(
        problem.block,
        start[problem.end] + 1,
        ops,
        start[problem.decide],
        {node.op: port for node, port in ports.items() if node.op is not None},
        ii,
        reads,
        writes,
        limits,
    )
