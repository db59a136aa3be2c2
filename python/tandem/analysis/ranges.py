# SPDX-License-Identifier: Apache-2.0
"""Between which numbers every value of a kernel lies, whatever its arguments and memories hold.

A range is of unsigned numbers, without a gap. What an edge's condition says narrows what the edge
carries; a counted loop's number of iterations bounds what steps with it, and so does the number
that a loop counts up to. A sum that may wrap can be any number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from tandem.analysis.linear import AffineLoop
from tandem.analysis.predicates import NEVER, Predicates
from tandem.analysis.range_inputs import CHOSEN_DEPTH, MOST_REDONE, Inputs
from tandem.analysis.range_rules import cut_range, full, result_range
from tandem.ir.blocks import Block, Edge, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import (
    UNSIGNED,
    Add,
    Compare,
    Concat,
    Constant,
    Eq,
    Equality,
    Extract,
    Logic,
    Ne,
    Op,
    Range,
    Select,
    SLe,
    SLt,
    ULt,
    joined,
    mask,
)
from tandem.ir.wiring import Bits, segments

Known = dict[Op, Range]
"""What holds of values on an edge."""
Ways = dict[Block, list[tuple[Block, Edge]]]
"""From which blocks, and by which edges, control comes to each."""

EXACT_ROUNDS = 3
"""Rounds over the loops in which ranges grow step by step; then they grow to the next number that
something is compared with."""
MOST_ROUNDS = 24
"""After that many rounds what still grows can be any number."""
REDONE_DEPTH = 4
"""How far below an edge's value what the edge's condition says is put in."""
WORD_ENDS = tuple(mask(bits) for bits in (1, 7, 8, 15, 16, 31, 32, 63, 64))


def find_ranges(kernel: Kernel) -> dict[Op, Range]:
    """The range of every operation and parameter that is ever reached."""
    return RangeFinder(kernel).run()


def ranges_of(kernel: Kernel) -> dict[Op, Range]:
    """The same, found once for a kernel as it is (`Kernel.facts`)."""
    return _facts(kernel)["ranges"]


def turns_of(kernel: Kernel) -> dict[Block, Range]:
    """Between which numbers the iterations of each counted loop are, once it has been entered."""
    return _facts(kernel)["turns"]


def _facts(kernel: Kernel) -> dict[str, Any]:
    if "ranges" not in kernel.facts:
        ranges = RangeFinder(kernel)
        kernel.facts |= {"ranges": ranges.run(), "turns": ranges.turns()}
    return kernel.facts


def range_of(bits: Bits, ranges: Mapping[Op, Range]) -> Range | None:
    """The range of wiring, by those of the values that it names; None where these go on above the
    bits, or nothing is known of them."""
    least = most = position = 0
    for source, low, width in segments(bits):
        if source is not None and source not in ranges:
            return None
        found = (low, low) if source is None else [end >> low for end in ranges[source]]
        if found[1] > mask(width) and position + width == len(bits):
            return None
        if found[1] > mask(width):
            found = 0, mask(width)
        least, most = least + (found[0] << position), most + (found[1] << position)
        position += width
    return least, most


@dataclass(frozen=True)
class _Limit:
    """A loop's parameter counts by ones from `start` up to `end`, which is fixed when the loop is
    entered from `source`, by the edge `entry`; the last iteration has the `end`, or the number
    before it."""

    source: Block
    entry: Edge
    start: Op
    end: Op
    has_end: bool


@dataclass
class RangeFinder:
    kernel: Kernel
    found: dict[Op, Range] = field(default_factory=dict)
    order: list[Block] = field(default_factory=list)
    predecessors: Ways = field(default_factory=dict)
    entries: Ways = field(default_factory=dict)
    """Without those on which it comes to itself again."""
    steps: dict[Op, int] = field(default_factory=dict)
    limits: dict[Op, _Limit] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    deciding: dict[Block, list[Op]] = field(default_factory=dict)
    """What decides about ways and parameters; the rest is looked at once, in the end."""
    stale: dict[Block, set[Op]] = field(default_factory=dict)
    """Those of them to look at: something that their ranges follow from has changed."""
    readers: dict[Op, list[tuple[set[Op], Op]]] = field(default_factory=dict)
    """Those of them that follow from a value, each with what is stale in its block."""
    reached: set[Block] = field(default_factory=set)
    """Blocks whose values have been looked at."""
    inputs: Inputs = field(default_factory=Inputs)
    changes: int = 0
    changed: dict[Op, int] = field(default_factory=dict)
    """The last of the changes that each range has had."""
    conditions: dict[Edge, list[tuple[Op, bool]]] = field(default_factory=dict)
    """Those that hold on an edge."""
    told: dict[Edge, tuple[int, Known | None]] = field(default_factory=dict)
    """What was known on an edge, and how many changes there had been."""
    settled: dict[Block, int] = field(default_factory=dict)
    """How many changes there had been when control was last seen to bring nothing new."""

    def run(self) -> dict[Op, Range]:
        self.found = {
            a.op: (a.least, a.most) for a in self.kernel.arguments if a.op and a.most is not None
        }
        self.order = reverse_postorder(self.kernel.entry)
        self.predecessors = self.kernel.predecessors()
        self.steps = _steps(self.order, self.predecessors)
        loops = natural_loops(self.kernel)
        self.entries = {
            block: [way for way in ways if way[0] not in loops.get(block, ())]
            for block, ways in self.predecessors.items()
        }
        self.limits = _limits(loops, self.predecessors, self.entries)
        self.ends = _ends(self.kernel)
        self._decide()
        rounds = 0
        while self._round(rounds):
            rounds += 1
        for block in self.order:
            decides, stale = set(self.deciding[block]), self.stale[block]
            for op in block.ops:
                if op not in decides or op in stale:
                    self._make(op)
        return self.found

    def _decide(self) -> None:
        """Finds what decides, all of which is to be looked at."""
        decides = _slice(self.kernel)
        for block in self.order:
            self.deciding[block] = [op for op in block.ops if op in decides]
            stale = self.stale[block] = set(self.deciding[block])
            for op in stale:
                for value in self.inputs.of(op):
                    self.readers.setdefault(value, []).append((stale, op))

    def turns(self) -> dict[Block, Range]:
        found = {}
        for block in self.order:
            trips, entries = block.trip_count, self.entries[block]
            turns = self._under(*entries[0], trips) if trips and len(entries) == 1 else None
            if turns is not None:
                found[block] = turns
        return found

    def _round(self, number: int) -> bool:
        """One pass over all blocks; whether a parameter's range has grown."""
        grown = False
        for block in self.order:
            if block.parameters and not self._is_settled(block):
                grown |= self._enter_all(block, number)
            self.reached.add(block)
            self._refresh(block)
        return grown

    def _refresh(self, block: Block) -> None:
        """Looks at what is stale in a block, and what becomes so by that."""
        stale = self.stale[block]
        if stale:
            for op in self.deciding[block]:
                if op in stale:
                    stale.discard(op)
                    self._make(op)

    def _is_settled(self, block: Block) -> bool:
        """Whether control brought nothing new to a block the last time, and nothing that this
        follows from has changed since."""
        before = self.settled.get(block)
        if before is None:
            return False
        changed = self.changed
        return before == self.changes or all(
            changed.get(value, 0) <= before for value in self._entered(block)
        )

    def _entered(self, block: Block) -> Collection[Op]:
        """The values whose ranges those of a block's parameters follow from, once it is known from
        where control comes."""
        if block not in self.inputs.entered:
            found = set(block.parameters)
            for source, edge in self.predecessors[block]:
                found |= self.inputs.below(edge.arguments, REDONE_DEPTH)
                for condition, holds in self._conditions(source, edge):
                    found |= self.inputs.told(condition, holds)
            self.inputs.entered[block] = [
                value for value in found if not isinstance(value, Constant)
            ]
        return self.inputs.entered[block]

    def _enter_all(self, block: Block, number: int) -> bool:
        """Whether the range of a parameter has grown."""
        ways = self._ways(block)
        self.settled.pop(block, None)
        results = [self._enter(block, ways, i, p, number) for i, p in enumerate(block.parameters)]
        is_all = self.reached.issuperset(source for source, _ in self.predecessors[block])
        if is_all and results.count(False) == len(results):
            self.settled[block] = self.changes
        return True in results

    def _make(self, op: Op) -> None:
        if op.width:
            chosen = op.operands[0] if isinstance(op, Extract) else op
            found = self._chosen(chosen, op) if isinstance(chosen, Select) else None
            self._put(op, result_range(op, self._of) if found is None else found)

    def _put(self, op: Op, found: Range) -> None:
        if self.found.get(op) != found:
            self.found[op] = found
            self.changes += 1
            self.changed[op] = self.changes
            for stale, reader in self.readers.get(op, ()):
                stale.add(reader)

    def _chosen(self, select: Op, op: Op) -> Range | None:
        """The range of a choice, or of bits of it, where each side counts only for what the
        condition says of it; None if neither is ever chosen."""
        condition, *sides = select.operands
        found = []
        for side, holds in zip(sides, (True, False), strict=True):
            known: Known = {}
            if self.assume(known, condition, holds):
                inside = self._again(side, known, CHOSEN_DEPTH)
                found.append(inside if op is select else cut_range(op, inside))
        return reduce(joined, found) if found else None

    def _of(self, op: Op) -> Range:
        if isinstance(op, Constant):
            return op.value, op.value
        return self.found.get(op, full(op))

    def _ways(self, block: Block) -> list[tuple[Edge, Known]]:
        """The edges by which control may come to a block, and what is known on each. It is looked
        at once a round: in the last one, no range is another than it was."""
        ways = [way for way in self.predecessors[block] if way[0] in self.reached]
        known = [(edge, self._known(source, edge)) for source, edge in ways]
        return [(edge, facts) for edge, facts in known if facts is not None]

    def _enter(
        self, block: Block, ways: list[tuple[Edge, Known]], i: int, parameter: Op, number: int
    ) -> bool | None:
        """Whether a parameter's range has grown; None where it is only by a limit that it has
        not."""
        old = self.found.get(parameter)
        if not ways or parameter.width == 1:
            new = full(parameter) if parameter.width == 1 else old
        else:
            carried = [self._again(e.arguments[i], known, REDONE_DEPTH) for e, known in ways]
            new = reduce(joined, carried if old is None else [*carried, old])
        if new is None or new == old:
            return False
        if old is not None and number >= EXACT_ROUNDS:
            new = full(parameter) if number > MOST_ROUNDS else self._widened(parameter, old, new)
        self._put(parameter, self._limited(parameter, self._counted(block, parameter, new)))
        return True if self.found[parameter] != old else None

    def _widened(self, op: Op, old: Range, new: Range) -> Range:
        low, high = new
        if low < old[0]:
            low = self.ends[bisect_right(self.ends, low) - 1]
        if high > old[1]:
            i = bisect_left(self.ends, high)
            high = self.ends[i] if i < len(self.ends) else mask(op.width)
        return low, min(high, mask(op.width))

    def _counted(self, block: Block, parameter: Op, found: Range) -> Range:
        """The range, cut to what a counted loop's iterations step through."""
        step, trips = self.steps.get(parameter), block.trip_count
        if not step or trips is None:
            return found
        if len(self.entries[block]) != 1:
            return found
        source, edge = self.entries[block][0]
        start = self._carried(source, edge, block.parameters.index(parameter))
        turns = self._under(source, edge, trips)
        if start is None or turns is None or turns[0] == 0:
            return found  # a count of 0 stands for one that has no place in its bits
        far = step * (turns[1] - 1)
        low, high = start[0] + min(far, 0), start[1] + max(far, 0)
        return (low, high) if low >= 0 and high <= mask(parameter.width) else found

    def _limited(self, parameter: Op, found: Range) -> Range:
        """The range, cut to what lies before the number that the loop counts up to."""
        limit = self.limits.get(parameter)
        if limit is None:
            return found
        start = self._under(limit.source, limit.entry, limit.start)
        end = self._under(limit.source, limit.entry, limit.end)
        if start is None or end is None:
            return found
        behind = end[0] + limit.has_end, end[1] + limit.has_end
        if start[1] >= behind[0] or end[1] > mask(parameter.width):
            return found
        return start[0], behind[1] - 1

    # -- what an edge carries -------------------------------------------------------------------

    def _carried(self, source: Block, edge: Edge, i: int) -> Range | None:
        return self._under(source, edge, edge.arguments[i])

    def _under(self, source: Block, edge: Edge, value: Op) -> Range | None:
        """The range of a value where control takes the edge; None if it never does."""
        known = self._known(source, edge)
        return None if known is None else self._again(value, known, REDONE_DEPTH)

    def _known(self, source: Block, edge: Edge) -> Known | None:
        """What the conditions on the way say of values; None if control never takes the edge. It is
        asked again for each parameter, and found again where a range has changed."""
        if self.told.get(edge, (-1,))[0] != self.changes:
            self.told[edge] = self.changes, self._found_known(source, edge)
        return self.told[edge][1]

    def _found_known(self, source: Block, edge: Edge) -> Known | None:
        known: Known = {}
        for condition, holds in self._conditions(source, edge):
            if not self.assume(known, condition, holds):
                return None
        return known

    def _conditions(self, source: Block, edge: Edge) -> list[tuple[Op, bool]]:
        """What holds on an edge: its own condition, and those of the only ways there. What held as
        a loop was entered still does: it is about values from before the loop."""
        if edge not in self.conditions:
            self.conditions[edge] = self._conditions_on(source, edge)
        return self.conditions[edge]

    def _conditions_on(self, source: Block, edge: Edge) -> list[tuple[Op, bool]]:
        found = []
        seen = {source}
        while True:
            if source.end.condition is not None:
                found.append((source.end.condition, edge is source.end.edges[0]))
            ways = self.entries[source]
            if len(ways) != 1 or ways[0][0] in seen:
                return found
            source, edge = ways[0]
            seen.add(source)

    def assume(self, known: Known, condition: Op, holds: bool) -> bool:
        """Puts what a condition says into `known`; False if it cannot be so."""
        for kind, a, b in self.inputs.comparisons(condition, holds):
            of_a, of_b = (known.get(op, self._of(op)) for op in (a, b))
            ranges = _compared(kind, of_a, of_b, a.width)
            if ranges is None:
                return False
            for op, narrower in zip((a, b), ranges, strict=True):
                if not isinstance(op, Constant):
                    known[op] = narrower
                    self._tell_part(known, op, narrower)
        return True

    def _tell_part(self, known: Known, op: Op, found: Range) -> None:
        """What is known of the upper bits of a value, with zeros above too, is known of it."""
        run = self.inputs.run(op)
        if run is None or run[0] is op:
            return
        source, low, end = run
        before = known.get(source, self._of(source))
        if before[1] >> end:
            return
        both = _meet((found[0] << low, (found[1] << low) + mask(low)), before)
        if both is not None:
            known[source] = both

    def _again(self, value: Op, known: Known, depth: int) -> Range:
        """The range of a value, given what is known of others."""
        plain = known.get(value) or self._within(value, known) or self._of(value)
        if value in known or not depth or not known or len(value.operands) > MOST_REDONE:
            return plain
        redone = result_range(value, lambda op: self._again(op, known, depth - 1))
        return _meet(plain, redone) or plain

    def _within(self, value: Op, known: Known) -> Range | None:
        """The range of a value that is the upper bits of another one of which something is
        known."""
        if not isinstance(value, (Extract, Concat)) or not known:
            return None
        run = self.inputs.run(value)
        for other, found in known.items() if run else ():
            whole = self.inputs.run(other)
            if run and whole and run[0] is whole[0] and run[1] >= whole[1] and run[2] == whole[2]:
                return found[0] >> (run[1] - whole[1]), found[1] >> (run[1] - whole[1])
        return None


def _unextended(op: Op) -> Op:
    """The value of which another is an extension by zeros."""
    zeros = all(isinstance(o, Constant) and not o.value for o in op.operands[:-1])
    return op.operands[-1] if isinstance(op, Concat) and zeros else op


def _compared(kind: type[Op], a: Range, b: Range, width: int) -> tuple[Range, Range] | None:
    """What of two ranges is left where a comparison holds; None for nothing."""
    if kind is Eq:
        both = _meet(a, b)
        return (both, both) if both else None
    if kind is Ne:
        return _both(_without(a, b), _without(b, a))
    if kind in (SLt, SLe):
        return _compared_signed(kind, a, b, width)
    gap = int(kind is ULt)
    return _both(_meet(a, (0, b[1] - gap)), _meet(b, (a[0] + gap, b[1])))


def _both(a: Range | None, b: Range | None) -> tuple[Range, Range] | None:
    return None if a is None or b is None else (a, b)


def _compared_signed(kind: type[Op], a: Range, b: Range, width: int) -> tuple[Range, Range] | None:
    """Signed order is that of unsigned numbers with half of all added. A range that this tears
    apart is taken for any number."""
    moved = _compared(UNSIGNED[kind], _moved(a, width), _moved(b, width), width)
    if moved is None:
        return None
    return _both(_meet(a, _moved(moved[0], width)), _meet(b, _moved(moved[1], width)))


def _moved(found: Range, width: int) -> Range:
    half = 1 << width - 1
    if found[0] < half <= found[1]:
        return 0, mask(width)
    return found[0] ^ half, found[1] ^ half


def _without(a: Range, b: Range) -> Range | None:
    """Numbers of `a` that differ from the only one of `b`."""
    if b[0] != b[1]:
        return a
    low, high = a[0] + (a[0] == b[0]), a[1] - (a[1] == b[0])
    return (low, high) if low <= high else None


def _meet(a: Range, b: Range) -> Range | None:
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else None


def _steps(order: list[Block], predecessors: Ways) -> dict[Op, int]:
    """By how much each parameter of a counted loop changes in an iteration, as a signed number."""
    found: dict[Op, int] = {}
    for block in order:
        if block.is_loop and block.trip_count is not None and len(predecessors[block]) == 2:
            loop = AffineLoop(block, [None] * len(block.parameters))
            for parameter, step in loop.increments.items():
                if step is not None:
                    half = 1 << parameter.width - 1
                    found[parameter] = (step + half & mask(parameter.width)) - half
    return found


def _limits(loops: dict[Block, set[Block]], predecessors: Ways, entries: Ways) -> dict[Op, _Limit]:
    """The parameters of loops that stay while one more is not the end."""
    found: dict[Op, _Limit] = {}
    for header, body in loops.items():
        backs = [way for way in predecessors[header] if way[0] in body]
        if len(entries[header]) != 1 or len(backs) != 1:
            continue
        (source, entry), (latch, back) = entries[header][0], backs[0]
        if latch.end.condition is None:
            continue
        following = back.given
        starts = entry.given
        moving = {op for block in body for op in (*block.parameters, *block.ops)}
        for sides in _unequal(latch.end.condition, back is latch.end.edges[0]):
            for side, end in (sides, sides[::-1]):
                counter, has_end = _counting(_unextended(side), following)
                if counter is not None and _is_fixed(end, moving, REDONE_DEPTH):
                    found[counter] = _Limit(source, entry, starts[counter], end, has_end)
    return found


def _counting(value: Op, following: Mapping[Op, Op]) -> tuple[Op | None, bool]:
    """The parameter of a loop that counts by ones of which a value is the number that the next
    iteration has, or this one has; and whether it is this one's."""
    if value in following:
        return (value if _one_less(following[value]) is value else None), True
    counter = _one_less(value)
    return (counter if counter and following.get(counter) is value else None), False


def _unequal(condition: Op, holds: bool) -> Iterator[list[Op]]:
    """Pairs of values that differ where a condition holds, or does not."""
    predicates = Predicates()
    given = predicates.read(condition, holds)
    work, seen = [condition], set[Op]()
    while work:
        op = work.pop()
        if op in seen:
            continue
        seen.add(op)
        if isinstance(op, Logic) and op.width == 1:
            work += op.operands
        elif isinstance(op, Equality):
            are_equal = predicates.of(op, isinstance(op, Eq))
            if predicates.both(given, are_equal) == NEVER:
                yield op.operands


def _is_fixed(value: Op, moving: Collection[Op], depth: int) -> bool:
    """Whether a value is made of what is not `moving`."""
    if value not in moving:
        return True
    made = depth and value.operands and value.pure
    return bool(made) and all(_is_fixed(o, moving, depth - 1) for o in value.operands)


def _one_less(value: Op) -> Op | None:
    """What a value is one more than."""
    if not isinstance(value, Add) or not isinstance(value.operands[1], Constant):
        return None
    return value.operands[0] if value.operands[1].value == 1 else None


def _slice(kernel: Kernel) -> set[Op]:
    """The operations that conditions, counts and what edges carry are made of."""
    found: set[Op] = set()
    work = [op for block in kernel.blocks for op in block.end.inputs()]
    work += [block.trip_count for block in kernel.blocks if block.trip_count is not None]
    while work:
        op = work.pop()
        if op not in found:
            found.add(op)
            work += op.operands
    return found


def _ends(kernel: Kernel) -> list[int]:
    """Numbers at which ranges are likely to end, sorted: those that values are compared with, and
    the greatest ones of C's types."""
    compared = {
        o.value + near
        for _, op in kernel.ops()
        if isinstance(op, Compare)
        for o in op.operands
        if isinstance(o, Constant)
        for near in (-1, 0, 1)
    }
    return sorted({0, *WORD_ENDS, *(number for number in compared if number > 0)})
