# SPDX-License-Identifier: Apache-2.0
"""interleave: iterations of an outer loop take turns in the loop inside it.

A sum of floating-point numbers waits for its last addition, and the adder stands still meanwhile.
Where the sums of several iterations of the outer loop have nothing to do with each other, the adder
can be kept busy with all of them: a nest that has become one loop (`flatten_nests`) takes the next
turn of one outer iteration only after a turn of each of the others. Every sum is still made in the
order of the C. What a turn leaves to the next one of its own iteration is kept in memories with a
place for each that takes turns.

Requires: flatten-nests. The outer loop runs a known number of times, of which `turns` is a divisor.
Its iterations differ in counters alone, and none reaches what another one stores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from tandem.analysis.nests import Form, Loop, Nests
from tandem.analysis.ranges import find_ranges
from tandem.ir.builder import Builder
from tandem.ir.kernel import (
    Block,
    Edge,
    Kernel,
    Memory,
    Op,
    Terminator,
    constant,
    reverse_postorder,
)
from tandem.ir.names import plain
from tandem.ir.operations import signed
from tandem.passes.preheaders import unused_name
from tandem.passes.simplify import substitute

MOST_TURNS = 64
"""More of them than any operator takes cycles."""


@dataclass(frozen=True)
class Outer:
    """A loop whose iterations can take turns: how often it runs, and by how much each of its
    header's parameters grows."""

    trips: int
    steps: tuple[int, ...]


def divisors(trips: int) -> list[int]:
    """How many iterations of an outer loop can take turns."""
    return [n for n in range(2, min(trips, MOST_TURNS) + 1) if trips % n == 0]


def most_turns(outer: Outer | None, wanted: int) -> int:
    """How many iterations take turns where so many are wanted, of one loop of the C in several
    places: as many as divide the number of each; 1 for none."""
    if outer is None:
        return 1
    return max((n for n in divisors(outer.trips) if n <= wanted), default=1)


def find_outer(kernel: Kernel, header: Block, body: set[Block], inner: Block) -> Outer | None:
    """What an outer loop is if its iterations can take turns in `inner`, else None."""
    if inner.trip_count is None or inner.trip_count.kind != "constant":
        return None
    nests = Nests(kernel, Builder(kernel, Block("forms")), find_ranges(kernel))
    loop, inside = nests.loops.get(header), nests.loops.get(inner)
    if loop is None or inside is None or inner not in loop.every or not _ends_at_latch(loop):
        return None
    trips = loop.trips
    if trips is None or trips.kind != "constant" or not divisors(trips.value):
        return None
    steps = [loop.affine.increments[parameter] for parameter in header.parameters]
    known = [step for step in steps if step is not None]
    if len(known) < len(steps) or not _are_apart(nests, loop, inside, trips.value):
        return None
    return Outer(trips.value, tuple(known))


def _ends_at_latch(loop: Loop) -> bool:
    """Whether the only way out is where the loop is closed."""
    leaving = [b for b in loop.body if any(s not in loop.body for s in b.successors)]
    return len(leaving) == 1 and loop.header in leaving[0].successors


def ends_in_turn(nest: Block) -> bool:
    """Whether a nest in turns may be entered anew right behind its last turn: the next entry takes
    up the places of its own memories in the same order, but may reach any element that the last
    turns store elsewhere."""
    loads = [op.attributes for op in nest.ops if op.kind == "load"]
    return all("own_turn" in those for those in loads if "forwarded" in those)


# -- what is stored -------------------------------------------------------------------------------


def _are_apart(nests: Nests, outer: Loop, inner: Loop, trips: int) -> bool:
    """Whether no iteration of the outer loop reaches what another one stores."""
    accesses: dict[str, list[Op]] = {}
    for block in outer.body:
        for op in block.ops:
            if op.is_access:
                accesses.setdefault(op.memory, []).append(op)
    return all(
        _never_meet(nests.form(a.index), nests.form(b.index), outer, inner, trips)
        for ops in accesses.values()
        for a, b in combinations_with_replacement(ops, 2)
        if "store" in (a.kind, b.kind)
    )


def _never_meet(a: Form | None, b: Form | None, outer: Loop, inner: Loop, trips: int) -> bool:
    """Whether two accesses reach one element in the same iteration of the outer loop at most: from
    one to the next they move further than they move within one."""
    if a is None or b is None or a.narrow or b.narrow:
        return False
    ways = {header: (_number(a, header), _number(b, header)) for header in {*a.steps, *b.steps}}
    here, within = ways.pop(outer.header, (0, 0)), ways.pop(inner.header, (0, 0))
    gap = _difference(a.base, b.base)
    if gap is None or here[0] is None or here[0] != here[1] or None in within:
        return False
    if any(one is None or one != other for one, other in ways.values()):
        return False
    assert inner.trips is not None
    last = inner.trips.value - 1
    spans = [sorted((0, step * last)) for step in within if step is not None]
    low, high = gap + spans[0][0] - spans[1][1], gap + spans[0][1] - spans[1][0]
    furthest = max(abs(low), abs(high)) + abs(here[0]) * (trips - 1)
    return max(abs(low), abs(high)) < abs(here[0]) and furthest < 1 << a.base.width


def _number(form: Form, header: Block) -> int | None:
    """By how much a form grows with a loop's iterations, if that is a number."""
    step = form.steps.get(header)
    if step is None:
        return 0
    return signed(step.value, step.width) if step.kind == "constant" else None


def _difference(a: Op, b: Op) -> int | None:
    if a.width != b.width:
        return None
    if a is b:
        return 0
    if a.kind == b.kind == "constant":
        return signed(a.value, a.width) - signed(b.value, b.width)
    return None


# -- turns ----------------------------------------------------------------------------------------


class Interleaving:
    """Of a nest that has become one loop. `header`: of it, whose first parameter says that a turn
    is the first one of an outer iteration, and whose next ones are those of the outer loop."""

    def __init__(self, kernel: Kernel, header: Block, outer: Outer, turns: int) -> None:
        self.kernel = kernel
        self.header = header
        self.starting, *others = header.parameters
        self.steps = dict(zip(others, outer.steps, strict=False))
        self.turns = turns
        self.turn = Op("parameter", (), (turns - 1).bit_length(), name="turn")
        """Which of the outer iterations has its turn."""

    def run(self, body: set[Block]) -> bool:
        """False, and nothing is changed, where outer iterations may have other turns than each
        other. `body`: the blocks of the nest, without its header."""
        varying = self._varying(body)
        if any(map(varying.__contains__, self._decisions(body))):
            return False
        ops = [op for block in (self.header, *body) for op in block.ops]
        stored = {op.memory for op in ops if op.kind == "store"}
        for op in ops:
            if op.kind == "load" and op.memory in stored:
                op.attributes["forwarded"] = self.turns - 1
        self.header.interleaved = self.turns
        latch, following = self._latch(body)
        builder = Builder(self.kernel, latch)
        builder.line = self.header.line
        last = builder.compare("eq", self.turn, self._number(self.turns - 1))
        again = builder.logic("and", [last, builder.invert(following[self.starting])])
        values: dict[Op, Op] = {}
        for parameter in self.header.parameters:
            if parameter in self.steps:
                values[parameter] = self._counted(builder, parameter, again)
            elif parameter not in varying:
                values[parameter] = _chosen(builder, last, following[parameter], parameter)
        upwards = builder.build("add", [self.turn, self._number(1)], self.turn.width)
        self._keep(builder, [p for p in self.header.parameters if p not in values], following)
        following_turn = _chosen(builder, last, self._number(0), upwards)
        self._add_turn(latch, [*values.values(), following_turn])
        self.kernel.blocks = reverse_postorder(self.kernel.entry)
        return True

    def _number(self, value: int) -> Op:
        return constant(value, self.turn.width)

    def _varying(self, body: set[Block]) -> set[Op]:
        """What may differ between outer iterations that take turns."""
        found = {p for p, step in self.steps.items() if step}
        size = -1
        while len(found) != size:
            size = len(found)
            for block in (self.header, *body):
                for op in block.ops:
                    if not op.pure or not found.isdisjoint(op.operands):
                        found.add(op)
                for edge in block.end.edges:
                    pairs = zip(edge.block.parameters, edge.arguments, strict=True)
                    found.update(parameter for parameter, value in pairs if value in found)
        return found

    def _decisions(self, body: set[Block]) -> Iterator[Op]:
        """What it depends on which turn is next in an outer iteration."""
        for block in (self.header, *body):
            if block.end.condition is not None and body.issuperset(
                {*block.successors} - {self.header}
            ):
                yield block.end.condition

    def _latch(self, body: set[Block]) -> tuple[Block, dict[Op, Op]]:
        """The block that all turns end with, and what it hands on of each parameter."""
        header = self.header
        latch = Block(unused_name(self.kernel, f"{header.name}_turn"), line=header.line)
        latch.parameters = [
            Op("parameter", (), p.width, line=p.line, name=p.name) for p in header.parameters
        ]
        for block in body:
            for edge in block.end.edges:
                if edge.block is header:
                    edge.block = latch
        return latch, dict(zip(header.parameters, latch.parameters, strict=True))

    def _counted(self, builder: Builder, parameter: Op, again: Op) -> Op:
        """The next one's, unless this was the last one's turn and the first one's is next."""
        width, step = parameter.width, self.steps[parameter]

        def moved(by: int) -> Op:
            return builder.build("add", [parameter, constant(by, width)], width)

        return _chosen(builder, again, moved((1 - self.turns) * step), moved(step))

    def _keep(self, builder: Builder, parameters: list[Op], following: dict[Op, Op]) -> None:
        """Has memories hold parameters from turn to turn of an outer iteration."""
        reading = Builder(self.kernel, Block("reading"))
        replace: dict[Op, Op] = {}
        for parameter in parameters:
            width = parameter.width
            what = plain(parameter.name.partition(".")[0], "value")
            memory = Memory(f"{what}_kept", "ram", width, self.turns)
            name = self.kernel.add_memory(memory).name
            reading.line = builder.line = parameter.line
            replace[parameter] = reading.raw(
                "load", [self.turn], width, memory=name, forwarded=self.turns - 1, own_turn=1
            )
            builder.raw("store", [self.turn, following[parameter]], 0, memory=name)
        for block in self.kernel.blocks:
            for edge in block.end.edges:
                if edge.block is self.header:
                    pairs = zip(self.header.parameters, edge.arguments, strict=True)
                    edge.arguments = [value for p, value in pairs if p not in replace]
        self.header.parameters = [p for p in self.header.parameters if p not in replace]
        self.header.ops[:0] = reading.block.ops
        substitute(self.kernel, replace)

    def _add_turn(self, latch: Block, values: list[Op]) -> None:
        """The parameter that counts them, and the only way back to the header."""
        for block in self.kernel.blocks:
            for edge in block.end.edges:
                if edge.block is self.header:
                    edge.arguments.append(self._number(0))
        self.header.parameters.append(self.turn)
        latch.end = Terminator("jump", edges=[Edge(self.header, values)], line=self.header.line)


def _chosen(builder: Builder, condition: Op, one: Op, other: Op) -> Op:
    return builder.build("select", [condition, one, other], one.width)
