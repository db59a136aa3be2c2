# SPDX-License-Identifier: Apache-2.0
"""unroll: loops with a known, small number of iterations become straight-line code.

Requires: simplify. A loop with a pipeline directive stays a loop; all loops inside it go, whatever
their size, since a pipelined loop has no loop in it.
"""

from __future__ import annotations

from collections.abc import Collection

from tandem.diagnostics import Place, UserError, user_error
from tandem.ir.kernel import Block, Kernel
from tandem.ir.loops import natural_loops
from tandem.passes.rebuild import rebuild
from tandem.passes.trips import constant_trips

SLUG = "unroll"
SUMMARY = "replace loops of few iterations by copies of their bodies"

TRIP_LIMIT = 64
COST_LIMIT = 512
"""Weighed operations that the copies of a loop may be: beyond that a loop is better a pipeline of
its own, which a memory's ports or a recurrence would make of its copies too."""
TRIP_LIMIT_IN_PIPELINE = 4096
# What an operation costs in copies: a multiplier is a DSP block, a memory access a port's cycle.
WEIGHTS = {
    "mul": 16,
    "udiv": 64,
    "urem": 64,
    "sdiv": 64,
    "srem": 64,
    "load": 4,
    "store": 4,
    "extract": 0,
    "concat": 0,
}


def run(
    kernel: Kernel, cost_limit: int | None = None, rolled: Collection[int] = frozenset()
) -> bool:
    """Unrolls every innermost loop that qualifies, once; whether there was any. `cost_limit`: in
    place of `COST_LIMIT`; loops at the lines `rolled` stay."""
    cost_limit = COST_LIMIT if cost_limit is None else cost_limit
    plan: dict[Block, int] = {}
    predecessors = kernel.predecessors()
    directed = _inside_directives(kernel)
    for block in kernel.blocks:
        if not block.is_loop or block.wanted_ii is not None:
            continue
        entries = [edge.arguments for source, edge in predecessors[block] if source is not block]
        inside = block in directed
        limit = TRIP_LIMIT_IN_PIPELINE if inside else TRIP_LIMIT
        trips = constant_trips(kernel, block, entries[0], limit) if len(entries) == 1 else None
        if trips is None:
            if inside:
                raise _not_unrollable(kernel, block)
            continue
        if inside or (trips * _cost(block) <= cost_limit and block.loop_line not in rolled):
            plan[block] = trips
            lines = kernel.unrolled.setdefault(block.loop_line, set())
            lines.update(op.line for op in block.ops)
    if plan:
        rebuild(kernel, repeat=plan)
    return bool(plan)


def _cost(block: Block) -> int:
    return sum(WEIGHTS.get(op.kind, 1) for op in block.ops)


def _inside_directives(kernel: Kernel) -> set[Block]:
    """Every block that lies inside a loop with a pipeline directive, but for its header."""
    inside: set[Block] = set()
    for header, body in natural_loops(kernel).items():
        if header.wanted_ii is not None:
            inside |= body - {header}
    return inside


def reaches(start: Block, goal: Block) -> bool:
    """Whether some path of at least one edge leads from `start` to `goal`."""
    seen: set[Block] = set()
    work = list(start.successors)
    while work:
        block = work.pop()
        if block is goal:
            return True
        if block not in seen:
            seen.add(block)
            work += block.successors
    return False


def _not_unrollable(kernel: Kernel, block: Block) -> UserError:
    return user_error(
        "inner-loop",
        "a loop inside a pipelined loop has no known number of iterations",
        Place(kernel.source, block.line),
        "give it constant bounds, or move the pipeline directive to this loop",
    )
