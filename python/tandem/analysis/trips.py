# SPDX-License-Identifier: Apache-2.0
"""How often a loop runs: from constants alone, by trying, or from what is known on entry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice

from tandem.analysis.affine import AffineLoop
from tandem.analysis.exhaustive import numbers_of
from tandem.analysis.linear import Linear, Ranges, taken_apart
from tandem.analysis.ranges import ranges_of
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    OPPOSITE,
    Add,
    And,
    Compare,
    Constant,
    Equality,
    Ne,
    Op,
    Or,
    Parameter,
    Select,
    Sub,
    Xor,
    constant,
    is_computable,
    mask,
    signed,
)
from tandem.ir.wiring import bits_of, extended_from, leading_zeros

MOST_ROUNDS = 1 << 15
"""What counts so far counts to what only a call tells, and some type of C holds."""
AROUND_BITS = 32
"""A counter of so many bits or more is not expected to go once around all of its numbers: 0, which
then stands for their number, is not told apart from it by all who read a count."""


def constant_trips(kernel: Kernel, block: Block, initial: list[Op], limit: int) -> int | None:
    """How often a loop of one block runs if that is the same number in every call, and no more than
    `limit`: its bounds may move, if they move together."""
    known = known_trips(block, initial, limit)
    if known is not None:
        return known
    builder = Builder(kernel, Block("count"))  # what is made there is no part of the kernel
    trips = trip_count(builder, AffineLoop(block, list(initial)), block, block)
    if trips is None or not isinstance(trips, Constant) or not 0 < trips.value <= limit:
        return None
    return trips.value


def known_rounds(
    before: list[tuple[Block, Edge]], header: Block, body: set[Block], ranges: Ranges
) -> int:
    """How often a loop of several blocks runs once it is entered, by what counts in it from a
    number on; 0 where nothing does, or that is as many as a type of C has numbers. `before`: the
    edges to its header, with where they come from."""
    entries = [edge for block, edge in before if block not in body]
    if len(entries) != 1 or len(before) != 2:
        return 0
    loop = AffineLoop(header, list(entries[0].arguments), body)
    counts = []
    for parameter, step in loop.increments.items():
        start, found = loop.initial[parameter], ranges.get(parameter)
        if step and found and start is not None and isinstance(start, Constant):
            least, most = found
            pace = abs(signed(step & mask(parameter.width), parameter.width))
            counts.append((most - least) // pace + 1)
    return min((count for count in counts if count < MOST_ROUNDS), default=0)


def usual_rounds(
    kernel: Kernel, before: list[tuple[Block, Edge]], header: Block, body: set[Block]
) -> int:
    """The same, or how often it is known or noted to run; 0 where nothing of it is known."""
    noted = header.known_trips or header.rounds
    return noted or known_rounds(before, header, body, ranges_of(kernel))


def most_trips(kernel: Kernel, block: Block, initial: list[Op], limit: int) -> int | None:
    """How often a loop runs at most, where one of several conditions to stay depends on constants,
    or on bits that are shifted out; None where none does, or that is more than `limit`."""
    assert block.end.condition is not None
    builder = Builder(kernel, Block("count"))  # what is made there is no part of the kernel
    bounds = [
        bound(condition, value)
        for condition, value in _to_stay(block.end.condition, block.stays_when)
        for bound in (
            partial(_trips_of, block, initial, limit),
            partial(_trips_of_bits, builder, block, initial, limit),
        )
    ]
    return min((trips for trips in bounds if trips is not None), default=None)


def _to_stay(condition: Op, value: int) -> list[tuple[Op, int]]:
    """Conditions, and the value of each, that must all hold for a condition to have a value."""
    if isinstance(condition, And if value else Or):
        return [pair for operand in condition.operands for pair in _to_stay(operand, value)]
    if isinstance(condition, Xor) and isinstance(condition.operands[1], Constant):
        return _to_stay(condition.operands[0], value ^ condition.operands[1].value)
    return [(condition, value)]


def known_trips(block: Block, initial: list[Op], limit: int) -> int | None:
    """How often the loop body runs when its exit depends on constants only; None if it does not,
    or runs more than `limit` times."""
    assert block.end.condition is not None
    return _trips_of(block, initial, limit, block.end.condition, block.stays_when)


def decided_by_constants(block: Block, initial: list[Op], values: list[Op]) -> bool:
    """Whether values are numbers known for every iteration."""
    known = known_in_copies(block, initial)
    return all(isinstance(value, Constant) or value in known for value in values)


def known_in_copies(block: Block, initial: list[Op]) -> set[Op]:
    """Operations of a loop that are numbers in each of its copies: what counts from a number on,
    and what is made of that."""
    following = block.back_edge.given
    starts = zip(block.parameters, initial, strict=True)
    counters = {p for p, start in starts if isinstance(start, Constant)}
    while True:
        known = set(counters)
        for op in block.ops:
            if is_computable(op) and all(
                o in known or isinstance(o, Constant) for o in op.operands
            ):
                known.add(op)
        left = {p for p in counters if following[p] in known or isinstance(following[p], Constant)}
        if left == counters:
            return known
        counters = left


def _trips_of(
    block: Block, initial: list[Op], limit: int, condition: Op, stays_when: int
) -> int | None:
    """How often a loop runs that stays while a condition has a value."""
    needed = _slice(block, condition)
    if needed is None:
        return None
    values: dict[Op, int] = {}
    for parameter, start in zip(block.parameters, initial, strict=True):
        if parameter in needed:
            if not isinstance(start, Constant):
                return None
            values[parameter] = start.value
    order = [op for op in block.ops if op in needed]
    course = numbers_of(values, block.back_edge.given, order, (condition, stays_when))
    trips = sum(1 for _ in islice(course, limit + 1))
    return trips if trips <= limit else None


def _trips_of_bits(
    builder: Builder, block: Block, initial: list[Op], limit: int, condition: Op, stays_when: int
) -> int | None:
    """How often a loop runs at most that stays while a condition has a value, where each iteration
    knows more bits of what decides about it than the one before: `while (x) ... x >>= 1`."""
    needed = _slice(block, condition, with_fixed=True)
    if needed is None:
        return None
    values = dict(zip(block.parameters, initial, strict=True))
    known = -1
    for trip in range(1, limit + 1):
        before, known = known, sum(_known_bits(values[p]) for p in block.parameters if p in needed)
        if known <= before:
            return None
        for op in block.ops:
            if op in needed:
                operands = [values.get(o, o) for o in op.operands]
                values[op] = builder.build(type(op), operands, op.width, **op.attributes)
        (decides,) = bits_of(values.get(condition, condition))
        if decides == 1 - stays_when:
            return trip
        following = zip(block.parameters, block.back_edge.arguments, strict=True)
        values = {p: values.get(a, a) for p, a in following}
    return None


def _known_bits(value: Op) -> int:
    return sum(type(bit) is int for bit in bits_of(value))


def _slice(block: Block, value: Op, with_fixed: bool = False) -> set[Op] | None:
    """The values of a loop that decide about one in each iteration; None if memory or, but for
    `with_fixed`, a value from outside is among them."""
    own = set(block.ops) | set(block.parameters)
    following = block.back_edge.given
    needed: set[Op] = set()
    work = [value]
    while work:
        op = work.pop()
        if op in needed or isinstance(op, Constant) or (with_fixed and op not in own):
            continue
        if op not in own or not (isinstance(op, Parameter) or is_computable(op)):
            return None
        needed.add(op)
        work += op.operands
        if op in following:
            work.append(following[op])
    return needed


def trip_count(builder: Builder, loop: AffineLoop, latch: Block, header: Block) -> Op | None:
    """How often a loop runs whose only way out is at its latch, made with `builder`; None if that
    is not known on entry."""
    return trips_while(builder, loop, *exit_test(latch, header))


def trips_while(builder: Builder, loop: AffineLoop, condition: Op, stay: bool) -> Op | None:
    """How often a loop runs that stays while the condition, tested behind its body, is `stay`."""
    if not isinstance(condition, Compare):
        return None
    forms = [loop.form(o) for o in condition.operands]
    if isinstance(condition, Equality) and None in forms:
        forms = _narrower(loop, condition.operands, forms)
    if forms[0] is None or forms[1] is None:
        return None
    left, right = forms[0].centred(), forms[1].centred()
    if left.step and right.step:
        return None
    if isinstance(condition, Equality):
        if stay != (isinstance(condition, Ne)):
            return None
        return _until_equal(builder, left if left.step else right, right if left.step else left)
    if stay:
        return _until_beyond(builder, type(condition), left, right)
    return _until_beyond(builder, OPPOSITE[type(condition)], right, left)


def _narrower(
    loop: AffineLoop, compared: Sequence[Op], forms: list[Linear | None]
) -> list[Linear | None]:
    """Forms of what is compared in the bits of a counter that has zeros above it. A loop that waits
    for it to be equal to more than it has bits for would have no end, and no way out but this."""
    for op, form, other in zip(compared, forms, reversed(forms), strict=True):
        counter = extended_from(bits_of(op))
        if form is not None or other is None or counter is None or leading_zeros(bits_of(op)) == 0:
            continue
        is_whole = other.terms or other.centred().constant in range(1 << counter.width)
        counting = loop.form(counter)
        if counting is not None and counting.step and not other.step and is_whole:
            return [counting, Linear(counter.width).plus(other)]
    return forms


def exit_test(latch: Block, header: Block) -> tuple[Op, bool]:
    """What decides whether a loop is left at its latch, mostly a comparison, and whether it stays
    while that holds."""
    condition = latch.end.condition
    assert condition is not None
    stay = latch.end.edges[0].block is header
    if isinstance(condition, Xor) and isinstance(condition.operands[-1], Constant):
        return condition.operands[0], not stay
    return condition, stay


def _until_equal(builder: Builder, moving: Linear, fixed: Linear) -> Op | None:
    """The exit test of iteration t compares start + t * step with `fixed`."""
    step = moving.step
    if abs(step) & (abs(step) - 1) or step == 0:
        return None
    start = moving.after(0)
    distance = fixed.plus(start, -1) if step > 0 else start.plus(fixed, -1)
    gap = taken_apart(distance).value(builder)
    shift = abs(step).bit_length() - 1
    turns = builder.extract(gap, shift, gap.width - shift)
    # From a number once around to the same one it takes as many turns as there are numbers.
    if turns.width < AROUND_BITS:
        turns = builder.resize(turns, turns.width + 1)
    return builder.plus(turns, 1)


def _until_beyond(builder: Builder, kind: type[Compare], left: Linear, right: Linear) -> Op | None:
    """The loop stays while left < right (or <=), and every turn brings them closer: it stays
    ceil(gap / step) times (or floor + 1), and then ends with one more turn."""
    step = left.step - right.step
    if step <= 0 or step & (step - 1):
        return None
    width = left.width
    first = left.after(0).value(builder)
    limit = right.after(0).value(builder)
    gap = builder.resize(builder.build(Sub, [limit, first], width), width + 1)
    shift = step.bit_length() - 1
    # gap + step - 1 for <, gap + step for <=, both then shifted: ceil, and floor + 1.
    reach = constant(step - (not kind.holds_of_equals), width + 1)
    rounded = builder.build(Add, [gap, reach], width + 1)
    turns = builder.extract(rounded, shift, width + 1 - shift)
    enters = builder.compare(kind, first, limit)
    stays = builder.build(Select, [enters, turns, constant(0, turns.width)], turns.width)
    return builder.plus(stays, 1)
