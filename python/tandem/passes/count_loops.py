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
    moving, fixed = forms[0].centred(), forms[1].centred()
    if moving.step and fixed.step:
        return None
    if condition.kind in ("eq", "ne"):
        if stay != (condition.kind == "ne"):
            return None
        return _until_equal(builder, moving if moving.step else fixed,
                            fixed if moving.step else moving)
    return _until_beyond(builder, condition.kind, stay, moving, fixed)


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


def _until_beyond(
    builder: Builder, kind: str, stay: bool, moving: Linear, fixed: Linear
) -> Op | None:
    """Stays while start + t * step < limit (or <=), step > 0: the first t that fails, plus 1."""
    if not stay or moving.step <= 0 or moving.step & (moving.step - 1):
        return None
    start = Linear(moving.width, moving.constant, 0, moving.terms)
    width = moving.width
    first, limit = _value(builder, start), _value(builder, fixed)
    if kind in ("ule", "sle"):
        return None  # limit + 1 may not be representable
    gap = builder.build("sub", [limit, first], width)
    shift = moving.step.bit_length() - 1
    rounded = builder.build("add", [builder.resize(gap, width + 1),
                                    constant(moving.step - 1, width + 1)], width + 1)
    turns = builder.extract(rounded, shift, width + 1 - shift)
    enters = builder.compare(kind, first, limit)
    none = constant(0, turns.width)
    more = builder.build("select", [enters, turns, none], turns.width)
    return builder.build("add", [more, constant(1, turns.width)], turns.width)


def _install(builder: Builder, block: Block, entry: Edge, trips: Op) -> None:
    """Parameters `remaining` (iterations left, this one included) and `more` (another follows)."""
    width = trips.width
    remaining = Op("parameter", (), width, line=block.line, name="remaining")
    more = Op("parameter", (), 1, line=block.line, name="more")
    entry.arguments += [trips, builder.compare("ne", trips, constant(1, width))]
    inside = Builder(builder.kernel, block)
    inside.line = block.line
    left = inside.build("sub", [remaining, constant(1, width)], width)
    goes_on = inside.compare("ne", remaining, constant(2, width))
    back, leave = block.back_edge, block.exit_edge
    block.parameters += [remaining, more]
    back.arguments += [left, goes_on]
    block.end = Terminator("branch", more, [back, leave], line=block.end.line)
    block.trip_count = trips
