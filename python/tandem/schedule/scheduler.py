# SPDX-License-Identifier: Apache-2.0
"""When each operation of a kernel starts: every block on its own, loops as pipelines."""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.diagnostics import Diagnostic, Infeasible, Place
from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.loops import natural_loops
from tandem.schedule.constraints import Constraint, Node, Problem, build_problem
from tandem.schedule.delays import Target
from tandem.schedule.solver import add_chaining, earliest, fewest_registers

II_LIMIT = 4096


@dataclass
class BlockSchedule:
    """`start`: the cycle of each operation within an iteration. A loop parameter is read in
    `reads` and its next value written in `writes`. The next block is chosen in `decide`;
    `length` cycles after an iteration starts it is over. `ii` is 0 for a block that is no loop."""

    block: Block
    length: int
    start: dict[Op, int]
    decide: int
    ii: int = 0
    res_mii: int = 1
    rec_mii: int = 1
    reads: dict[Op, int] = field(default_factory=dict)
    writes: dict[Op, int] = field(default_factory=dict)
    limit: str = ""
    """What stands in the way of a smaller ii, in a sentence."""


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
    for block in kernel.blocks:
        result.blocks[block] = _schedule_block(kernel, block, target, clock_ps)
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


def _schedule_block(kernel: Kernel, block: Block, target: Target, clock_ps: int) -> BlockSchedule:
    problem = build_problem(kernel, block, target)
    add_chaining(problem, target.budget_ps(clock_ps), target.shared_register_ps)
    wanted = block.wanted_ii or 0
    first = max(problem.res_mii, 1) if problem.is_loop else 1
    limit, rec_mii, ii = "", 1, first
    while ii < II_LIMIT:
        found = earliest(problem, ii)
        if isinstance(found, dict):
            if wanted and ii > wanted:
                raise _unreachable(kernel, block, wanted, ii, limit or _ports(problem))
            start = fewest_registers(problem, ii, found) if problem.is_loop else found
            return _collect(problem, start, ii, limit or _ports(problem), rec_mii)
        limit = _explain(found, ii)
        ii = rec_mii = max(ii + 1, _least_ii(found))
    text = f"no ii below {II_LIMIT} works{limit and ': '}{limit}"
    raise Infeasible(Diagnostic("ii", text, Place(kernel.source, block.line)))


def _least_ii(cycle: list[Constraint]) -> int:
    """The least ii that meets the constraints of a cycle."""
    distance = sum(c.per_ii for c in cycle)
    return -(-sum(c.cycles for c in cycle) // distance) if distance else 0


def _ports(problem: Problem) -> str:
    if problem.res_mii == 1:
        return ""
    return f"{problem.res_mii} accesses an iteration: {problem.busiest_port}"


def _explain(cycle: list[Constraint], ii: int) -> str:
    """The recurrence that a cycle of constraints stands for; empty where it is none."""
    lines = sorted({n.line for c in cycle for n in (c.before, c.after) if n.line})
    whys = list(dict.fromkeys(c.why for c in cycle if c.why))
    total = sum(c.cycles for c in cycle)
    distance = sum(c.per_ii for c in cycle)
    if distance < 1 or total <= distance * ii or not whys:
        return ""
    where = f" (line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))})" if lines else ""
    return (
        f"ii={ii} is unreachable: a recurrence takes {total} cycles over {distance} "
        f"iteration{'s' if distance > 1 else ''}{where}; {'; '.join(whys)}"
    )


def _unreachable(
    kernel: Kernel, block: Block, wanted: int, possible: int, limit: str
) -> Infeasible:
    return Infeasible(
        Diagnostic(
            "ii",
            f"ii={wanted} is unreachable{limit and ': '}{limit.split(': ', 1)[-1]}",
            Place(kernel.source, block.line),
            f"use `#pragma tandem pipeline ii({possible})`, or shorten the recurrence",
        )
    )


def _collect(
    problem: Problem, start: dict[Node, int], ii: int, limit: str, rec_mii: int
) -> BlockSchedule:
    ops = {n.op: start[n] for n in problem.nodes if n.kind == "op" and n.op is not None}
    reads = {p: start[problem.node_of[p]] for p in problem.block.parameters if problem.is_loop}
    writes = {p: start[node] for p, node in problem.writes.items()}
    return BlockSchedule(
        problem.block,
        start[problem.end] + 1,
        ops,
        start[problem.decide],
        ii if problem.is_loop else 0,
        problem.res_mii,
        rec_mii,
        reads,
        writes,
        limit,
    )
