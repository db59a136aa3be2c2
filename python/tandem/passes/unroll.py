# SPDX-License-Identifier: Apache-2.0
"""unroll: loops with a known, small number of iterations become straight-line code.

Requires: simplify. A loop with a pipeline directive stays a loop; all loops inside it go, whatever
their size, since a pipelined loop has no loop in it.
"""

from __future__ import annotations

from tandem.diagnostics import Place, UserError, user_error
from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.loops import natural_loops
from tandem.ir.operations import OPERATIONS, mask
from tandem.passes.rebuild import rebuild

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


def run(kernel: Kernel) -> bool:
    """Unrolls every innermost loop that qualifies, once; whether there was any."""
    plan: dict[Block, int] = {}
    predecessors = kernel.predecessors()
    directed = _inside_directives(kernel)
    for block in kernel.blocks:
        if not block.is_loop or block.wanted_ii is not None:
            continue
        entries = [edge.arguments for source, edge in predecessors[block] if source is not block]
        inside = block in directed
        limit = TRIP_LIMIT_IN_PIPELINE if inside else TRIP_LIMIT
        trips = known_trips(block, entries[0], limit) if len(entries) == 1 else None
        if trips is None:
            if inside:
                raise _not_unrollable(kernel, block)
            continue
        if inside or trips * _cost(block) <= COST_LIMIT:
            plan[block] = trips
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


def known_trips(block: Block, initial: list[Op], limit: int) -> int | None:
    """How often the loop body runs when its exit depends on constants only; None if it does not,
    or runs more than `limit` times."""
    needed = _exit_slice(block)
    if needed is None:
        return None
    values: dict[Op, int] = {}
    for parameter, start in zip(block.parameters, initial, strict=True):
        if parameter in needed:
            if start.kind != "constant":
                return None
            values[parameter] = start.value
    stays_when = int(block.end.edges[0].block is block)
    for trip in range(1, limit + 1):
        _evaluate(block, needed, values)
        assert block.end.condition is not None
        if _number(values, block.end.condition) != stays_when:
            return trip
        _advance(block, needed, values)
    return None


def _exit_slice(block: Block) -> set[Op] | None:
    """The values that decide when the loop ends; None if memory or a live-in is among them."""
    own = set(block.ops) | set(block.parameters)
    following = dict(zip(block.parameters, block.back_edge.arguments, strict=True))
    assert block.end.condition is not None
    needed: set[Op] = set()
    work = [block.end.condition]
    while work:
        op = work.pop()
        if op in needed or op.kind == "constant":
            continue
        if op not in own or not (op.kind == "parameter" or _computable(op)):
            return None
        needed.add(op)
        work += op.operands
        if op in following:
            work.append(following[op])
    return needed


def _computable(op: Op) -> bool:
    return OPERATIONS[op.kind].evaluate is not None or op.kind == "extract"


def _number(values: dict[Op, int], op: Op) -> int:
    return op.value if op.kind == "constant" else values[op]


def _evaluate(block: Block, needed: set[Op], values: dict[Op, int]) -> None:
    for op in block.ops:
        if op in needed:
            inputs = [_number(values, o) for o in op.operands]
            evaluate = OPERATIONS[op.kind].evaluate
            if evaluate is None:
                result = inputs[0] >> op.attributes["low"]
            else:
                result = evaluate(inputs, [o.width for o in op.operands], op.width)
            values[op] = result & mask(op.width)


def _advance(block: Block, needed: set[Op], values: dict[Op, int]) -> None:
    pairs = zip(block.parameters, block.back_edge.arguments, strict=True)
    following = {p: _number(values, a) for p, a in pairs if p in needed}
    values.update(following)
