# SPDX-License-Identifier: Apache-2.0
"""count-loops: a loop whose number of iterations is known on entry counts down to its end.

Whether another iteration follows is then a register, known at the start of an iteration, and an
iteration can start every cycle however wide the C's own counter is.
"""

from __future__ import annotations

from tandem.analysis.affine import AffineLoop
from tandem.analysis.ranges import ranges_of
from tandem.analysis.trips import known_trips, trip_count
from tandem.ir import wiring
from tandem.ir.blocks import Block, Branch, Edge
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import And, Compare, Eq, Equality, Ne, Op, Or, Parameter, Sub, constant, mask

SLUG = "count-loops"
SUMMARY = "turn loop exits into a counter computed before the loop"

KNOWN_TRIP_LIMIT = 1 << 16
COUNTER_BITS = 24
"""Counters of that many bits are made in one piece whatever the clock: an adder of this size is
faster than most of a kernel."""

LEAST_COUNTER_BITS = 2
"""The counter is compared with 2."""


def run(kernel: Kernel, counter_bits: int = COUNTER_BITS) -> None:
    """Rewrites every loop whose count it can compute. A count of more than `counter_bits` bits is
    kept in digits of that many."""
    for block in list(kernel.blocks):
        if block.is_loop and block.trip_count is None:
            _count(kernel, block, counter_bits)


def _count(kernel: Kernel, block: Block, counter_bits: int) -> None:
    entries = [(b, e) for b, e in kernel.predecessors()[block] if b is not block]
    if len(entries) != 1:
        return
    source, edge = entries[0]
    builder = Builder(kernel, source, block.line)
    trips = trips_on_entry(builder, block, edge)
    if trips is None and _compare_less(kernel, block):
        trips = trips_on_entry(builder, block, edge)
    if trips is not None:
        count_down(builder, block, edge, trips, counter_bits)


def _compare_less(kernel: Kernel, block: Block) -> bool:
    """Has a loop whose counter is extended to be compared with a number compare no more bits than
    the counter has, where the number is known to be no longer; whether it does."""
    test = block.end.condition
    if test is None or not isinstance(test, Equality):
        return False
    for counter, other in (test.operands, test.operands[::-1]):
        short = wiring.extended_from(wiring.bits_of(counter))
        if short is None or short is counter or not wiring.is_zero(wiring.bits_of(counter)[-1]):
            continue
        _, most = ranges_of(kernel).get(other, (0, mask(other.width)))
        if most <= mask(short.width):
            at_end = Builder(kernel, block)
            low = at_end.extract(other, 0, short.width)
            block.end.condition = at_end.compare(type(test), short, low)
            return True
    return False


def counts(kernel: Kernel, block: Block) -> bool:
    """Whether the number of iterations of a loop of one block is known on entry."""
    if block.trip_count is not None:
        return True
    entries = [edge for source, edge in kernel.predecessors()[block] if source is not block]
    builder = Builder(kernel, Block("count"))  # what is made there is no part of the kernel
    return len(entries) == 1 and trips_on_entry(builder, block, entries[0]) is not None


def trips_on_entry(builder: Builder, block: Block, entry: Edge) -> Op | None:
    """How often a loop of one block runs, made with `builder`, which is where `entry` comes from;
    None if that is not known there."""
    known = known_trips(block, entry.arguments, KNOWN_TRIP_LIMIT)
    if known is not None:
        return constant(known, max(LEAST_COUNTER_BITS, known.bit_length()))
    return trip_count(builder, AffineLoop(block, list(entry.arguments)), block, block)


def count_down(
    builder: Builder,
    block: Block,
    entry: Edge,
    trips: Op,
    counter_bits: int = COUNTER_BITS,
    latch: Block | None = None,
) -> None:
    """The loop runs `trips` times: it gets a parameter `more` (another iteration follows), fed by a
    counter of the bits that the count can need. `builder` is where `entry` comes from; the block
    that closes the loop is `latch` where it is another one."""
    latch = latch or block
    inside = Builder(builder.kernel, block, block.line)
    back, leave = sorted(latch.end.edges, key=lambda edge: edge.block is not block)
    count = bits_needed(builder, trips)
    if count.width <= counter_bits:
        more = _counter(builder, inside, (entry, back), count)
    else:
        more = _wide_counter(builder, inside, (entry, back), count, counter_bits)
    latch.end = Branch(more, [back, leave], line=latch.end.line)
    block.trip_count = trips


def bits_needed(builder: Builder, trips: Op) -> Op:
    """A count in the bits that it can need. Where all of them are 0 it is 2 to their number, so
    that what is known to be 0 needs them all."""
    used = trips.width - wiring.leading_zeros(wiring.bits_of(trips)) or trips.width
    return builder.extract(trips, 0, max(LEAST_COUNTER_BITS, used))


def _parameter(inside: Builder, edges: tuple[Edge, Edge], name: str, first: Op) -> Op:
    """A new parameter of the loop; its next value is appended to the back edge by the caller, in
    the order of the parameters."""
    op = Parameter((), first.width, line=inside.line, name=name)
    inside.block.parameters.append(op)
    edges[0].arguments.append(first)
    return op


def _counter(outside: Builder, inside: Builder, edges: tuple[Edge, Edge], trips: Op) -> Op:
    """`remaining`: iterations left, this one included."""
    width = trips.width
    remaining = _parameter(inside, edges, "remaining", trips)
    more = _parameter(inside, edges, "more", outside.compare(Ne, trips, constant(1, width)))
    edges[1].arguments += [
        inside.build(Sub, [remaining, constant(1, width)], width),
        inside.compare(Ne, remaining, constant(2, width)),
    ]
    return more


def _wide_counter(
    outside: Builder, inside: Builder, edges: tuple[Edge, Edge], trips: Op, digit_bits: int
) -> Op:
    """The same in digits, each no wider than one cycle's adder, with every comparison a register
    filled an iteration ahead.

    Whether a higher digit is zero lags by an iteration: it changes only as the lowest digit wraps,
    and then the lowest digit is far from the values at which it counts."""
    starts = [
        outside.extract(trips, low, min(digit_bits, trips.width - low))
        for low in range(0, trips.width, digit_bits)
    ]
    digits = [_parameter(inside, edges, f"remaining{j}", d) for j, d in enumerate(starts)]
    lowest, first = digits[0], starts[0]

    def compared(name: str, kind: type[Compare], value: int) -> Op:
        start = outside.compare(kind, first, constant(value, digit_bits))
        return _parameter(inside, edges, name, start)

    def next_comparison(kind: type[Compare], value: int) -> Op:
        """The comparison with `value` that will hold when the lowest digit is one less."""
        return inside.compare(kind, lowest, constant(value + 1, digit_bits))

    some = [
        _parameter(inside, edges, f"some{j}", outside.compare(Ne, d, constant(0, d.width)))
        for j, d in enumerate(starts)
        if j
    ]
    borrows = [
        _parameter(inside, edges, f"borrow{j}", _all_zero(outside, starts[:j]))
        for j in range(1, len(starts))
    ]
    is_one = compared("is_one", Eq, 1)
    not_two = compared("not_two", Ne, 2)
    more = _parameter(inside, edges, "more", outside.compare(Ne, trips, constant(1, trips.width)))
    zeros = [inside.invert(s) for s in some]
    edges[1].arguments += [
        inside.build(Sub, [lowest, constant(1, digit_bits)], digit_bits),
        *(
            inside.build(Sub, [d, inside.resize(b, d.width)], d.width)
            for d, b in zip(digits[1:], borrows, strict=True)
        ),
        *(inside.compare(Ne, d, constant(0, d.width)) for d in digits[1:]),
        *(inside.logic(And, [is_one, *zeros[: j - 1]]) for j in range(1, len(digits))),
        next_comparison(Eq, 1),
        next_comparison(Ne, 2),
        inside.logic(Or, [not_two, *some]),
    ]
    return more


def _all_zero(builder: Builder, values: list[Op]) -> Op:
    zeros = [builder.compare(Eq, v, constant(0, v.width)) for v in values]
    return builder.logic(And, zeros)
