# SPDX-License-Identifier: Apache-2.0
"""flatten-nests: a loop around one short loop becomes one loop.

`while` inside `for`: a pipeline that starts anew for a few turns costs more than its turns. The two
get one header, and a flag that says what an iteration starts with: with the outer loop's body, or
with another turn of the inner loop. What an iteration goes through on its way to the next one has
no loop in it, so that if-convert makes one block of it. What later turns need of what the
outer body begins with is made again in all turns, where it is the same. Other values that it leaves
to them travel along.

Requires: if-convert. The inner loop is one block and cannot be counted on entry: a counted one is a
better pipeline alone, unless its turns are few; that is tried where it is asked for. A turn of the
inner loop then takes as long as a way through both loops, on which nothing may be much longer than
the inner loop alone (`FLATTENED_STRETCH` of `tandem.policy`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from functools import partial

from tandem import policy
from tandem.analysis.ranges import find_ranges
from tandem.analysis.readers import read_by
from tandem.analysis.trips import known_rounds
from tandem.ir.blocks import Block, Branch, Edge, reverse_postorder
from tandem.ir.deeds import Deed
from tandem.ir.dominators import Dominators, dominates, immediate_dominators
from tandem.ir.edges import block_name
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.ir.loops import nests_of_two
from tandem.ir.ops import (
    Concat,
    Division,
    Extract,
    Load,
    Mul,
    Op,
    Parameter,
    Store,
    StreamOp,
    constant,
    parameter_like,
)
from tandem.passes.count_loops import counts
from tandem.passes.if_convert import weight
from tandem.passes.interleave import (
    TURNS,
    Interleaving,
    Outer,
    ends_in_turn,
    find_outer,
    most_turns,
    padded,
)
from tandem.passes.simplify import read_instead, substitute

SLUG = "flatten-nests"
SUMMARY = "turn a loop around a short one into one loop"


def run(
    kernel: Kernel,
    wanted: Collection[LoopId] = frozenset(),
    interleaved: Mapping[LoopId, int] | None = None,
    kept_apart: Collection[LoopId] = frozenset(),
) -> bool:
    """Flattens the first nest that qualifies; whether there was one. Nests with short counted loops
    in them are flattened where the inner loop is `wanted`; the others are noted. So are those of
    whose outer loop several iterations can take turns; in the `interleaved` ones so many do, and
    loops around these are flattened too. Inner loops that are not counted and `kept_apart` stay
    what they are."""
    for header, body, inner in nests_of_two(kernel):
        if not _could_be(body, header, inner):
            continue
        outer = find_outer(kernel, header, body, inner)
        loop = inner.loop
        if outer is not None:
            kernel.independent.setdefault(loop, outer.trips)
        turns = most_turns(outer, (interleaved or {}).get(loop, 1))
        if turns > 1:
            is_taken = True
        elif inner.interleaved > 1:
            is_taken = ends_in_turn(inner) and _is_short(kernel, body, inner)
        elif _few_turns(inner):
            kernel.nests.add(loop)
            is_taken = loop in wanted
        else:
            is_taken = loop not in kept_apart and _is_worth_it(kernel, body, inner)
            kernel.while_nests |= {loop} if is_taken else set()
        if is_taken:
            _flatten(kernel, header, body, inner, outer if turns > 1 else None, turns)
            return True
    return False


def _flatten(
    kernel: Kernel, header: Block, body: set[Block], inner: Block, outer: Outer | None, turns: int
) -> None:
    """Makes one loop of a nest; of an `outer` loop so many iterations take turns."""
    for op in (op for block in body for op in block.ops):
        for known in ("apart", "in_step"):  # that was about iterations of the inner loop
            op.attributes.pop(known, None)
    kernel.deeds.append(Deed(SLUG if turns == 1 else TURNS, inner.loop, header.loop, count=turns))
    before = kernel.predecessors()[header]
    rounds = known_rounds(before, header, body, find_ranges(kernel)) or header.rounds
    if outer is None:
        _Flattening(kernel, header, body, inner, rounds).run()
        return
    outer = padded(kernel, header, body, outer, turns)
    flattening = _Flattening(kernel, header, body, inner, -(-rounds // turns) * turns)
    flattening.run()
    Interleaving(kernel, flattening.header, outer, turns).run(body)


def _could_be(body: set[Block], outer: Block, inner: Block) -> bool:
    if inner.wanted_ii is not None or outer.wanted_ii is not None or inner.copies is not None:
        return False
    if any(block.calls for block in body):
        return False
    if any(isinstance(op, (StreamOp, Division)) for b in body for op in b.ops):
        return False
    return sum(map(weight, body)) <= policy.CONVERTED_IN_LOOP


def _few_turns(inner: Block) -> int:
    """The turns of a counted loop that are too few for its pipeline to fill; else 0."""
    return inner.known_trips if inner.known_trips <= policy.FLATTENED_TURNS else 0


def _is_worth_it(kernel: Kernel, body: set[Block], inner: Block) -> bool:
    return not counts(kernel, inner) and _is_short(kernel, body, inner)


def _is_short(kernel: Kernel, body: set[Block], inner: Block) -> bool:
    return _chain(kernel, body) <= policy.FLATTENED_STRETCH * _chain(kernel, {inner})


def _chain(kernel: Kernel, body: set[Block]) -> int:
    """The longest chain of operations on a way through the blocks, each taken once."""
    depth: dict[Op, int] = {}
    for block in (block for block in kernel.blocks if block in body):
        for op in block.ops:
            before = max((depth.get(o, 0) for o in op.operands), default=0)
            depth[op] = before + _steps(op)
        for edge in block.end.edges:
            for parameter, value in zip(edge.block.parameters, edge.arguments, strict=True):
                depth[parameter] = max(depth.get(parameter, 0), depth.get(value, 0))
    return max(depth.values(), default=0)


def _steps(op: Op) -> int:
    if isinstance(op, (Load, Mul)):
        return policy.SLOW_OPERATION_LEVELS
    return 0 if isinstance(op, (Extract, Concat)) else 1


class _Flattening:
    """Of one nest. `header` becomes the header of both loops."""

    def __init__(
        self, kernel: Kernel, outer: Block, body: set[Block], inner: Block, rounds: int
    ) -> None:
        self.kernel = kernel
        self.outer = outer
        self.body = body
        self.inner = inner
        self.header = Block(
            block_name(kernel, f"{outer.name}_nest"), line=outer.line, loop=outer.loop
        )
        outer.loop = inner.loop = NO_LOOP
        of_inner = inner.known_trips or inner.rounds
        self.header.turns = (of_inner or 1) * inner.turns
        self.header.uncounted = inner.uncounted + (not of_inner)
        self.header.rounds = rounds
        self.header.interleaved = inner.interleaved
        self.starting = self._parameter(Parameter((), 1, name="starting"))
        self.of_outer = [self._parameter(p) for p in outer.parameters]
        self.of_inner = [self._parameter(p) for p in inner.parameters]

    def _parameter(self, like: Op) -> Op:
        made = parameter_like(like)
        self.header.parameters.append(made)
        return made

    def run(self) -> None:
        self._move_to_header()
        self._lead_to_header()
        self.inner.trip_count = None
        edges = [Edge(self.outer, self.of_outer), Edge(self.inner, self.of_inner)]
        edges = [Edge(edge.block, list(edge.arguments)) for edge in edges]
        self.header.end = Branch(self.starting, edges, line=self.outer.line)
        self.kernel.blocks = reverse_postorder(self.kernel.entry)
        # All turns of the inner loop hand on what the outer one has started with.
        substitute(self.kernel, dict(zip(self.outer.parameters, self.of_outer, strict=True)))
        _Repair(self.kernel, self.header, self.body).run()

    def _move_to_header(self) -> None:
        """What the outer loop's header leaves to later turns, if it is made of its parameters or
        read where nothing is written, is the same in all of them: made again in each, it need not
        be carried, nor wait for the flag."""
        same = self._same_in_all_turns()
        others = [block for block in self.kernel.blocks if block is not self.outer]
        left = {value for block in others for value in read_by(block)}
        for op in reversed(same):
            if op in left:
                left.update(op.operands)
        self.header.ops = [op for op in same if op in left]
        self.outer.ops = [op for op in self.outer.ops if op not in self.header.ops]

    def _same_in_all_turns(self) -> list[Op]:
        body = [op for block in self.body for op in block.ops]
        written = {op.memory.name for op in body if isinstance(op, Store)}
        changing = {*body, *(p for block in self.body for p in block.parameters)}
        changing -= set(self.outer.parameters)
        for op in self.outer.ops:
            is_read = isinstance(op, Load) and op.enable is None and op.memory.name not in written
            if (
                (is_read or op.pure)
                and not isinstance(op, Mul)
                and changing.isdisjoint(op.operands)
            ):
                changing.discard(op)
        return [op for op in self.outer.ops if op not in changing]

    def _lead_to_header(self) -> None:
        """Every edge to the outer loop's header, and the inner loop's edge back to itself."""
        following = list(self.inner.back_edge.arguments)
        dominators = immediate_dominators(self.kernel)
        for block in self.kernel.blocks:
            for edge in block.end.edges:
                if edge.block is self.outer:
                    unread = self._unread(block, following, dominators)
                    self._redirect(edge, 1, [*edge.arguments, *unread])
                elif edge.block is self.inner and block is self.inner:
                    self._redirect(edge, 0, [*self.of_outer, *edge.arguments])

    def _unread(self, block: Block, following: list[Op], dominators: Dominators) -> list[Op]:
        """What an edge to the outer loop brings for the inner one, which starts with other values:
        the same that another turn of it would be given, so that nothing has to choose."""
        if block not in self.body:
            return [constant(0, value.width) for value in self.of_inner]
        return following if dominates(self.inner, block, dominators) else self.of_inner

    def _redirect(self, edge: Edge, starting: int, arguments: list[Op]) -> None:
        edge.block = self.header
        edge.arguments = [constant(starting, 1), *arguments]


class _Repair:
    """Values that no longer dominate their uses become parameters on the ways between."""

    def __init__(self, kernel: Kernel, header: Block, body: set[Block]) -> None:
        self.kernel = kernel
        self.header = header
        self.body = body
        self.predecessors = kernel.predecessors()
        self.dominators = immediate_dominators(kernel)
        self.home = {op: b for b in body for op in [*b.parameters, *b.ops]}
        self.at_start: dict[tuple[Block, Op], Op] = {}
        self.pending: deque[tuple[Block, Op]] = deque()
        """First in, first out: edges receive arguments in the order of the parameters."""

    def run(self) -> None:
        for block in self.kernel.blocks:
            read_instead(block, partial(self._use, block))
        while self.pending:
            block, value = self.pending.popleft()
            for source, edge in self.predecessors[block]:
                edge.arguments.append(self._at_end(source, value, block))

    def _use(self, block: Block, value: Op) -> Op:
        home = self.home.get(value)
        if home is None or dominates(home, block, self.dominators):
            return value
        return self._at_start(block, value)

    def _at_start(self, block: Block, value: Op) -> Op:
        key = (block, value)
        if key not in self.at_start:
            made = parameter_like(value)
            self.at_start[key] = made
            block.parameters.append(made)
            self.pending.append(key)
        return self.at_start[key]

    def _at_end(self, block: Block, value: Op, towards: Block) -> Op:
        """The value at the end of a block; nobody reads it where the nest is entered."""
        if towards is self.header and block not in self.body:
            return constant(0, value.width)
        return self._use(block, value)
