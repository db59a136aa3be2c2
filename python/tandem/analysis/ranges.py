# SPDX-License-Identifier: Apache-2.0
"""Between which numbers every value of a kernel lies, whatever its arguments and memories hold.

A range is of unsigned numbers, without a gap. What an edge's condition says narrows what the edge
carries; a counted loop's number of iterations bounds what steps with it, and so does the number
that a loop counts up to. A sum that may wrap can be any number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property, reduce

from tandem.analysis.counters import Limit, Ways, find_limits, find_steps
from tandem.analysis.exhaustive import exhaustive_ranges
from tandem.analysis.orders import Between, find_between
from tandem.analysis.range_conditions import CHOSEN_DEPTH, likely_ends, meet, narrowed, widened
from tandem.analysis.range_inputs import (
    MOST_REDONE,
    REDONE_DEPTH,
    Inputs,
    deciding_ops,
    without_constants,
)
from tandem.analysis.range_rules import cut_range, full, result_range
from tandem.ir.blocks import Block, Edge, reverse_postorder
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import Constant, Extract, Op, Range, Select, joined, mask

Known = dict[Op, Range]
"""What holds of values on an edge."""

EXACT_ROUNDS = 3
"""Rounds over the loops in which ranges grow step by step; then they grow to the next number that
something is compared with."""
MOST_ROUNDS = 24
"""After that many rounds what still grows can be any number."""


def find_ranges(kernel: Kernel) -> dict[Op, Range]:
    """The range of every operation and parameter that is ever reached."""
    return RangeFinder(kernel).run()


def ranges_of(kernel: Kernel) -> dict[Op, Range]:
    """The same, found once for a kernel as it is (`Kernel.facts`)."""
    return finder_of(kernel).found


def turns_of(kernel: Kernel) -> dict[Block, Range]:
    """Between which numbers the iterations of each counted loop are, once it has been entered."""
    return finder_of(kernel).turns


def finder_of(kernel: Kernel) -> RangeFinder:
    """What has found them."""
    if "ranges" not in kernel.facts:
        kernel.facts["ranges"] = finder = RangeFinder(kernel)
        finder.run()
    return kernel.facts["ranges"]


@dataclass
class RangeFinder:
    kernel: Kernel
    found: dict[Op, Range] = field(default_factory=dict)
    order: list[Block] = field(default_factory=list)
    predecessors: Ways = field(default_factory=dict)
    entries: Ways = field(default_factory=dict)
    """Without those on which it comes to itself again."""
    steps: dict[Op, int] = field(default_factory=dict)
    limits: dict[Op, Limit] = field(default_factory=dict)
    exact: dict[Op, Range] = field(default_factory=dict)
    """Of parameters that follow from constants alone."""
    between: dict[Op, Between] = field(default_factory=dict)
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
    settled: dict[Op, int] = field(default_factory=dict)
    """How many changes there had been when control was last seen to bring a parameter nothing
    new."""

    def run(self) -> dict[Op, Range]:
        self.found = {
            a.op: (a.least, a.most) for a in self.kernel.arguments if a.op and a.most is not None
        }
        self.order = reverse_postorder(self.kernel.entry)
        self.predecessors = self.kernel.predecessors()
        self.steps = find_steps(self.order, self.predecessors)
        loops = natural_loops(self.kernel)
        self.entries = {
            block: [way for way in ways if way[0] not in loops.get(block, ())]
            for block, ways in self.predecessors.items()
        }
        self.limits = find_limits(loops, self.predecessors)
        self.exact = exhaustive_ranges(loops, self.predecessors)
        self.between = find_between(self.order, self.predecessors, self.entries)
        self.inputs.besides = {op: (one.less, one.more) for op, one in self.between.items()}
        self.ends = likely_ends(self.kernel)
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
        decides = deciding_ops(self.kernel)
        for block in self.order:
            self.deciding[block] = [op for op in block.ops if op in decides]
            stale = self.stale[block] = set(self.deciding[block])
            for op in stale:
                for value in self.inputs.of(op):
                    self.readers.setdefault(value, []).append((stale, op))

    @cached_property
    def turns(self) -> dict[Block, Range]:
        """As `turns_of`."""
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

    def _is_as_at(self, changes: int, values: Iterable[Op]) -> bool:
        """Whether none of some ranges is another one than after so many changes."""
        changed = self.changed
        for value in values:  # noqa: SIM110 - a third of the time of all()
            if changed.get(value, 0) > changes:
                return False
        return True

    def _is_settled(self, block: Block, i: int, parameter: Op) -> bool:
        """Whether control brought nothing new to a parameter the last time, and nothing that this
        follows from has changed since."""
        before = self.settled.get(parameter)
        if before is None or before == self.changes:
            return before is not None
        ways = self.predecessors[block]
        return self._is_as_at(before, self._entered(block, i, parameter)) and all(
            self._is_as_at(before, self._told_of(*way)) for way in ways
        )

    def _entered(self, block: Block, i: int, parameter: Op) -> Collection[Op]:
        """The values whose ranges that of a parameter follows from, but for what edges say."""
        if parameter not in self.inputs.entered:
            carried = [edge.arguments[i] for _, edge in self.predecessors[block]]
            limit = self.limits.get(parameter)
            ends = [] if limit is None else [limit.start, limit.end]
            counts = [block.trip_count] if block.trip_count is not None else []
            found = {parameter, *self.inputs.below([*carried, *counts, *ends], REDONE_DEPTH)}
            self.inputs.entered[parameter] = without_constants(found)
        return self.inputs.entered[parameter]

    def _told_of(self, source: Block, edge: Edge) -> Collection[Op]:
        """The values of which conditions say something where control takes an edge."""
        if edge not in self.inputs.told_on:
            conditions = self._conditions(source, edge)
            found = {value for told in conditions for value in self.inputs.told(*told)}
            self.inputs.told_on[edge] = without_constants(found)
        return self.inputs.told_on[edge]

    def _enter_all(self, block: Block, number: int) -> bool:
        """Whether the range of a parameter has grown."""
        parameters = enumerate(block.parameters)
        left = [(i, p) for i, p in parameters if not self._is_settled(block, i, p)]
        if not left:
            return False
        ways = self._ways(block)
        is_all = self.reached.issuperset(source for source, _ in self.predecessors[block])
        has_grown = False
        for i, parameter in left:
            if self._enter(block, ways, i, parameter, number):
                has_grown = True
                self.settled.pop(parameter, None)
            elif is_all:
                self.settled[parameter] = self.changes
        return has_grown

    def _make(self, op: Op) -> None:
        if op.width:
            chosen = op.operands[0] if isinstance(op, Extract) else op
            found = self._chosen(chosen, op) if isinstance(chosen, Select) else None
            if order := self.between.get(op):
                found = order.bounds(self._of(order.less), self._of(order.more))
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
            known = self.known_where(condition, holds)
            if known is not None:
                inside = self.given(side, known, CHOSEN_DEPTH)
                found.append(inside if op is select else cut_range(op, inside))
        return reduce(joined, found) if found else None

    def _of(self, op: Op) -> Range:
        found = self.found.get(op)
        if found is not None:
            return found
        return (op.value, op.value) if isinstance(op, Constant) else full(op)

    def _ways(self, block: Block) -> list[tuple[Edge, Known]]:
        """The edges by which control may come to a block, and what is known on each. It is looked
        at once a round: in the last one, no range is another than it was."""
        ways = [way for way in self.predecessors[block] if way[0] in self.reached]
        known = [(edge, self._known(source, edge)) for source, edge in ways]
        return [(edge, facts) for edge, facts in known if facts is not None]

    def _enter(
        self, block: Block, ways: list[tuple[Edge, Known]], i: int, parameter: Op, number: int
    ) -> bool:
        """Whether a parameter's range has grown."""
        old = self.found.get(parameter)
        if parameter in self.exact:
            new = self.exact[parameter]
        elif not ways or parameter.width == 1:
            new = full(parameter) if parameter.width == 1 else old
        else:
            carried = [self.given(e.arguments[i], known) for e, known in ways]
            new = reduce(joined, carried if old is None else [*carried, old])
        if new is None or new == old:
            return False
        if old is not None and number >= EXACT_ROUNDS:
            new = (
                full(parameter)
                if number > MOST_ROUNDS
                else widened(old, new, self.ends, mask(parameter.width))
            )
        self._put(parameter, self._limited(parameter, self._counted(block, parameter, new)))
        return self.found[parameter] != old

    def _counted(self, block: Block, parameter: Op, found: Range) -> Range:
        """The range, cut to what a counted loop's iterations step through."""
        step, trips = self.steps.get(parameter), block.trip_count
        if not step or trips is None or len(self.entries[block]) != 1:
            return found
        source, edge = self.entries[block][0]
        start = self._under(source, edge, edge.arguments[block.parameters.index(parameter)])
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
        sides = limit.start, limit.end
        start, end = (self._under(limit.source, limit.entry, side) for side in sides)
        if start is None or end is None:
            return found
        behind = end[0] + limit.has_end, end[1] + limit.has_end
        if start[1] >= behind[0] or end[1] > mask(parameter.width):
            return found
        return start[0], behind[1] - 1

    # -- what an edge carries -------------------------------------------------------------------

    def _under(self, source: Block, edge: Edge, value: Op) -> Range | None:
        """The range of a value where control takes the edge; None if it never does."""
        known = self._known(source, edge)
        return None if known is None else self.given(value, known)

    def _known(self, source: Block, edge: Edge) -> Known | None:
        """What the conditions on the way say of values; None if control never takes the edge. It is
        asked again for each parameter, and found again where one of those ranges has changed."""
        before, known = self.told.get(edge, (-1, None))
        if before == self.changes:
            return known
        if before < 0 or not self._is_as_at(before, self._told_of(source, edge)):
            known = self._found_known(source, edge)
        self.told[edge] = self.changes, known
        return known

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

    def known_where(self, condition: Op, holds: bool = True) -> Known | None:
        """What a condition says of values, or that it does not hold; None if that cannot be."""
        known: Known = {}
        return known if self.assume(known, condition, holds) else None

    def assume(self, known: Known, condition: Op, holds: bool) -> bool:
        """Puts what a condition says into `known`; False if it cannot be so."""
        for kind, a, b in self.inputs.comparisons(condition, holds):
            signed = self.inputs.signed(a), self.inputs.signed(b)
            ranges = narrowed(kind, a, b, lambda op: known.get(op) or self._of(op), signed)
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
        both = meet((found[0] << low, (found[1] << low) + mask(low)), before)
        if both is not None:
            known[source] = both

    def given(self, value: Op, known: Known, depth: int = REDONE_DEPTH) -> Range:
        """The range of a value, given what is known of others."""
        if not known:
            return self._of(value)
        plain = (
            known.get(value)
            or self.inputs.within(value, known, self._of(value)[1])
            or self._of(value)
        )
        if value in known or not depth or len(value.operands) > MOST_REDONE:
            return plain
        redone = result_range(value, lambda op: self.given(op, known, depth - 1))
        return meet(plain, redone) or plain
