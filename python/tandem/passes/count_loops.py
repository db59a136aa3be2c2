# SPDX-License-Identifier: Apache-2.0
"""count-loops: a loop whose number of iterations is known on entry counts down to its end.

Whether another iteration follows is then a register, known at the start of an iteration, and an
iteration can start every cycle however wide the C's own counter is.
"""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Edge, Kernel, Op, Terminator, constant
from tandem.passes.affine import AffineLoop, Linear
from tandem.passes.unroll import known_trips

SLUG = "count-loops"
SUMMARY = "turn loop exits into a counter computed before the loop"

KNOWN_TRIP_LIMIT = 1 << 16
COUNTER_BITS = 32
"""A wider counter would set the clock: adders of this size are what kernels compute with anyway."""


def run(kernel: Kernel) -> None:
    """Rewrites every loop whose count it can compute."""
    for block in list(kernel.blocks):
        if block.is_loop and block.trip_count is None:
            _count(kernel, block)


def _count(kernel: Kernel, block: Block) -> None:
    entries = [(b, e) for b, e in kernel.predecessors()[block] if b is not block]
    if len(entries) != 1:
        return
    source, edge = entries[0]
    builder = Builder(kernel, source)
    builder.line = block.line
    trips = _trip_count(builder, block, edge)
    if trips is not None:
        _install(builder, block, edge, trips)


def _trip_count(builder: Builder, block: Block, entry: Edge) -> Op | None:
    known = known_trips(block, entry.arguments, KNOWN_TRIP_LIMIT)
    if known is not None:
        return constant(known, max(2, known.bit_length()))
    condition, stay = _plain_condition(block)
    if condition.kind not in ("eq", "ne", "ult", "ule", "slt", "sle"):
        return None
    loop = AffineLoop(block, list(entry.arguments))
    forms = [loop.form(o) for o in condition.operands]
    if forms[0] is None or forms[1] is None:
        return None
    left, right = forms[0].centred(), forms[1].centred()
    if left.step and right.step:
        return None
    if condition.kind in ("eq", "ne"):
        if stay != (condition.kind == "ne"):
            return None
        return _until_equal(builder, left if left.step else right, right if left.step else left)
    if stay:
        return _until_beyond(builder, condition.kind, left, right)
    opposite = condition.kind[0] + ("le" if condition.kind[1:] == "lt" else "lt")
    return _until_beyond(builder, opposite, right, left)


def _plain_condition(block: Block) -> tuple[Op, bool]:
    """(comparison, whether the loop stays while it holds)."""
    condition = block.end.condition
    assert condition is not None
    stay = block.end.edges[0].block is block
    if condition.kind == "xor" and condition.operands[-1].kind == "constant":
        return condition.operands[0], not stay
    return condition, stay


def _value(builder: Builder, form: Linear) -> Op:
    """A loop-invariant form as a value."""
    total = constant(form.constant, form.width)
    for op, factor in form.terms.items():
        wide = builder.resize(op, form.width)
        scaled = builder.build("mul", [wide, constant(factor, form.width)], form.width)
        total = builder.build("add", [total, scaled], form.width)
    return total


def _until_equal(builder: Builder, moving: Linear, fixed: Linear) -> Op | None:
    """The exit test of iteration t compares start + t * step with `fixed`."""
    step = moving.step
    if abs(step) & (abs(step) - 1) or step == 0:
        return None
    start = Linear(moving.width, moving.constant, 0, moving.terms)
    distance = fixed.plus(start, -1) if step > 0 else start.plus(fixed, -1)
    gap = _value(builder, distance)
    shift = abs(step).bit_length() - 1
    turns = builder.extract(gap, shift, gap.width - shift)
    return builder.build("add", [turns, constant(1, turns.width)], turns.width)


def _until_beyond(builder: Builder, kind: str, left: Linear, right: Linear) -> Op | None:
    """The loop stays while left < right (or <=), and every turn brings them closer: it stays
    ceil(gap / step) times (or floor + 1), and then ends with one more turn."""
    step = left.step - right.step
    if step <= 0 or step & (step - 1):
        return None
    width = left.width
    first = _value(builder, Linear(width, left.constant, 0, left.terms))
    limit = _value(builder, Linear(width, right.constant, 0, right.terms))
    gap = builder.resize(builder.build("sub", [limit, first], width), width + 1)
    shift = step.bit_length() - 1
    # gap + step - 1 for <, gap + step for <=, both then shifted: ceil, and floor + 1.
    reach = constant(step - (kind[1:] == "lt"), width + 1)
    rounded = builder.build("add", [gap, reach], width + 1)
    turns = builder.extract(rounded, shift, width + 1 - shift)
    enters = builder.compare(kind, first, limit)
    stays = builder.build("select", [enters, turns, constant(0, turns.width)], turns.width)
    return builder.build("add", [stays, constant(1, turns.width)], turns.width)


def _install(builder: Builder, block: Block, entry: Edge, trips: Op) -> None:
    """The loop gets a parameter `more` (another iteration follows), fed by a counter."""
    inside = Builder(builder.kernel, block)
    inside.line = block.line
    back, leave = block.back_edge, block.exit_edge
    if trips.width <= COUNTER_BITS:
        more = _counter(builder, inside, (entry, back), trips)
    else:
        more = _wide_counter(builder, inside, (entry, back), trips)
    block.end = Terminator("branch", more, [back, leave], line=block.end.line)
    block.trip_count = trips


def _parameter(inside: Builder, edges: tuple[Edge, Edge], name: str, first: Op) -> Op:
    """A new parameter of the loop; its next value is appended to the back edge by the caller, in
    the order of the parameters."""
    op = Op("parameter", (), first.width, line=inside.line, name=name)
    inside.block.parameters.append(op)
    edges[0].arguments.append(first)
    return op


def _counter(outside: Builder, inside: Builder, edges: tuple[Edge, Edge], trips: Op) -> Op:
    """`remaining`: iterations left, this one included."""
    width = trips.width
    remaining = _parameter(inside, edges, "remaining", trips)
    more = _parameter(inside, edges, "more", outside.compare("ne", trips, constant(1, width)))
    edges[1].arguments += [
        inside.build("sub", [remaining, constant(1, width)], width),
        inside.compare("ne", remaining, constant(2, width)),
    ]
    return more


def _wide_counter(outside: Builder, inside: Builder, edges: tuple[Edge, Edge], trips: Op) -> Op:
    """The same in two halves, each no wider than one cycle's adder, with every comparison a
    register filled an iteration ahead.

    `some_high` (the high half is not zero) lags by an iteration: just after the high half has
    changed the low half is all ones, and far from where `some_high` counts."""
    size = trips.width - COUNTER_BITS
    low_0 = outside.extract(trips, 0, COUNTER_BITS)
    high_0 = outside.extract(trips, COUNTER_BITS, size)
    no_high = constant(0, size)

    def number(value: int) -> Op:
        return constant(value, COUNTER_BITS)

    low = _parameter(inside, edges, "remaining_low", low_0)
    high = _parameter(inside, edges, "remaining_high", high_0)
    borrow = _parameter(inside, edges, "borrow", outside.compare("eq", low_0, number(0)))
    some_high = _parameter(inside, edges, "some_high", outside.compare("ne", high_0, no_high))
    not_two = _parameter(inside, edges, "not_two", outside.compare("ne", low_0, number(2)))
    more = _parameter(inside, edges, "more", outside.compare("ne", trips, constant(1, trips.width)))
    edges[1].arguments += [
        inside.build("sub", [low, number(1)], COUNTER_BITS),
        inside.build("sub", [high, inside.resize(borrow, size)], size),
        inside.compare("eq", low, number(1)),
        inside.compare("ne", high, no_high),
        inside.compare("ne", low, number(3)),
        inside.logic("or", [some_high, not_two]),
    ]
    return more
