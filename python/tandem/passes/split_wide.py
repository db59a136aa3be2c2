# SPDX-License-Identifier: Apache-2.0
"""split-wide: an operation that does not fit the clock period becomes several that do.

Adders and comparisons are split into as few parts as fit, shifters into one select an amount bit,
tables into two tables and a select, dividers into their steps. The scheduler then puts registers
between the parts. What a loop leaves in such parts for its next iteration is as many values: each
part then waits for its own part of the iteration before, and not for all of it.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from math import ceil

from tandem.analysis.trips import usual_rounds
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops, turning
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    STRICT,
    UNSIGNED,
    Add,
    And,
    Compare,
    Constant,
    Divide,
    Eq,
    Equality,
    Op,
    Or,
    Parameter,
    Rom,
    Select,
    Shift,
    Sum,
    constant,
)
from tandem.ir.wiring import bits_of, segments
from tandem.passes.choose_shifts import by_choices
from tandem.passes.expand_division import divide_in_chain
from tandem.passes.reassociate import Timing
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import substitute, tidy

SLUG = "split-wide"
SUMMARY = "split operations that are slower than the clock"

LEAST_WIDTH_BITS = 4
MOST_WIDTH_BITS = 128
"""Parts are no wider, whatever fits."""


def run(kernel: Kernel, timing: Timing) -> bool:
    """Splits until every operation that can be split takes no longer than there is between two
    registers; whether there was any."""
    delay_ps, budget_ps = timing.delay_ps, timing.period_ps

    @cache
    def widest(kind: type[Op]) -> int:
        return _widest(kind, timing)

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if delay_ps(op) <= budget_ps or not _can_split(op):
            return remake(builder, op, operands)
        if isinstance(op, (Sum, Compare)):
            most = min(widest(type(op)), operands[0].width - 1)
            split = _sum if isinstance(op, Sum) else _comparison
            return split(builder, type(op), operands, most)
        return _split(builder, op, operands)

    if not has_work(kernel, timing):
        return False
    size = kernel.size
    kernel.unsplit = kernel.unsplit or clone(kernel)
    _keep_rounds(kernel)
    while has_work(kernel, timing):
        rebuild(kernel, change)
        tidy(kernel)
    if _split_parameters(kernel):
        rebuild(kernel)
        tidy(kernel)
    kernel.pieces += kernel.size - size
    return True


def _keep_rounds(kernel: Kernel) -> None:
    """Notes how often loops of several blocks run: counters in parts tell it no more."""
    assert kernel.unsplit is not None, "nothing is split yet"
    whole, same = kernel.unsplit, dict(zip(kernel.unsplit.blocks, kernel.blocks, strict=True))
    predecessors = whole.predecessors()
    for header, body in turning(natural_loops(whole)).items():
        if not header.is_loop and not header.known_trips:
            same[header].rounds = usual_rounds(whole, predecessors[header], header, body)


def has_work(kernel: Kernel, timing: Timing) -> bool:
    """Whether there is an operation that takes longer and can be split."""
    ops = (op for _, op in kernel.ops())
    return any(timing.delay_ps(op) > timing.period_ps and _can_split(op) for op in ops)


def _split_parameters(kernel: Kernel) -> bool:
    """Whether some parameter of a loop became several, one for each operation that makes a part of
    what the next iteration gets."""
    entering = kernel.predecessors()
    replaced: dict[Op, Op] = {}
    for block in kernel.blocks:
        if not block.is_loop:
            continue
        for place in reversed(range(len(block.parameters))):
            widths = _parts(block.back_edge.arguments[place])
            if len(widths) > 1:
                old = block.parameters[place]
                replaced[old] = _in_parts(kernel, block, place, widths, entering[block])
    if replaced:
        substitute(kernel, replaced)
    return bool(replaced)


def _parts(value: Op) -> list[int]:
    """The widths of the sums that a value consists of, lowest first; one width for any other."""
    found = list(segments(bits_of(value)))
    is_sums = all(source is not None and isinstance(source, Sum) for source, _, _ in found)
    return [width for _, _, width in found] if is_sums else [value.width]


def _in_parts(
    kernel: Kernel, block: Block, place: int, widths: list[int], entering: list[tuple[Block, Edge]]
) -> Op:
    """A parameter of a block as several; returns all of them as one value."""
    old = block.parameters[place]
    parts = [Parameter((), w, dict(old.attributes), old.line, old.name) for w in widths]
    block.parameters[place : place + 1] = parts
    lows = [sum(widths[:i]) for i in range(len(widths))]
    for before, edge in entering:
        builder, value = Builder(kernel, before), edge.arguments[place]
        pieces = [builder.extract(value, *row) for row in zip(lows, widths, strict=True)]
        edge.arguments[place : place + 1] = pieces
    whole = Block("whole")
    value = Builder(kernel, whole).concat(*reversed(parts))
    block.ops[:0] = whole.ops
    return value


def _can_split(op: Op) -> bool:
    if isinstance(op, (Shift, Divide)):
        return True
    if isinstance(op, Rom):
        return op.operands[0].width > LEAST_WIDTH_BITS
    splits = (Sum, Compare)
    return isinstance(op, splits) and op.operands[0].width > LEAST_WIDTH_BITS


def _widest(kind: type[Op], timing: Timing) -> int:
    """The width of the widest sum or comparison that fits between two registers."""
    wider = range(LEAST_WIDTH_BITS + 1, MOST_WIDTH_BITS + 1)

    def takes_ps(width: int) -> int:
        operands = (Parameter((), width), Parameter((), width))
        return timing.delay_ps(kind(operands, width if issubclass(kind, Sum) else 1))

    return LEAST_WIDTH_BITS + bisect_right(wider, timing.period_ps, key=takes_ps)


def _split(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    if isinstance(op, Shift):
        return by_choices(builder, type(op), *operands)
    if isinstance(op, Divide):
        return divide_in_chain(builder, *operands)
    return _table(builder, op, operands[0])


def _comparison(builder: Builder, kind: type[Op], operands: list[Op], most: int) -> Op:
    """What the high part decides, and the low one where that is equal. Either may have to be split
    again; each into half of the parts."""
    width = operands[0].width
    parts = ceil(width / most)
    low_bits = parts // 2 * ceil(width / parts)
    low = [builder.extract(o, 0, low_bits) for o in operands]
    high = [builder.extract(o, low_bits, width - low_bits) for o in operands]
    if issubclass(kind, Equality):
        both = [builder.compare(kind, *low), builder.compare(kind, *high)]
        return builder.logic(And if kind is Eq else Or, both)
    below = builder.compare(STRICT[kind], *high)
    same = builder.compare(Eq, *high)
    rest = builder.logic(And, [same, builder.compare(UNSIGNED[kind], *low)])
    return builder.logic(Or, [below, rest])


def _sum(builder: Builder, kind: type[Op], operands: list[Op], most: int) -> Op:
    """A sum no part of which is wider than `most`. The low part, one bit wider, gives the carry or
    borrow of the rest, in which a bit below the lowest takes it."""
    width = operands[0].width
    if width <= most:
        return builder.build(kind, operands, width)
    parts = ceil((width - 2) / (most - 2))
    low_bits = ceil((width - 2) / parts) + 1
    rest_bits = width - low_bits
    low = [builder.resize(builder.extract(o, 0, low_bits), low_bits + 1) for o in operands]
    high = [builder.extract(o, low_bits, rest_bits) for o in operands]
    first = builder.build(kind, low, low_bits + 1)
    carry = builder.extract(first, low_bits, 1)
    if isinstance(high[1], Constant) and not high[1].value:
        second = _sum(builder, kind, [high[0], builder.resize(carry, rest_bits)], most)
    else:
        goes_over = constant(1 if kind is Add else 0, 1)
        below = [builder.concat(high[0], goes_over), builder.concat(high[1], carry)]
        second = builder.extract(_sum(builder, kind, below, most), 1, rest_bits)
    return builder.concat(second, builder.extract(first, 0, low_bits))


def _table(builder: Builder, op: Op, index: Op) -> Op:
    """Both halves of the table are read, and the highest index bit chooses."""
    kernel = builder.kernel
    table = op.memory
    bits = index.width - 1
    words = table.contents + (0,) * ((2 << bits) - len(table.contents))
    low = builder.extract(index, 0, bits)
    halves = []
    for start in (0, 1 << bits):
        part = Memory(
            f"{table.name}_part",
            MemoryKind.ROM,
            table.element_bits,
            1 << bits,
            words[start : start + (1 << bits)],
        )
        kernel.add_memory(part)
        halves.append(builder.build(Rom, [low], op.width, memory=part))
    return builder.build(Select, [builder.extract(index, bits, 1), halves[1], halves[0]], op.width)
