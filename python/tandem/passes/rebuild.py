# SPDX-License-Identifier: Apache-2.0
"""Rebuilding a kernel: every operation made again, through the folding builder. What comes out as
it was stays the same object.

The one engine under the passes: they differ in which value an operation becomes, or how often a
block is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace

from tandem.diagnostics import Diagnostic, Infeasible
from tandem.ir.blocks import Block, Edge, Jump, reverse_postorder
from tandem.ir.builder import SEEN_THROUGH, Builder
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.names import is_told_by_clang
from tandem.ir.ops import WIRING, ArgumentOp, Constant, Op, Parameter, are_same, constant
from tandem.ir.wiring import bits_of, segments

Remake = Callable[[Builder, Op, list[Op]], Op | None]
"""(builder, old operation, its new operands) -> its new value, None for one without a result."""

EVERYWHERE = (Constant, ArgumentOp)
"""Values that are the same in all of a call of the kernel: no block makes them."""

OPERATION_LIMIT = 2_000_000


def remake(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
    """The same operation, folded: without a condition that always holds, and not at all under one
    that never does. A load then has any value."""
    if operands is builder.settled:
        return builder.again(op, operands)
    condition = op.enable_at
    if condition is not None and len(operands) > condition:
        (holds,) = bits_of(operands[condition])
        if holds == 0:
            return constant(0, op.width) if op.width else None
        operands = operands[:condition] if holds == 1 else operands
    if not op.width:
        builder.raw(type(op), operands, 0, **op.attributes)
        return None
    return builder.build(type(op), operands, op.width, **op.attributes)


def _take_name(made: Op, op: Op) -> bool:
    """What has come of a value has its name; and where that only places the bits of another, which
    a pass has made for it, so has the other. Whether there is such another one."""
    made.name = made.name or op.name
    if not made.name or not isinstance(made, WIRING):
        return False
    variable = made.name.split(".")[0]
    if is_told_by_clang(variable):
        return False
    place, has_named = 0, False
    for source, low, width in segments(bits_of(made)):
        if source is None or low or width < source.width or isinstance(source, Parameter):
            pass
        elif not source.name:
            source.name = f"{variable}_high" if place else made.name
            has_named = True
        place += width
    return has_named


class Elsewhere:
    """Those of some values (`own`) made once more where `builder` is. `known`: what stands there
    for some of them already."""

    def __init__(self, builder: Builder, own: Container[Op], known: Mapping[Op, Op]) -> None:
        self.builder = builder
        self.own = own
        self.known = dict(known)

    def value(self, value: Op) -> Op:
        """What stands for a value there."""
        if value not in self.known and value in self.own:
            made = remake(self.builder, value, [self.value(o) for o in value.operands])
            assert made is not None
            self.known[value] = made
        return self.known.get(value, value)


def rebuild(
    kernel: Kernel, change: Remake = remake, repeat: Mapping[Block, int] | None = None
) -> None:
    """Rebuilds `kernel` in place. Loops in `repeat` are replaced by that many copies of their
    body. Raises Infeasible when the kernel grows beyond `OPERATION_LIMIT` operations."""
    _Rebuild(kernel, change, repeat or {}).run()


def refold(kernel: Kernel, change: Remake = remake) -> bool:
    """Rebuilds `kernel` in place, and leaves it alone where every operation would only be made
    again as it is; whether any is another one. `change` has no memory of what it has made."""
    return _Rebuild(kernel, change, {}).run(may_stay=True)


class _Rebuild:
    def __init__(self, kernel: Kernel, change: Remake, repeat: Mapping[Block, int]) -> None:
        self.kernel = kernel
        self.change = change
        self.repeat = repeat
        self.values: dict[Op, Op] = {}
        """What has become of values that are others now."""
        self.kept: set[Op] = set()
        """Values that are made again, each as one of its own, and that folding sees as it did: what
        is settled and made of such ones alone need not be folded again."""
        self.near: set[Op] = set()
        """Those of the others that are as they were, but not what they are made of. Folding looks
        at what operands are made of, and no deeper."""
        self.left: list[Op] = []
        """Operations that are no part of the kernel any more."""
        self.blocks: dict[Block, Block] = {}
        self.is_same = True
        """Whether every operation so far has been made again as it is."""
        self.made = 0
        self.predecessors = kernel.predecessors()

    def run(self, may_stay: bool = False) -> bool:
        """Whether the kernel is another one: it is not where it `may_stay` what it is."""
        order = reverse_postorder(self.kernel.entry)
        for old in order:
            new = old.outline()
            self.blocks[old] = new
            if old in self.repeat:
                self._repeated(old, new)
            else:
                self._once(old, new)
        if may_stay and self.is_same:
            self._stay()
            return False
        for old in order:
            self._finish(old, self.blocks[old])
        self.kernel.blocks = [self.blocks[old] for old in order]
        self.kernel.facts.clear()  # most values are the same objects, in another kernel
        self._let_go()
        return True

    def _stay(self) -> None:
        """Operations that would be made again as they are need not be folded the next time."""
        for old in self.blocks:
            for op in old.ops:
                op.settled = op.operands

    def _let_go(self) -> None:
        """The bits of an operation name it, and blocks lead to each other: that would keep them
        until the collector comes."""
        for old in self.blocks:
            old.end.edges = []
        for op in self.left:
            op.bits = None

    def _once(self, old: Block, new: Block) -> None:
        new.parameters = list(old.parameters)
        self.kept.update(old.parameters)
        self._body(old, Builder(self.kernel, new), is_only=True)

    def _parameter(self, new: Block, old: Op) -> Op:
        made = old.like()
        new.parameters.append(made)
        return made

    def _body(self, old: Block, builder: Builder, is_only: bool = False) -> None:
        """Makes the operations of a block; `is_only`: this once."""
        values, made_here = self.values, builder.block.ops
        others = values.keys()
        self.made += len(old.ops)
        for op in old.ops:
            builder.line = op.line
            operands = op.operands
            if not others.isdisjoint(operands):
                operands = [values.get(o, o) for o in operands]
            is_settled = op.settled is op.operands and self._are_kept(op.operands)
            if not is_settled and isinstance(op, WIRING):
                op.bits = None  # what it is made of may read another value than it did
            # What becomes of what names a memory depends on that too.
            builder.settled = operands if is_settled and not op.has_memory else None
            builder.before = op if is_only else None
            before = len(made_here)
            made = self.change(builder, op, operands)
            new = made_here[-1] if len(made_here) == before + 1 else None
            if made is not None:
                if (made is not op or isinstance(op, WIRING)) and _take_name(made, op):
                    self.is_same = False
                if made is not op:
                    values[op] = made
                self.kept.discard(op)
            if new is not op:
                self.left.append(op)
            if (
                new is None
                or (op.width and new is not made)
                or not self._settle(op, new, operands, is_settled)
            ):
                self.is_same = False
        if self.made > OPERATION_LIMIT:
            place = self.kernel.place(old.line)
            message = f"unrolled, `{self.kernel.name}` exceeds {OPERATION_LIMIT} operations"
            raise Infeasible(
                Diagnostic(
                    "too-large", message, place, "put `#pragma tandem pipeline` on an inner loop"
                )
            )

    def _are_kept(self, operands: list[Op]) -> bool:
        if self.kept.issuperset(operands):
            return True
        self.kept.update(o for o in operands if isinstance(o, EVERYWHERE))
        return self.kept.issuperset(operands)

    def _settle(self, op: Op, made: Op, operands: list[Op], is_settled: bool) -> bool:
        """Notes what of an operation is as it was, if one was made for it alone: where two become
        one, what both go into may fold. Whether it is the same."""
        if type(made) is not type(op) or made.width != op.width:
            return False
        is_same = made is op or (
            made.attributes == op.attributes and are_same(made.operands, operands)
        )
        if not op.width:
            return is_same
        if is_settled or not isinstance(op, SEEN_THROUGH):
            self.kept.add(op)
        elif is_same and (op.settled is None or op.settled is op.operands):
            self._note_seen(op)
        if is_same:
            made.settled = made.operands
        return is_same

    def _note_seen(self, op: Op) -> None:
        """Notes how much of what folding sees of an operation is as it was."""
        if self._are_kept(op.operands):
            self.kept.add(op)
            return
        are_seen = all(o in self.kept or o in self.near for o in op.operands)
        if not isinstance(op, WIRING):
            (self.kept if are_seen else self.near).add(op)
        elif are_seen:
            self.near.add(op)

    def _repeated(self, old: Block, new: Block) -> None:
        """The loop body `repeat` times in one block; its exit edge is then the only one."""
        new.loop = NO_LOOP
        entries = [edge for block, edge in self.predecessors[old] if block is not old]
        if len(entries) == 1:
            current = [self.use(a) for a in entries[0].arguments]
        else:
            current = [self._parameter(new, p) for p in old.parameters]
        builder = Builder(self.kernel, new)
        for _ in range(self.repeat[old]):
            self.values.update(zip(old.parameters, current, strict=True))
            self._body(old, builder)
            current = [self.use(a) for a in old.back_edge.arguments]

    def use(self, op: Op) -> Op:
        return self.values.get(op, op)

    def _finish(self, old: Block, new: Block) -> None:
        if old.trip_count is not None and old not in self.repeat:
            new.trip_count = self.use(old.trip_count)
        edges = [self._edge(edge) for edge in old.end.edges]
        if old in self.repeat:
            exit_edge = old.exit_edge
            new.end = Jump(edges=[self._edge(exit_edge)], line=old.end.line)
            return
        condition = None if old.end.condition is None else self.use(old.end.condition)
        value = None if old.end.value is None else self.use(old.end.value)
        new.end = replace(old.end, condition=condition, edges=edges, value=value)

    def _edge(self, edge: Edge) -> Edge:
        target = self.blocks[edge.block]
        if edge.block in self.repeat and not target.parameters:
            return Edge(target, seldom=edge.seldom)
        return Edge(target, [self.use(a) for a in edge.arguments], edge.seldom)
