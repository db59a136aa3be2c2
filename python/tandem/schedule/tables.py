# SPDX-License-Identifier: Apache-2.0
"""How many look-up tables the logic of a block takes, bit by bit.

What a table computes may depend on no more bits than it has inputs. Logic and choices behind each
other in one cycle are one table where that fits: a stage of a shifter that brings in zeros lies in
the tables of the next one. Of the ways to make a bit that is taken which needs the fewest tables,
those that several bits read being shared, as synthesis does off the longest paths. A choice of a
known bit that goes into a register takes none: the register is set to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count, product
from math import fsum

from tandem.ir.ops import WIRING, Compare, Equality, Op, Select, Sum
from tandem.ir.wiring import Bit, Bits, bits_of, is_constant
from tandem.schedule.cover import in_table
from tandem.schedule.live_bits import live_bits
from tandem.schedule.scheduled import BlockSchedule

Cut = frozenset[Bit]
"""The bits that a table reads."""


def is_small(op: Op, inputs: int) -> bool:
    """Whether all that a comparison depends on fits one table."""
    return isinstance(op, Compare) and len(_unknown(_all_bits(op))) <= inputs


def _is_with_known(op: Op) -> bool:
    return isinstance(op, Equality) and any(is_constant(bits_of(o)) for o in op.operands)


def _all_bits(op: Op) -> Iterator[Bit]:
    return (bit for operand in op.operands for bit in bits_of(operand))


def _unknown(bits: Iterable[Bit]) -> Cut:
    return frozenset([bit for bit in bits if type(bit) is not int])


class Tables:
    """The tables of a block's logic. `read`: which bits of each value somebody reads; `outside`:
    bits that other blocks read; `inputs`: of a table; `sums`: those whose bits are tables behind
    carries, where there is room for logic that alone reads them."""

    def __init__(
        self,
        schedule: BlockSchedule,
        read: Mapping[Op, int],
        outside: set[Bit],
        inputs: int,
        sums: Collection[Op] = (),
    ) -> None:
        self.schedule, self.inputs, self.sums = schedule, inputs, sums
        self.columns: dict[Bit, Bits] = {}
        """What each bit of logic is made of, of equal ones only of the first."""
        self.reads: dict[Bit, Cut] = {}
        """Of these the unknown bits."""
        self.cycle: dict[Bit, int] = {}
        """When it is there."""
        self.place: dict[Bit, int] = {}
        """Where it is in their order."""
        self.same: dict[Bit, Bit] = {}
        """Bits that are others."""
        self.masks: dict[Bit, tuple[int, frozenset[Bit], Bit]] = {}
        """Bits with what they are where one of some conditions holds, and what they are else."""
        self.readers: dict[Bit, int] = {}
        """How many bits are made of a bit in the cycle in which it is there."""
        self.apart: set[Bit] = set()
        """Bits that something else than a table reads in that cycle."""
        self.stored: set[Bit] = set()
        """Bits that wait in registers."""
        self.own: dict[Bit, Bit | None] = {}
        """Of bits that the register of one parameter takes in that cycle, and nothing later, that
        register."""
        self.cuts: dict[Bit, Cut] = {}
        self.share: dict[Bit, float] = {}
        """The tables that a bit takes, with its part of those that it shares, for each reader."""
        for op in schedule.block.ops:
            if in_table(op) or is_small(op, inputs) or op in sums:
                self._add(op, read.get(op, 0))
            elif _is_with_known(op) and read.get(op, 0):
                self._add_tree(op)
        self._find_readers(outside)
        for bit in self.columns:
            self._cover(bit)
        self.needed = self._needed()

    @property
    def masks_lut4(self) -> int:
        """Those that join the conditions of several choices."""
        masks = {read for bit in self.needed for read in self.cuts[bit] if type(read) is frozenset}
        return sum(-(-(len(m) - 1) // (self.inputs - 1)) for m in masks)

    @property
    def inside(self) -> set[Op]:
        """Operations of which bits lie in other bits' tables, or take none."""
        return {bit[0] for bit in self.columns.keys() - self.needed}

    def _add(self, op: Op, wanted: int) -> None:
        first: dict[Bits, Bit] = {}
        cycle = self.schedule.start[op]
        for i, column in enumerate(self._columns_of(op)):
            bit, made_of = (op, i), tuple([self.same.get(b, b) for b in column])
            reads = self._masked(bit, made_of, cycle) or _unknown(made_of)
            if not wanted >> i & 1 or not reads:
                continue
            other = _only(op, made_of, reads) or first.setdefault(made_of, bit)
            if other is bit:
                self.columns[bit], self.reads[bit], self.cycle[bit] = made_of, reads, cycle
                self.place[bit] = len(self.place)
            else:
                self.same[bit] = other

    def _add_tree(self, op: Op) -> None:
        """A comparison of many bits with known ones: of pairs of them, pairs of these, and so on.
        What is inside has numbers beyond the result's bit."""
        bits = [self.same.get(bit, bit) for bit in _all_bits(op)]
        level = list(dict.fromkeys(bit for bit in bits if type(bit) is not int))
        inner = count(op.width)
        while len(level) > 1:
            alone = level[len(level) & ~1 :]
            pairs = list(zip(level[::2], level[1::2], strict=False))
            level = [(op, next(inner) if len(pairs) > 1 or alone else 0) for _ in pairs]
            for bit, pair in zip(level, pairs, strict=True):
                self.columns[bit], self.reads[bit] = pair, frozenset(pair)
                self.cycle[bit], self.place[bit] = self.schedule.start[op], len(self.place)
            level += alone

    def _masked(self, bit: Bit, column: Bits, cycle: int) -> Cut | None:
        """What a bit reads that is another one unless several conditions hold, each of which stands
        before the next: synthesis makes one of them, for all bits."""
        if not isinstance(bit[0], Select) or column[1] == column[2]:
            return None
        known = next((place for place in (1, 2) if type(column[place]) is int), 0)
        for place in (known,) if known else (1, 2):
            value, chosen = column[place], column[3 - place]
            conditions = frozenset([(column[0], place)])
            before = self._before(chosen, value) if self.cycle.get(chosen) == cycle else None
            if before:
                conditions, chosen = conditions | before[0], before[1]
            if before or known:
                self.masks[bit] = value, conditions, chosen
            if before:
                return _unknown((chosen, value)) | {conditions}
        return None

    def _before(self, bit: Bit, value: Bit) -> tuple[frozenset[Bit], Bit] | None:
        """Unless which conditions hold a bit is that value, and what it is else."""
        found = self.masks.get(bit)
        if found and found[0] == value:
            return found[1:]
        column = self.columns.get(bit, ())
        if isinstance(bit[0], Select) and value in column[1:]:
            place = column.index(value, 1)
            return frozenset([(column[0], place)]), column[3 - place]
        return None

    @staticmethod
    def _columns_of(op: Op) -> Iterable[Bits]:
        if isinstance(op, Compare):
            return [tuple(_all_bits(op))]
        values = [bits_of(o) for o in op.operands]
        if isinstance(op, Sum):
            return _behind_carries(op)
        if isinstance(op, Select):
            values[0] *= op.width
        return zip(*values, strict=True)

    def _find_readers(self, outside: set[Bit]) -> None:
        for value, cycle in self._others():
            for bit in bits_of(value):
                found = self.same.get(bit, bit)
                if found in self.cycle:
                    (self.apart if self.cycle[found] == cycle else self.stored).add(found)
        self.stored.update(self.same.get(bit, bit) for bit in outside)
        for parameter, value, cycle in self._taken():
            for i, bit in enumerate(bits_of(value)):
                found = self.same.get(bit, bit)
                is_alone = found not in self.stored and self.cycle.get(found) == cycle
                self.own[found] = (parameter, i) if is_alone else None
                self.stored.add(found)
        for bit in reversed(self.cycle):
            is_read = bit in self.readers or bit in self.apart or bit in self.stored
            if is_read or bit[0] in self.sums:  # what is above in a sum reads what is below
                self._read_by(bit)

    def _read_by(self, bit: Bit) -> None:
        cycle = self.cycle[bit]
        for source in self.reads[bit]:
            if self.cycle.get(source) == cycle and bit[0] in self.sums:
                self.apart.add(source)  # the carry reads it too
            elif self.cycle.get(source) == cycle:
                self.readers[source] = self.readers.get(source, 0) + 1
            else:
                self.stored.add(source)
                self.own.pop(source, None)

    def _taken(self) -> Iterator[tuple[Op, Op, int]]:
        """What registers of parameters take, and when, if that is not when a pipeline is left."""
        schedule = self.schedule
        for edge in schedule.block.end.edges:
            for parameter, value in zip(edge.block.parameters, edge.arguments, strict=True):
                inner = edge.block is schedule.block and schedule.block.is_loop
                cycle = schedule.writes[parameter] if inner else schedule.leave - 1
                yield parameter, value, cycle if inner or not schedule.ii else -1

    def _following(self) -> tuple[list[Op], list[Op]]:
        """The parameters of a loop, and what they are next."""
        block = self.schedule.block
        return (block.parameters, block.back_edge.arguments) if block.is_loop else ([], [])

    def _others(self) -> Iterator[tuple[Op, int]]:
        """What is read by all but logic and the registers of parameters, and when: an iteration may
        read what the one before it gives in that very cycle."""
        logic = {bit[0] for bit in (*self.columns, *self.same)}
        for op, cycle in self.schedule.start.items():
            if op not in logic and not isinstance(op, WIRING):
                yield from ((operand, cycle) for operand in op.operands)
        block, schedule = self.schedule.block, self.schedule
        if block.end.condition is not None:
            yield block.end.condition, schedule.decide
        if block.end.value is not None:
            yield block.end.value, schedule.leave - 1
        for parameter, value in zip(*self._following(), strict=True):
            if schedule.passes_on(parameter):
                yield value, schedule.writes[parameter]

    def _cover(self, bit: Bit) -> None:
        """Finds what the table of a bit reads."""
        cycle = self.cycle[bit]
        reads = self.reads[bit]
        fresh = [b for b in reads if self.cycle.get(b) == cycle]
        fresh.sort(key=self.place.__getitem__)  # a set's own order is another one in every run
        best, flow = reads, 1.0
        if fresh and bit[0] not in self.sums:
            rest = reads.difference(fresh)
            ways = product(*map(self._ways, fresh))
            cuts = dict.fromkeys(rest.union(*way) for way in ways)
            fitting = [cut for cut in cuts if len(cut) <= self.inputs] or [reads]
            flows = [
                fsum(self.share[b] for b in cut if self.cycle.get(b) == cycle) for cut in fitting
            ]
            least = min(range(len(fitting)), key=lambda i: (flows[i], len(fitting[i])))
            best, flow = fitting[least], 1 + flows[least]
        self.cuts[bit] = best
        self.share[bit] = flow / (self.readers.get(bit, 0) + (bit in self.apart) or 1)

    def _ways(self, bit: Bit) -> list[Cut]:
        """A bit, and what its table reads where that may be part of another one: that behind a
        carry may if nothing else reads it."""
        itself = frozenset((bit,))
        is_alone = self.readers.get(bit) == 1 and bit not in self.apart and bit not in self.stored
        return [itself, self.cuts[bit]] if bit[0] not in self.sums or is_alone else [itself]

    def _needed(self) -> set[Bit]:
        """The bits that some table gives out."""
        found: set[Bit] = set()
        work = [bit for bit in self.columns if bit in self.apart or bit in self.stored]
        while work:
            bit = work.pop()
            if bit in found:
                continue
            reads = self._behind_a_set_register(bit)
            if reads is None:
                found.add(bit)
                reads = self.cuts[bit]
            cycle = self.cycle[bit]
            work += [b for b in reads if self.cycle.get(b) == cycle]
        return found

    def _behind_a_set_register(self, bit: Bit) -> Cut | None:
        """What a register takes in whose other value is known, or its own, if nothing else reads
        the choice: it is set, or keeps what it has."""
        column = self.columns[bit]
        if not isinstance(bit[0], Select) or bit in self.apart or self.readers.get(bit):
            return None
        own = self.own.get(bit)
        is_free = any(type(b) is int or b == own for b in column[1:])
        return self.reads[bit] if is_free else None


def _behind_carries(op: Op) -> list[Bits]:
    """What the table of each bit of a sum reads: two bits, of which a known one takes an input too,
    and a carry; below the first bit to which something is added, nothing but the other."""
    pairs = zip(*map(bits_of, op.operands), strict=True)
    width, passed = op.width, op.width - live_bits(op)
    columns: list[Bits] = []
    for i, pair in enumerate(pairs):
        inputs = [(op, width + 2 * i + k) if type(b) is int else b for k, b in enumerate(pair)]
        columns.append((*inputs, (op, 3 * width + i)) if i >= passed else pair)
    return columns


def _only(op: Op, column: Bits, reads: Cut) -> Bit | None:
    """The one bit that logic or a choice gives, or gives inverted."""
    if isinstance(op, Compare):
        return None
    if isinstance(op, Select) and column[1] == column[2]:
        return column[1]
    return next(iter(reads)) if len(reads) == 1 else None
