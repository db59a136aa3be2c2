# SPDX-License-Identifier: Apache-2.0
"""unroll: loops with a known, small number of iterations become straight-line code.

Requires: simplify. A loop with a pipeline directive stays a loop; all loops inside it go, whatever
their size, since a pipelined loop has no loop in it. A loop with a directive for several copies an
iteration gets them (`passes.unroll_by`); loops inside it go as well.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tandem import policy
from tandem.analysis.trips import constant_trips, decided_by_constants, known_in_copies, most_trips
from tandem.diagnostics import UserError, user_error
from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.loops import natural_loops, reaches
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Access, And, Constant, Division, Mul, Op, Shift, StreamOp
from tandem.passes.count_loops import COUNTER_BITS
from tandem.passes.peel import peel
from tandem.passes.rebuild import rebuild
from tandem.passes.shape import Shape
from tandem.passes.unroll_by import unroll_by

SLUG = "unroll"
SUMMARY = "replace loops of few iterations by copies of their bodies"

DEFAULT = Shape()
COSTLY = (Division, Mul)
"""Operations that a loop has for the sake of one that the copies do without. Others that are known
in copies are few beside what the limit on these was found on; but of those of a loop that may be
left early, and of what picks bits there, they are most."""

# What an operation costs in copies: a multiplier is a DSP block, a memory access a port's cycle.


def run(kernel: Kernel, shape: Shape = DEFAULT, counter_bits: int = COUNTER_BITS) -> bool:
    """Unrolls every innermost loop that qualifies, once; whether there was any. `shape`: which stay
    and which do not, whatever their copies would be. `counter_bits`: see `count_loops`."""
    found: dict[Block, _Copies] = {}
    several: list[Block] = []
    predecessors = kernel.predecessors()
    directed = _inside_directives(kernel)
    for block in kernel.blocks:
        if not block.is_loop or _stays(kernel, block, block in directed):
            continue
        if any(
            isinstance(op, StreamOp) for op in block.ops
        ):  # a block takes one record of a stream
            continue
        entries = [edge.arguments for source, edge in predecessors[block] if source is not block]
        inside = block in directed or block.is_to_be_copied
        copies = _copies(kernel, block, entries[0], inside) if len(entries) == 1 else None
        if block.copies and (copies is None or copies.trips > block.copies):
            several.append(block)
            continue
        if copies is None and inside:
            raise _not_unrollable(kernel, block, block in directed)
        if copies is None or not (inside or _is_worth_copies(kernel, block.loop, copies, shape)):
            continue
        found[block] = copies
        if not inside:  # nobody may try it as a loop
            lines = kernel.unrolled.setdefault(block.loop, set())
            lines.update(op.line for op in block.ops)
    for block in several:
        unroll_by(kernel, block, counter_bits)
    for block, copies in found.items():
        if copies.may_leave:
            peel(kernel, block, copies.trips)
    whole = {block: copies.trips for block, copies in found.items() if not copies.may_leave}
    if whole:
        rebuild(kernel, repeat=whole)
    return bool(found or several)


def _is_worth_copies(kernel: Kernel, loop: LoopId, copies: _Copies, shape: Shape) -> bool:
    """Whether copies of a loop are few operations, or wanted even so; notes in the kernel where
    that is all that is missing."""
    limit = policy.COPIED_OPERATIONS if shape.unroll_limit is None else shape.unroll_limit
    most = min(limit * policy.COPIED_ON_TRIAL, policy.COPIED_OPERATIONS_FOR_TIME)
    is_possible = loop not in shape.rolled and copies.are_within(max(limit, most))
    is_taken = is_possible and (copies.are_within(limit) or loop in shape.copied)
    kernel.copyable.pop(loop, None)
    if is_possible and not is_taken:
        kernel.copyable[loop] = copies.trips
    return is_taken


def _stays(kernel: Kernel, block: Block, inside: bool) -> bool:
    """Whether a directive wants a loop to be one. Raises UserError where another directive wants
    the loop around it to have none in it."""
    stays = block.copies == 1 or (block.wanted_ii is not None and not block.is_to_be_copied)
    if inside and (stays or block.copies):
        raise user_error(
            "inner-loop",
            "a directive wants a loop to stay one, and another one the loop around it unrolled or "
            "a pipeline",
            kernel.place(block.line),
            "leave one of them out: what is in a pipelined loop is unrolled",
        )
    return stays


@dataclass(frozen=True)
class _Copies:
    """As many copies as a loop has iterations, what they cost, and whether each may be the last."""

    trips: int
    cost: int
    may_leave: bool = False

    def are_within(self, cost_limit: int) -> bool:
        return self.cost <= (
            min(policy.COPIED_OPERATIONS_OF_EXITS, cost_limit) if self.may_leave else cost_limit
        )


def _copies(kernel: Kernel, block: Block, initial: list[Op], inside: bool) -> _Copies | None:
    limit = policy.COPIED_TRIPS_IN_PIPELINE if inside else policy.COPIED_TRIPS
    trips = constant_trips(kernel, block, initial, limit)
    if trips is not None:
        return _Copies(trips, trips * _cost(kernel, block, initial))
    trips = _most_trips(kernel, block, initial, limit)
    if trips is None:
        return None
    return _Copies(trips, trips * _cost(kernel, block, initial, may_leave=True), may_leave=True)


def _most_trips(kernel: Kernel, block: Block, initial: list[Op], limit: int) -> int | None:
    """How often a loop runs at most that may be left early, where it is known what its copies
    access: they do so whether the loop was left or not, and a port would serve them in turn."""
    accesses = [op for op in block.ops if isinstance(op, Access)]
    outside = any(op.memory.kind is not MemoryKind.RAM for op in accesses)
    indices = [op.index for op in accesses]
    if outside or not decided_by_constants(block, initial, indices):
        return None
    return most_trips(kernel, block, initial, limit)


def _cost(kernel: Kernel, block: Block, initial: list[Op], *, may_leave: bool = False) -> int:
    """Of one copy. Products and quotients of what is a number in each copy cost nothing, and of a
    loop that may be left early all that is wiring then; and a local array of which each copy
    reaches places of its own may become values, for which no copy waits: unless it does so for a
    port, and there is no loop around that becomes a pipeline."""
    weights, numbers = policy.OPERATION_WEIGHTS, known_in_copies(block, initial)
    accesses = [op for op in block.ops if isinstance(op, Access)]
    values = {op for op in accesses if _is_value(kernel, op, numbers)}
    if len(values) < len(accesses) and not _is_nested(block):
        values.clear()
    return sum(
        weights.get(op.slug, 1)
        for op in block.ops
        if op not in values and not _is_free(op, numbers, may_leave)
    )


def _is_free(op: Op, numbers: Collection[Op], may_leave: bool) -> bool:
    if may_leave:
        return op in numbers or _is_wiring(op, numbers)
    return op in numbers and isinstance(op, COSTLY)


def _is_wiring(op: Op, numbers: Collection[Op]) -> bool:
    """Whether bits of a value are picked at a place that is a number in each copy."""
    places = op.operands[1:] if isinstance(op, Shift) else op.operands
    return isinstance(op, (And, Shift)) and any(o in numbers for o in places)


def _is_value(kernel: Kernel, access: Op, numbers: Collection[Op]) -> bool:
    """Whether an access is to a place of a local array that is known in each copy."""
    is_known = isinstance(access.index, Constant) or access.index in numbers
    return is_known and access.memory.kind is MemoryKind.RAM


def _is_nested(block: Block) -> bool:
    """Whether a loop of one block is in another one."""
    return any(reaches(after, block) for after in block.successors if after is not block)


def _inside_directives(kernel: Kernel) -> set[Block]:
    """Every block that lies inside a loop that directives want to be a pipeline or copied, but for
    its header."""
    inside: set[Block] = set()
    for header, body in natural_loops(kernel).items():
        if header.is_to_be_pipeline or header.is_to_be_copied:
            calling = next((block for block in body if block.calls), None)
            if calling is not None:
                raise _calls(kernel, header, calling)
            inside |= body - {header}
    return inside


def _calls(kernel: Kernel, header: Block, block: Block) -> UserError:
    wanted = "a pipeline" if header.is_to_be_pipeline else "unrolled"
    return user_error(
        "call-in-pipeline",
        f"a loop that is to be {wanted} calls `{block.end.callee}`, which is kept apart",
        kernel.place(block.end.line),
        f"take `inline off` or `noinline` from `{block.end.callee}`, or the directive from the "
        "loop",
    )


def _not_unrollable(kernel: Kernel, block: Block, inside: bool) -> UserError:
    other = (
        "move the directive: what is in a pipelined loop is unrolled"
        if inside
        else "say how many copies an iteration is with `unroll(N)`"
    )
    return user_error(
        "inner-loop",
        "a loop that a directive wants unrolled has no known number of iterations",
        kernel.place(block.line),
        f"give it constant bounds, or {other}",
    )
