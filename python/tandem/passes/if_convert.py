# SPDX-License-Identifier: Apache-2.0
"""if-convert: a region without inner loops becomes one block.

Every block of a region (`passes.regions`) gets a predicate. What its operations compute is computed
in any case; its loads and stores happen where the predicate holds; where ways meet, selects keep
the values of the way that was taken. A loop without inner loops becomes a block with one edge back
and one out of it: where its exits lead to different places, empty blocks behind it go on to them.
Elsewhere a region is converted if it goes on to few places (`CONVERTED_PLACES` of `tandem.policy`)
and leaves fewer blocks.

Requires: simplify. What not every pass through the region runs is limited in size: in a loop by
`CONVERTED_IN_LOOP`, since an iteration may then start every few cycles, unless a directive wants a
pipeline; elsewhere by `CONVERTED_ELSEWHERE`, since only a cycle a block is gained, and accesses of
one memory by `CONVERTED_ACCESSES`. Divisions are long chains: two of them are accepted in a loop,
and none elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tandem import policy
from tandem.analysis.predicates import ALWAYS, NEVER, Condition, Predicates, size
from tandem.analysis.regions import Region, Regions
from tandem.ir.blocks import Block, Branch, Edge, Jump, Return, Terminator, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory
from tandem.ir.ops import (
    WIRING,
    Access,
    And,
    Compare,
    Constant,
    Division,
    Logic,
    Op,
    Or,
    Parameter,
    Poll,
    Pop,
    Push,
    Select,
    Take,
)
from tandem.ir.processes import is_sure, may_start_with, stream_ops
from tandem.passes.simplify import substitute

SLUG = "if-convert"
SUMMARY = "turn branches into selects and conditional accesses, a loop's body into one block"

PRODUCT_LIMIT = 4
"""A condition with more products becomes a test of its own: products multiply with every further
branch by which only some of them leave."""


def run(kernel: Kernel) -> bool:
    """Converts every region that qualifies; whether there was any."""
    changed = False
    while (region := _next_region(kernel)) is not None:
        _Conversion(kernel, region).run()
        kernel.blocks = reverse_postorder(kernel.entry)
        changed = True
    return changed


def _next_region(kernel: Kernel) -> Region | None:
    return next((r for r in Regions(kernel).candidates() if _qualifies(r)), None)


def _qualifies(region: Region) -> bool:
    if not (_makes_a_loop(region) if region.is_loop else _makes_fewer_blocks(region)):
        return False
    if not _is_one_turn(region):
        return False
    if region.is_loop and region.head.is_to_be_pipeline:
        return True
    conditional = region.conditional()
    if not region.is_loop and _most_accesses(conditional) > policy.CONVERTED_ACCESSES:
        return False
    limit = policy.CONVERTED_IN_LOOP if region.is_loop else policy.CONVERTED_ELSEWHERE
    return sum(map(weight, conditional)) <= limit


def _most_accesses(blocks: Sequence[Block]) -> int:
    """Of those to one memory: each is a cycle, whether or not it happens."""
    counts = Counter(
        op.memory.name for block in blocks for op in block.ops if isinstance(op, Access)
    )
    return max(counts.values(), default=0)


def _is_one_turn(region: Region) -> bool:
    """Whether what every way through asks, takes and gives can start in one cycle, and what it
    takes is known then."""
    inner = [(block, op) for block in region.blocks[1:] for op in stream_ops(block)]
    if not inner:
        return True
    sure = _Sure(region)
    if any(isinstance(op, Take) and not sure.is_taken_at_once(block, op) for block, op in inner):
        return False
    behind: dict[Block, dict[Op, bool]] = {}
    for block in reversed(region.blocks):
        later: dict[Op, bool] = {}
        for successor in block.successors:
            later |= behind[successor] if successor in region.inner else {}
        own = list(stream_ops(block))
        if not all(may_start_with(a, b, is_sure=s) for a in own for b, s in later.items()):
            return False
        behind[block] = later | {op: sure.holds(block, op) for op in own}
    return True


class _Sure:
    """What of a region's records is there, and what room, when the one block starts."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.predicates = Predicates()
        self.polls = [op for block in region.blocks for op in stream_ops(block, Poll)]
        self.conditions = {region.head: ALWAYS}
        for block in region.blocks if self.polls else ():
            self._go_on(block)

    def _go_on(self, block: Block) -> None:
        """The conditions of what a block leads to, as far as it does."""
        for edge, wanted in zip(block.end.edges, (True, False), strict=False):
            way = self.conditions.get(block, NEVER)
            if block.end.condition is not None:
                way = self.predicates.both(way, self.predicates.of(block.end.condition, wanted))
            others = self.conditions.get(edge.block, NEVER)
            self.conditions[edge.block] = self.predicates.either([others, way])

    def holds(self, block: Block, op: Op) -> bool:
        """Whether a record is taken, or given, only where a poll has said that it can be."""
        return any(
            poll.memory is op.memory and (is_sure(op, poll) or self._excludes(block, poll))
            for poll in self.polls
        )

    def _excludes(self, block: Block, poll: Op) -> bool:
        """Whether control never comes to a block where a poll's answer is no."""
        if block is self.region.head:
            return False
        no = self.predicates.of(poll, False)
        return self.predicates.both(self.conditions.get(block, NEVER), no) == NEVER

    def is_taken_at_once(self, block: Block, op: Op) -> bool:
        """Whether it is known when the one block starts that a record is taken."""
        decisions = [b.end.condition for b in self._before(block) if b.end.condition is not None]
        decisions += [op.enable] if op.enable is not None else []
        return isinstance(op, Pop) and self.holds(block, op) and all(map(self._is_early, decisions))

    def _before(self, block: Block) -> list[Block]:
        """The blocks of the region through which a way leads to a block."""
        found = {block}
        for other in reversed(self.region.blocks):
            if found.intersection(other.successors) and other is not block:
                found.add(other)
        return [other for other in self.region.blocks if other in found and other is not block]

    def _is_early(self, value: Op, levels: int = policy.ASKING_LEVELS) -> bool:
        """Whether a value is there when an iteration starts, through so little logic."""
        made = {o for block in self.region.blocks for o in block.ops}
        inner = {o for block in self.region.blocks[1:] for o in block.parameters}
        if isinstance(value, Poll) or (value not in made and value not in inner):
            return True
        is_little = isinstance(value, (Logic, WIRING)) or (
            isinstance(value, Compare) and _is_narrow(value)
        )
        return (
            is_little and levels > 0 and all(self._is_early(o, levels - 1) for o in value.operands)
        )


def _is_narrow(comparison: Op) -> bool:
    """Whether a comparison is of so few bits that it is one or two levels of logic."""
    return comparison.operands[0].width <= policy.ASKING_BITS


def _makes_a_loop(region: Region) -> bool:
    """Whether it ends."""
    return any(target is not region.head for target in region.targets)


def _makes_fewer_blocks(region: Region) -> bool:
    """What returns, where others go on, is one of the places and stays a block; two places need
    none behind the region, and each further one needs one."""
    stays = bool(region.returns and region.targets)
    places = len(region.targets) + stays
    return places <= policy.CONVERTED_PLACES and len(region.blocks) > 1 + stays + max(0, places - 2)


def weight(block: Block) -> int:
    """What it costs to run a block for nothing."""
    return sum(
        policy.DIVISION_WEIGHT
        if isinstance(op, Division)
        else policy.OPERATION_WEIGHTS.get(op.slug, 1)
        for op in block.ops
    )


def enable_only(builder: Builder, op: Op, condition: Op) -> None:
    """Has an access, or a push, happen only where a condition holds too."""
    both = condition if op.enable is None else builder.logic(And, [op.enable, condition])
    op.read([*op.operands[: op.enable_at], both])


@dataclass
class _Way:
    """A way to go on: its condition, and what it carries along."""

    condition: Condition
    values: list[Op]


class _Conversion:
    """Of one region, whose head takes in the other blocks."""

    def __init__(self, kernel: Kernel, region: Region) -> None:
        self.kernel = kernel
        self.region = region
        self.builder = Builder(kernel, region.head)
        self.predicates = Predicates()
        self.replace: dict[Op, Op] = {}
        self.ways: dict[Block, list[_Way]] = {}
        """The ways that lead to a block, of the region or behind it."""
        self.returned: list[_Way] = []
        self.made: set[str] = set()
        """Names of the blocks made behind it."""

    def run(self) -> None:
        head = self.region.head
        self._onward(head.end, ALWAYS)
        for block in self.region.blocks[1:]:
            self._take_in(block)
        self._merge_pushes()
        head.end = self._end(head.end.line)
        substitute(self.kernel, self.replace)

    # -- blocks ---------------------------------------------------------------------------------

    def _take_in(self, block: Block) -> None:
        ways = self.ways.pop(block)
        condition = self._named(self.predicates.either(way.condition for way in ways))
        chosen = self._chosen(ways, condition)
        self.replace.update(zip(block.parameters, chosen, strict=True))
        enable = None
        if condition != ALWAYS and any(op.enable_at is not None for op in block.ops):
            enable = self.predicates.build(self.builder, condition)
        for op in block.ops:
            self._append(op, enable)
        self._onward(block.end, condition)

    def _merge_pushes(self) -> None:
        """One push in place of those of several ways, of which one at most is taken."""
        head, builder = self.region.head, self.builder
        pushes: dict[Memory, list[Op]] = {}
        for op in head.ops:
            if isinstance(op, Push):
                pushes.setdefault(op.memory, []).append(op)
        for memory, found in pushes.items():
            if len(found) == 1:
                continue
            head.ops = [op for op in head.ops if op not in found]
            value, enables = found[0].operands[0], []
            for op in found:
                assert op.enable is not None
                value = builder.build(Select, [op.enable, op.operands[0], value], value.width)
                enables.append(op.enable)
            builder.line = found[0].line
            builder.raw(Push, [value, builder.logic(Or, enables)], 0, memory=memory)

    def _named(self, condition: Condition) -> Condition:
        """The condition, as a test of its own where it is long."""
        if len(condition) <= PRODUCT_LIMIT:
            return condition
        return self.predicates.of(self.predicates.build(self.builder, condition), True)

    def _append(self, op: Op, enable: Op | None) -> None:
        """The operation as it is, its accesses bound to a condition."""
        operands = [self._use(o) for o in op.operands]
        if operands != op.operands:
            op.read(operands)
        op.bits = None
        if op.enable_at is not None and enable is not None:
            enable_only(self.builder, op, enable)
        self.region.head.ops.append(op)

    def _use(self, op: Op) -> Op:
        return self.replace.get(op, op)

    def _onward(self, end: Terminator, condition: Condition) -> None:
        """The ways on from a block that runs under a condition."""
        self.builder.line = end.line
        if isinstance(end, Return):
            values = [] if end.value is None else [self._use(end.value)]
            self.returned.append(_Way(condition, values))
        for position, edge in enumerate(end.edges):
            taken = condition
            if end.condition is not None:
                test = self.predicates.of(self._use(end.condition), wanted=position == 0)
                taken = self.predicates.both(condition, test)
            way = _Way(taken, [self._use(value) for value in edge.arguments])
            self.ways.setdefault(edge.block, []).append(way)

    # -- selects --------------------------------------------------------------------------------

    def _chosen(self, ways: Sequence[_Way], known: Condition) -> list[Op]:
        """What the way that is taken carries, where it is known that one of them is."""
        return [
            self._choice(list(column), [self.predicates.given(w.condition, known) for w in ways])
            for column in zip(*(way.values for way in ways), strict=True)
        ]

    def _choice(self, values: list[Op], conditions: list[Condition]) -> Op:
        """A tree of selects over different values."""
        cases: dict[object, tuple[Op, list[Condition]]] = {}
        for value, condition in zip(values, conditions, strict=True):
            key = (value.value, value.width) if isinstance(value, Constant) else value
            cases.setdefault(key, (value, []))[1].append(condition)
        return self._tree([(v, self.predicates.either(c)) for v, c in cases.values()])

    def _tree(self, cases: list[tuple[Op, Condition]]) -> Op:
        if len(cases) == 1:
            return cases[0][0]
        half = len(cases) // 2
        parts = cases[:half], cases[half:]
        yes, no = (self.predicates.either(c for _, c in part) for part in parts)
        values = [self._tree(part) for part in parts]
        if size(no) < size(yes):
            yes, values = no, values[::-1]
        return self.builder.build(
            Select, [self.predicates.build(self.builder, yes), *values], values[0].width
        )

    # -- the end --------------------------------------------------------------------------------

    def _end(self, line: int) -> Terminator:
        """How the block goes on: in a loop, back to itself or out of it."""
        if self.returned and not self.ways:
            value = self._chosen(self.returned, ALWAYS)
            return Return(value=value[0] if value else None, line=line)
        if self.returned:
            self._return_behind()
        first, *others = sorted(self.ways, key=lambda block: block is not self.region.head)
        if not others:
            return Jump(edges=[self._onto([first])[1]], line=line)
        return self._branch(self._onto([first]), self._onto(others), ALWAYS, line)

    def _return_behind(self) -> None:
        """What is returned goes through a block, as what goes on does."""
        behind = self._new_block("return")
        behind.parameters = [Parameter((), v.width) for v in self.returned[0].values]
        value = behind.parameters[0] if behind.parameters else None
        behind.end = Return(value=value)
        self.ways[behind] = self.returned

    def _onto(self, targets: list[Block]) -> tuple[Condition, Edge]:
        """The edge to a block, or to an empty one that goes on to several, with its condition."""
        condition = self.predicates.either(w.condition for t in targets for w in self.ways[t])
        if len(targets) == 1:
            return condition, Edge(targets[0], self._chosen(self.ways[targets[0]], condition))
        behind = self._new_block("exit")
        first, rest = self._onto(targets[:1]), self._onto(targets[1:])
        behind.end = self._branch(first, rest, condition, behind.line)
        return condition, Edge(behind)

    def _branch(
        self,
        one: tuple[Condition, Edge],
        other: tuple[Condition, Edge],
        known: Condition,
        line: int,
    ) -> Terminator:
        """On the condition that takes less, where it is known that one of them holds."""
        ways = [(self.predicates.given(condition, known), edge) for condition, edge in (one, other)]
        ways.sort(key=lambda way: size(way[0]))
        test = self.predicates.build(self.builder, ways[0][0])
        return Branch(test, [edge for _, edge in ways], line=line)

    def _new_block(self, what: str) -> Block:
        """An empty block behind the region, under a name of its own."""
        names = {block.name for block in [*self.kernel.blocks, *self.ways]} | self.made
        name = f"{self.region.head.name}_{what}"
        while name in names:
            name += "_"
        self.made.add(name)
        return Block(name, line=self.region.head.line)
