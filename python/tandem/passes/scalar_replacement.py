# SPDX-License-Identifier: Apache-2.0
"""scalar-replacement: what a memory holds is not read again where it is known.

Within a block: a load of an element that was loaded or stored before is that value, a store that is
overwritten before anybody reads it is dropped, and one that may be overwritten is part of the store
that may do so. Over the iterations of a loop of one block: a value that the next iterations would
load again is kept in parameters of the loop.

Requires: narrow-widths (indices only as wide as the memory), bind-arguments (a stream needs every
access). The value of a load that is not enabled is undefined: a known value serves only where the
condition under which it is known is implied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tandem import policy
from tandem.analysis.affine import UNKNOWN, AffineLoop, dependence_distance
from tandem.analysis.linear import Linear
from tandem.analysis.situations import Situations
from tandem.ir.blocks import Block, Edge, reverse_postorder
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import Access, Load, Op, Or, Parameter, Select, Store, ULt, constant
from tandem.ir.wiring import bits_of
from tandem.passes.chosen_places import Choice, Places
from tandem.passes.elements import Elements, Known, as_reached, implies
from tandem.passes.preheaders import preheader
from tandem.passes.rebuild import refold, remake
from tandem.passes.simplify import substitute, tidy_all

SLUG = "scalar-replacement"
SUMMARY = "pass over loads of known elements and stores that are overwritten"

MOST_ACCESSES = 64
"""Of one memory, whose places are compared with each other: the work grows with their square."""


def run(kernel: Kernel, reread: Collection[LoopId] = ()) -> bool:
    """Reuses what is known within blocks, then over the iterations of loops; whether anything has
    changed. Loops that are `reread` keep little; those that keep much are noted."""
    if not any(isinstance(op, Access) for _, op in kernel.ops()):
        return False
    known = _Forwarding(kernel)
    changed = refold(kernel, known.change)
    for block in kernel.blocks:
        changed |= _drop_overwritten(kernel, block)
        changed |= _join_overwritten(kernel, block)
    replace: dict[Op, Op] = {}
    for block in kernel.blocks.copy():
        if block.is_loop:
            replace |= _carry(known, block, reread)
    if replace:
        substitute(kernel, replace)
        kernel.blocks = reverse_postorder(kernel.entry)
    return tidy_all(kernel) or changed or bool(replace)


# -- within a block -----------------------------------------------------------------------------


class _Forwarding:
    """Rebuilds blocks and follows what their memories hold."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._contents: dict[str, Elements[Known]] = {}
        """By the names of blocks: one that stays as it was is not the new one."""

    @cached_property
    def situations(self) -> Situations:
        """Of the blocks as they are when all have been rebuilt."""
        return Situations(self.kernel)

    def contents(self, block: Block) -> Elements[Known]:
        """What is known at the point of a new block that has been reached; in the end, at its
        end."""
        return self._contents.setdefault(block.name, Elements(self.kernel))

    def change(self, builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        """The value that an old operation becomes."""
        if isinstance(op, Load):
            return self.load(builder, op, operands)
        if isinstance(op, Store):
            self._store(builder, op, operands)
            return None
        return remake(builder, op, operands)

    def load(self, builder: Builder, op: Op, operands: list[Op]) -> Op:
        """What a load of that memory with these operands reads: a known value, or a new load."""
        contents, index = self.contents(builder.block), operands[0]
        enable = operands[1] if len(operands) > 1 else None
        known = contents.get(op, index)
        if known is not None and implies(enable, known.when):
            return known.value
        made = remake(builder, op, operands)
        assert made is not None
        contents.set(op, index, Known(index, made, enable))
        return made

    def _store(self, builder: Builder, op: Op, operands: list[Op]) -> None:
        contents, (index, value) = self.contents(builder.block), operands[:2]
        enable = operands[2] if len(operands) > 2 else None
        before = contents.get(op, index)
        remake(builder, op, operands)
        contents.forget(op, index)
        contents.set(op, index, _stored(builder, Known(index, value, enable), before))


def _stored(builder: Builder, new: Known, before: Known | None) -> Known:
    """An element after a store, which if not enabled leaves what was there before."""
    if new.when is None or before is None:
        return new
    value = builder.build(Select, [new.when, new.value, before.value], new.value.width)
    either = None if before.when is None else builder.logic(Or, [new.when, before.when])
    return Known(new.index, value, either)


def _drop_overwritten(kernel: Kernel, block: Block) -> bool:
    """Drops stores to elements that are written again, in the same iteration, before a load that
    may read them; whether there are any."""
    later: Elements[list[Op | None]] = Elements(kernel)
    kept: list[Op] = []
    for op in reversed(block.ops):
        if isinstance(op, Store):
            covering = later.get(op, op.index) or []
            if any(implies(op.enable, enable) for enable in covering):
                continue
            later.set(op, op.index, [*covering, op.enable])
        elif isinstance(op, Load):
            later.forget(op, op.index)
        kept.append(op)
    changed = len(kept) < len(block.ops)
    block.ops = kept[::-1]
    return changed


def _join_overwritten(kernel: Kernel, block: Block) -> bool:
    """Makes one store of two to an element, in the same iteration, of which the second may not
    happen, where no access between them may reach it: a port is asked once. Whether there are
    any."""
    pending: Elements[Op] = Elements(kernel)
    builder, joined = Builder(kernel, block), set[Op]()
    ops, block.ops = block.ops, []
    for op in ops:
        before = pending.get(op, op.index) if isinstance(op, Store) else None
        enable = op.enable
        if before is not None and enable is not None and before.attributes == op.attributes:
            builder.line = op.line
            made = _one_store(builder, before, op, enable)
            joined.add(before)
        else:
            made = op
            block.ops.append(op)
        if isinstance(op, Access):
            pending.forget(op, op.index)
        if isinstance(op, Store):
            pending.set(op, op.index, made)
    block.ops = [op for op in block.ops if op not in joined]
    return bool(joined)


def _one_store(builder: Builder, first: Op, second: Op, enable: Op) -> Op:
    """Both of two stores to one element, of which the second one happens where `enable` says."""
    index, value = second.operands[:2]
    value = builder.build(Select, [enable, value, first.operands[1]], value.width)
    either = builder.logic(Or, [first.enable or constant(1, 1), enable])
    when = [] if bits_of(either) == (1,) else [either]
    return builder.raw(Store, [index, value, *when], 0, **second.attributes)


# -- over the iterations of a loop --------------------------------------------------------------


@dataclass(frozen=True)
class _Kept:
    """What `load` reads is `source`, as it was known at the end of the iteration `turns` before."""

    load: Op
    source: Op
    turns: int

    @property
    def stays(self) -> bool:
        """Whether all iterations read the same: there is no window that moves."""
        return self.source is self.load and self.turns == 1


def _carry(known: _Forwarding, block: Block, reread: Collection[LoopId]) -> dict[Op, Op]:
    """Keeps in parameters what later iterations would load again; returns what each load becomes.
    What the first iterations read is loaded before the loop, where the C would read it too."""
    kernel = known.kernel
    entries = [(b, e) for b, e in kernel.predecessors()[block] if b is not block]
    if len(entries) != 1:
        return {}
    loop = AffineLoop(block, list(entries[0][1].arguments), ranges=known.situations.ranges)
    at_end = _AtEnd(kernel, loop, known.contents(block))
    found = list(_kept(kernel, loop, at_end))
    window = [kept for kept in found if not kept.stays]
    is_much = sum(kept.turns * kept.load.width for kept in window) > policy.KEPT_BITS
    if is_much:
        kernel.windows.add(block.loop)
    if is_much and block.loop in reread:
        found = [kept for kept in found if kept.stays]
        kernel.deeds.append(Deed(SLUG, block.loop))
    places = Places(kernel, loop, known.situations)
    chosen = list(_chosen(places, at_end, {kept.load for kept in found}))
    if not found and not chosen:
        return {}
    source, entry = preheader(kernel, *entries[0])
    builder = Builder(kernel, source)
    return {
        kept.load: _chain(block, entry, kept, _starts(known, builder, loop, kept)) for kept in found
    } | {
        load: _chain(block, entry, kept, [_first(known, builder, places, load)])
        for load, choice in chosen
        for kept in [_Kept(load, choice.made(Builder(kernel, block)), 1)]
    }


def _chosen(places: Places, at_end: _AtEnd, others: Collection[Op]) -> Iterator[tuple[Op, Choice]]:
    """The other loads at places that an iteration chooses for the next one, with what is there."""
    for load, same in at_end.again_read():
        before = same[: same.index(load)]
        if load not in others and all(isinstance(op, Load) for op in before):
            choice = places.next_value(load, at_end.known(load.memory.name))
            if choice is not None:
                yield load, choice


def _first(known: _Forwarding, builder: Builder, places: Places, load: Op) -> Op:
    """What a load at a chosen place reads in the first iteration, as it is before the loop."""
    builder.line = load.line
    return known.load(builder, load, [places.first_index(load, builder)])


def _starts(known: _Forwarding, builder: Builder, loop: AffineLoop, kept: _Kept) -> list[Op]:
    """What the load reads in the first iterations, as it is before the loop; it is read there only
    if there is such an iteration."""
    form = loop.form(kept.load.index)
    assert form is not None
    builder.line = kept.load.line
    return [
        known.load(
            builder,
            kept.load,
            [form.after(turn).value(builder), *_if_reached(builder, loop.block, turn)],
        )
        for turn in range(kept.turns)
    ]


def _if_reached(builder: Builder, block: Block, turn: int) -> list[Op]:
    """The enable of what only that iteration of the loop does: none for the first, there is one."""
    trips = block.trip_count
    if not turn or trips is None:
        return []
    width = max(trips.width, policy.KEPT_ITERATIONS.bit_length())
    return [builder.compare(ULt, constant(turn, width), builder.resize(trips, width))]


def _kept(kernel: Kernel, loop: AffineLoop, at_end: _AtEnd) -> Iterator[_Kept]:
    """The loads of the loop whose values are known from earlier iterations."""
    for load, same in at_end.again_read():
        kept = _nearest(kernel, loop, load, at_end.known(load.memory.name))
        if kept is None or (kept.turns > 1 and loop.block.trip_count is None):
            continue
        place = same.index(load)
        before, after = (
            [op for op in part if isinstance(op, Store)] for part in (same[:place], same[place:])
        )
        if all(_undisturbed(kernel, loop, op, kept, 0) for op in before) and all(
            _undisturbed(kernel, loop, op, kept, 1) for op in after
        ):
            yield kept


def _form(kernel: Kernel, loop: AffineLoop, access: Op) -> Linear | None:
    form = loop.apart.form(access.index)
    return None if form is None else as_reached(kernel, access, form)


def _nearest(kernel: Kernel, loop: AffineLoop, load: Op, at_end: Iterable[Known]) -> _Kept | None:
    """The latest iteration at whose end the element was known that `load` reads."""
    form = _form(kernel, loop, load)
    best: _Kept | None = None
    for known in at_end:
        source = loop.apart.form(known.index)
        if form is None or source is None or known.when is not None:
            continue
        turns = _turns(as_reached(kernel, load, source), form)
        if turns is not None and (best is None or turns < best.turns):
            best = _Kept(load, known.value, turns)
    return best


class _AtEnd:
    """What is known of memories at the end of an iteration: what the block has told, and what its
    accesses have left that no later one in the iteration comes to. Of that the loop knows more."""

    def __init__(self, kernel: Kernel, loop: AffineLoop, contents: Elements[Known]) -> None:
        self.kernel = kernel
        self.loop = loop
        self.contents = contents
        self.accesses: dict[str, list[Op]] = {}
        for op in loop.block.ops:
            if isinstance(op, Access):
                self.accesses.setdefault(op.memory.name, []).append(op)
        self._known: dict[str, list[Known]] = {}

    def again_read(self) -> Iterator[tuple[Op, list[Op]]]:
        """Loads that always happen, each with all accesses of its memory. A memory's only access
        is left as it is: it costs nothing."""
        for same in self.accesses.values():
            for load in same if len(same) > 1 else ():
                if isinstance(load, Load) and load.enable is None:
                    yield load, same

    def known(self, memory: str) -> list[Known]:
        """Of the elements of a memory."""
        if memory not in self._known:
            self._known[memory] = list(self._find(memory))
        return self._known[memory]

    def _find(self, memory: str) -> Iterator[Known]:
        for facts in self.contents.facts.get(memory, {}).values():
            yield from facts.values()
        accesses = self.accesses[memory]
        for i, access in enumerate(accesses if len(accesses) <= MOST_ACCESSES else ()):
            if access.enable is None and not any(
                _may_meet(self.kernel, self.loop, access, later) for later in accesses[i + 1 :]
            ):
                value = access.operands[1] if isinstance(access, Store) else access
                yield Known(access.index, value, None)


def _may_meet(kernel: Kernel, loop: AffineLoop, access: Op, later: Op) -> bool:
    """Whether a store may overwrite, in the same iteration, what another access has left."""
    if not isinstance(later, Store):
        return False
    distance = dependence_distance(_form(kernel, loop, access), _form(kernel, loop, later))
    return distance is not None and (isinstance(distance, int) or distance.first == 0)


def _turns(source: Linear, load: Linear) -> int | None:
    """After how many iterations, from 1 to the limit, `load` is where `source` was; None if it is
    not."""
    if source == load and not source.step:
        return 1
    distance = dependence_distance(source, load)
    if distance is None or isinstance(distance, int):
        return None
    turns = distance.first or distance.period
    return turns if 1 <= turns <= policy.KEPT_ITERATIONS else None


def _undisturbed(kernel: Kernel, loop: AffineLoop, store: Op, kept: _Kept, first: int) -> bool:
    """Whether the store, `first` and more iterations before the load, leaves what was known at the
    end of the source's iteration."""
    distance = dependence_distance(_form(kernel, loop, store), _form(kernel, loop, kept.load))
    if distance is None:
        return True
    if isinstance(distance, int):
        assert distance == UNKNOWN
        return first == kept.turns
    return not any(
        turn == distance.first or (distance.period and turn % distance.period == distance.first)
        for turn in range(first, kept.turns)
    )


def _chain(block: Block, entry: Edge, kept: _Kept, starts: list[Op]) -> Op:
    """Parameters through which the source's value comes to the load; `starts` are what the loads of
    the first iterations read."""
    value = kept.source
    for start in reversed(starts):
        parameter = Parameter((), start.width, line=kept.load.line, name=kept.load.name)
        block.parameters.append(parameter)
        entry.arguments.append(start)
        block.back_edge.arguments.append(value)
        value = parameter
    return value
