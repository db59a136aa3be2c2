# SPDX-License-Identifier: Apache-2.0
"""interleave: iterations of an outer loop take turns in the loop inside it.

A sum of floating-point numbers waits for its last addition, and the adder stands still meanwhile.
Where the sums of several iterations of the outer loop have nothing to do with each other, the adder
can be kept busy with all of them: a nest that has become one loop (`flatten_nests`) takes the next
turn of one outer iteration only after a turn of each of the others. Every sum is still made in the
order of the C. What a turn leaves to the next one of its own iteration is kept in memories with a
place for each that takes turns.

Where their number is not a multiple of those that take turns, the last ones are joined by others
that load and store nothing.

Requires: find-independent (which loops), flatten-nests (one loop of a nest).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from tandem import policy
from tandem.analysis.nests import Nests
from tandem.analysis.readers import is_read_behind
from tandem.ir.blocks import Block, Edge, Jump, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.names import plain
from tandem.ir.ops import (
    Access,
    Add,
    And,
    Concat,
    Constant,
    Eq,
    Load,
    Ne,
    Op,
    Parameter,
    Select,
    Store,
    ULt,
    constant,
    parameter_like,
)
from tandem.passes.find_independent import UNKNOWN_TRIPS, varying_in
from tandem.passes.if_convert import enable_only
from tandem.passes.licm import INSIDE
from tandem.passes.preheaders import trips_before
from tandem.passes.simplify import substitute

TURNS = "interleave"
"""What the deed is called: this is the part of another pass."""


# -- the outer loop -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outer:
    """A loop whose iterations can take turns: how often it runs (0: as often as the call says), and
    by how much each of its header's parameters grows."""

    trips: int
    steps: tuple[int, ...]


def find_outer(kernel: Kernel, header: Block, body: set[Block], inner: Block) -> Outer | None:
    """What an outer loop is if its iterations can take turns in `inner`, else None."""
    if not inner.independent:
        return None
    loop = Nests.of(kernel).loops.get(header)
    if loop is None or loop.trips is None or is_read_behind(kernel, body, body):
        return None
    steps = [loop.affine.increments[parameter] for parameter in header.parameters]
    known = tuple(step for step in steps if step is not None)
    trips = loop.trips.value if isinstance(loop.trips, Constant) else 0
    return Outer(trips, known) if len(known) == len(steps) and trips != 1 else None


def ends_in_turn(nest: Block) -> bool:
    """Whether a nest in turns may be entered anew right behind its last turn: the next entry takes
    up the places of its own memories in the same order, but may reach any element that the last
    turns store elsewhere."""
    return not any("apart" in op.attributes for op in nest.ops if isinstance(op, Access))


def turns_to_try(trips: int, enough: int) -> list[int]:
    """How many iterations of a loop, `enough` or a few more, could take turns; of those that need
    few others to join the last ones. `trips`: how often the loop runs, 0 where the call says it."""
    if not trips:
        return [n for n in (1 << enough.bit_length() - 1, 1 << enough.bit_length()) if n >= enough]
    exact = [
        n
        for n in range(enough, min(policy.MORE_TURNS * enough, trips, policy.MOST_TURNS) + 1)
        if trips % n == 0
    ]
    return exact[:2] or [most_turns(Outer(trips, ()), min(enough, policy.MOST_TURNS))]


def most_turns(outer: Outer | None, wanted: int) -> int:
    """How many iterations take turns where so many are wanted, of one loop of the C in several
    places; 1 for none."""
    if outer is None or wanted == 1:
        return 1
    if not outer.trips:  # a multiple of it is found without dividing
        return 1 << (wanted - 1).bit_length()
    return -(-outer.trips // max(1, outer.trips // wanted))


def padded(kernel: Kernel, header: Block, body: set[Block], outer: Outer, turns: int) -> Outer:
    """The outer loop with a multiple of `turns` iterations: those beyond its own neither load nor
    store anything."""
    if outer.trips and outer.trips % turns == 0:
        return outer
    latch = next(b for b in body if header in b.successors)
    trips = _count(kernel, header, body, outer, latch)
    entries = [edge for block, edge in kernel.predecessors()[header] if block not in body]
    number = Parameter((), trips.width, line=header.line, name="number")
    header.parameters.append(number)
    for edge in entries:
        edge.arguments.append(constant(0, number.width))
    at_start = Builder(kernel, Block("start"))
    is_own = at_start.compare(ULt, number, trips)
    header.ops[:0] = at_start.block.ops
    for block in body:
        _enable(kernel, block, is_own)
    builder = Builder(kernel, latch)
    following = builder.plus(number, 1)
    back, leaving = sorted(latch.end.edges, key=lambda edge: edge.block is not header)
    back.arguments.append(following)
    is_more = _is_more(builder, following, trips, turns)
    latch.end = replace(latch.end, condition=is_more, edges=[back, leaving])
    return Outer(outer.trips, (*outer.steps, 1))


def _count(kernel: Kernel, header: Block, body: set[Block], outer: Outer, latch: Block) -> Op:
    """How often a loop runs, in so many bits that as many more than take turns have place."""
    most = outer.trips or next(b for b in body if b.independent).independent
    width = (most + policy.MOST_TURNS).bit_length()
    if outer.trips:
        return constant(outer.trips, width)
    builder, trips = trips_before(kernel, header, body, latch)
    return builder.resize(trips, width if most < UNKNOWN_TRIPS else trips.width + 1)


def _enable(kernel: Kernel, block: Block, is_own: Op) -> None:
    """Has all accesses of a block happen only where a condition holds too, but for reads that do no
    harm."""
    ops, builder = block.ops, Builder(kernel, Block("enables"))
    block.ops = []
    for op in ops:
        is_harmless = isinstance(op, Load) and op.memory.kind in INSIDE
        if isinstance(op, Access) and not is_harmless:
            enable_only(builder, op, is_own)
        block.ops += [*builder.block.ops, op]
        builder.block.ops = []


def _is_more(builder: Builder, following: Op, trips: Op, turns: int) -> Op:
    """Whether a loop that goes on to a multiple of `turns` iterations goes on after as many as
    `following` says."""
    if isinstance(trips, Constant):
        last: Op = constant(-(-trips.value // turns) * turns, trips.width)
    else:  # a power of two
        low = turns.bit_length() - 1
        up = builder.plus(trips, turns - 1)
        high = builder.extract(up, low, trips.width - low)
        last = builder.build(Concat, [high, constant(0, low)], trips.width)
    return builder.compare(Ne, following, last)


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
        self.turn = Parameter((), (turns - 1).bit_length(), name="turn")
        """Which of the outer iterations has its turn."""

    def run(self, body: set[Block]) -> None:
        """`body`: the blocks of the nest, without its header."""
        varying = varying_in(self.header, body, {p for p, step in self.steps.items() if step})
        self._tell_apart([op for block in (self.header, *body) for op in block.ops])
        self.header.interleaved = self.turns
        latch, following = self._latch(body)
        builder = Builder(self.kernel, latch, self.header.line)
        last = builder.compare(Eq, self.turn, self._number(self.turns - 1))
        again = builder.logic(And, [last, builder.invert(following[self.starting])])
        values: dict[Op, Op] = {}
        for parameter in self.header.parameters:
            if parameter in self.steps:
                values[parameter] = self._counted(builder, parameter, again)
            elif parameter not in varying:
                values[parameter] = _chosen(builder, last, following[parameter], parameter)
        upwards = builder.build(Add, [self.turn, self._number(1)], self.turn.width)
        self._keep(builder, [p for p in self.header.parameters if p not in values], following)
        following_turn = _chosen(builder, last, self._number(0), upwards)
        self._add_turn(latch, [*values.values(), following_turn])
        self.kernel.blocks = reverse_postorder(self.kernel.entry)

    def _tell_apart(self, ops: list[Op]) -> None:
        """Until the next turn of its outer iteration, nothing comes to what an iteration stores."""
        stored = {op.memory.name for op in ops if isinstance(op, Store)}
        accesses = Counter(op.memory.name for op in ops if isinstance(op, Access))
        for op in ops:
            if isinstance(op, Access) and op.memory.name in stored and accesses[op.memory.name] > 1:
                op.attributes["apart"] = self.turns - 1

    def _number(self, value: int) -> Op:
        return constant(value, self.turn.width)

    def _latch(self, body: set[Block]) -> tuple[Block, dict[Op, Op]]:
        """The block that all turns end with, and what it hands on of each parameter."""
        header = self.header
        latch = Block(block_name(self.kernel, f"{header.name}_turn"), line=header.line)
        latch.parameters = [parameter_like(p) for p in header.parameters]
        for block in body:
            for edge in block.end.edges:
                if edge.block is header:
                    edge.block = latch
        return latch, dict(zip(header.parameters, latch.parameters, strict=True))

    def _counted(self, builder: Builder, parameter: Op, again: Op) -> Op:
        """The next one's, unless this was the last one's turn and the first one's is next."""
        step = self.steps[parameter]
        back, onward = (builder.plus(parameter, by) for by in ((1 - self.turns) * step, step))
        return _chosen(builder, again, back, onward)

    def _keep(self, builder: Builder, parameters: list[Op], following: dict[Op, Op]) -> None:
        """Has memories hold parameters from turn to turn of an outer iteration."""
        reading = Builder(self.kernel, Block("reading"))
        replace: dict[Op, Op] = {}
        for parameter in parameters:
            width = parameter.width
            what = plain(parameter.name.partition(".")[0], "value")
            memory = Memory(f"{what}_kept", MemoryKind.RAM, width, self.turns)
            self.kernel.add_memory(memory)
            reading.line = builder.line = parameter.line
            replace[parameter] = reading.raw(
                Load, [self.turn], width, memory=memory, forwarded=self.turns - 1, own_turn=1
            )
            builder.raw(Store, [self.turn, following[parameter]], 0, memory=memory)
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
        latch.end = Jump(edges=[Edge(self.header, values)], line=self.header.line)


def _chosen(builder: Builder, condition: Op, one: Op, other: Op) -> Op:
    return builder.build(Select, [condition, one, other], one.width)
