# SPDX-License-Identifier: Apache-2.0
"""reuse: what a memory holds is not read again where it is known.

Within a block: a load of an element that was loaded or stored before is that value, and a store
that is overwritten before anybody reads it is dropped. Over the iterations of a loop of one block:
a value that the next iterations would load again is kept in parameters of the loop.

Requires: narrow-widths (indices only as wide as the memory), bind-arguments (a stream needs every
access). The value of a load that is not enabled is undefined: a known value serves only where the
condition under which it is known is implied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from tandem.analysis.linear import (
    UNKNOWN,
    AffineLoop,
    Linear,
    Sums,
    dependence_distance,
)
from tandem.analysis.ranges import Range, find_ranges
from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Edge, Kernel, Op, constant, reverse_postorder
from tandem.ir.lines import LoopId
from tandem.ir.operations import mask
from tandem.ir.wiring import Bit, Bits, bits_of
from tandem.passes.preheaders import preheader
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import substitute, tidy

SLUG = "reuse"
SUMMARY = "pass over loads of known elements and stores that are overwritten"

WINDOW_LIMIT = 8
"""Iterations that a value is kept: a register each, and beyond a few a memory is the better one."""
FEW_BITS = 96
"""So many bits are kept in any case; of more it shows in the schedule whether they are worth it."""
MOST_ACCESSES = 64
"""Of one memory, whose places are compared with each other: the work grows with their square."""
DEPTH_LIMIT = 4
"""Levels of logic that are looked through to see that one condition implies another."""

Value = TypeVar("Value")
Base = tuple[int, frozenset[tuple[Op, int]]]
"""An index less its constant part. Two indices with one base and different constants never meet."""


def run(kernel: Kernel, reread: Collection[LoopId] = ()) -> bool:
    """Reuses what is known within blocks, then over the iterations of loops; whether there are
    accesses. Loops that are `reread` keep little; those that keep much are noted."""
    if not any(op.is_access for _, op in kernel.ops()):
        return False
    known = _Forwarding(kernel)
    rebuild(kernel, known.change)
    for block in kernel.blocks:
        _drop_overwritten(kernel, block)
    replace: dict[Op, Op] = {}
    for block in kernel.blocks.copy():
        if block.is_loop:
            replace |= _carry(known, block, reread)
    substitute(kernel, replace)
    kernel.blocks = reverse_postorder(kernel.entry)
    tidy(kernel)
    return True


# -- within a block -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """An element's value, where the condition `when` holds (None: always)."""

    index: Op
    value: Op
    when: Op | None


class _Elements(Generic[Value]):
    """Facts of the elements of memories; those of which it cannot be told that they are others are
    forgotten together."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.sums = Sums()
        self.facts: dict[str, dict[Base, dict[int, Value]]] = {}

    def place(self, access: Op, index: Op) -> tuple[Base, int]:
        """(base, constant) of an access's index."""
        form = self.sums.form(index)
        assert form is not None, "what is no sum is a term"
        form = _as_reached(self.kernel, access, form)
        terms = frozenset((op, factor) for op, factor in form.terms.items())
        return (form.width, terms), form.constant

    def get(self, access: Op, index: Op) -> Value | None:
        """What is known of the element that an access reaches."""
        base, offset = self.place(access, index)
        return self.facts.get(access.memory, {}).get(base, {}).get(offset)

    def set(self, access: Op, index: Op, value: Value) -> None:
        """Tells what is known of the element that an access reaches."""
        base, offset = self.place(access, index)
        self.facts.setdefault(access.memory, {}).setdefault(base, {})[offset] = value

    def forget(self, access: Op, index: Op) -> None:
        """Nothing is known any more of what the access may reach."""
        base, offset = self.place(access, index)
        others = self.facts.get(access.memory, {}).get(base, {})
        others.pop(offset, None)
        self.facts[access.memory] = {base: others}


def _as_reached(kernel: Kernel, access: Op, form: Linear) -> Linear:
    """The form of an index in the bits that the memory looks at."""
    width = min(form.width, kernel.index_bits(access))
    terms = {op: factor & mask(width) for op, factor in form.terms.items()}
    return Linear(
        width,
        form.constant & mask(width),
        form.step & mask(width),
        {op: factor for op, factor in terms.items() if factor},
    )


class _Forwarding:
    """Rebuilds blocks and follows what their memories hold."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._contents: dict[Block, _Elements[_Known]] = {}

    @cached_property
    def ranges(self) -> dict[Op, Range]:
        """Of the blocks as they are when all have been rebuilt."""
        return find_ranges(self.kernel)

    def contents(self, block: Block) -> _Elements[_Known]:
        """What is known at the point of a new block that has been reached; in the end, at its
        end."""
        return self._contents.setdefault(block, _Elements(self.kernel))

    def change(self, builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        """The value that an old operation becomes."""
        if op.kind == "load":
            return self.load(builder, op, operands)
        if op.kind == "store":
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
        contents.set(op, index, _Known(index, made, enable))
        return made

    def _store(self, builder: Builder, op: Op, operands: list[Op]) -> None:
        contents, (index, value) = self.contents(builder.block), operands[:2]
        enable = operands[2] if len(operands) > 2 else None
        before = contents.get(op, index)
        remake(builder, op, operands)
        contents.forget(op, index)
        contents.set(op, index, _stored(builder, _Known(index, value, enable), before))


def _stored(builder: Builder, new: _Known, before: _Known | None) -> _Known:
    """An element after a store, which if not enabled leaves what was there before."""
    if new.when is None or before is None:
        return new
    value = builder.build("select", [new.when, new.value, before.value], new.value.width)
    either = None if before.when is None else builder.logic("or", [new.when, before.when])
    return _Known(new.index, value, either)


def _drop_overwritten(kernel: Kernel, block: Block) -> None:
    """Drops stores to elements that are written again, in the same iteration, before a load that
    may read them."""
    later: _Elements[list[Op | None]] = _Elements(kernel)
    kept: list[Op] = []
    for op in reversed(block.ops):
        if op.kind == "store":
            covering = later.get(op, op.index) or []
            if any(implies(op.enable, enable) for enable in covering):
                continue
            later.set(op, op.index, [*covering, op.enable])
        elif op.kind == "load":
            later.forget(op, op.index)
        kept.append(op)
    block.ops = kept[::-1]


def implies(condition: Op | None, wanted: Op | None) -> bool:
    """Whether `wanted` is seen to hold wherever `condition` does; None holds always."""
    if wanted is None:
        return True
    given: Bit = 1 if condition is None else bits_of(condition)[0]
    return _implies(given, bits_of(wanted)[0], DEPTH_LIMIT)


def _implies(given: Bit, wanted: Bit, depth: int) -> bool:
    if type(given) is int or type(wanted) is int:
        return (type(given) is int and given == 0) or (type(wanted) is int and wanted == 1)
    if given == wanted:
        return True
    if not depth:
        return False
    if wanted[0].kind == "and":
        return all(_implies(given, bit, depth - 1) for bit in _inputs(wanted))
    if given[0].kind == "or":
        return all(_implies(bit, wanted, depth - 1) for bit in _inputs(given))
    weaker = _inputs(given) if given[0].kind == "and" else []
    stronger = _inputs(wanted) if wanted[0].kind == "or" else []
    return any(_implies(bit, wanted, depth - 1) for bit in weaker) or any(
        _implies(given, bit, depth - 1) for bit in stronger
    )


def _inputs(bit: Bit) -> Bits:
    """The bits that a bit of some logic is made of."""
    return tuple(bits_of(operand)[bit[1]] for operand in bit[0].operands)


# -- over the iterations of a loop --------------------------------------------------------------


@dataclass(frozen=True)
class _Kept:
    """What `load` reads is `source`, as it was known at the end of the iteration `turns` before."""

    load: Op
    source: Op
    turns: int


def _carry(known: _Forwarding, block: Block, reread: Collection[LoopId]) -> dict[Op, Op]:
    """Keeps in parameters what later iterations would load again; returns what each load becomes.
    What the first iterations read is loaded before the loop, where the C would read it too."""
    kernel = known.kernel
    entries = [(b, e) for b, e in kernel.predecessors()[block] if b is not block]
    if len(entries) != 1:
        return {}
    loop = AffineLoop(block, list(entries[0][1].arguments), ranges=known.ranges)
    found = list(_kept(kernel, block, loop, known.contents(block)))
    is_much = sum(kept.turns * kept.load.width for kept in found) > FEW_BITS
    if is_much:
        kernel.windows.add(block.loop)
    if not found or (is_much and block.loop in reread):
        return {}
    source, entry = preheader(kernel, *entries[0])
    builder = Builder(kernel, source)
    return {
        kept.load: _chain(block, entry, kept, _starts(known, builder, loop, kept)) for kept in found
    }


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
    width = max(trips.width, WINDOW_LIMIT.bit_length())
    return [builder.compare("ult", constant(turn, width), builder.resize(trips, width))]


def _kept(
    kernel: Kernel, block: Block, loop: AffineLoop, contents: _Elements[_Known]
) -> Iterator[_Kept]:
    """The loads of the loop whose values are known from earlier iterations. A memory's only access
    is left as it is: it costs nothing."""
    accesses = [op for op in block.ops if op.is_access]
    known: dict[str, list[_Known]] = {}
    for i, load in enumerate(accesses):
        same = [op for op in accesses if op.memory == load.memory]
        if load.kind != "load" or load.enable is not None or len(same) < 2:
            continue
        if load.memory not in known:
            known[load.memory] = [*_known_at_end(kernel, loop, same, contents)]
        kept = _nearest(kernel, loop, load, known[load.memory])
        if kept is None or (kept.turns > 1 and block.trip_count is None):
            continue
        before = [op for op in accesses[:i] if op.kind == "store" and op.memory == load.memory]
        after = [op for op in accesses[i:] if op.kind == "store" and op.memory == load.memory]
        if all(_undisturbed(kernel, loop, op, kept, 0) for op in before) and all(
            _undisturbed(kernel, loop, op, kept, 1) for op in after
        ):
            yield kept


def _form(kernel: Kernel, loop: AffineLoop, access: Op) -> Linear | None:
    form = loop.apart.form(access.index)
    return None if form is None else _as_reached(kernel, access, form)


def _nearest(kernel: Kernel, loop: AffineLoop, load: Op, at_end: Iterable[_Known]) -> _Kept | None:
    """The latest iteration at whose end the element was known that `load` reads."""
    form = _form(kernel, loop, load)
    best: _Kept | None = None
    for known in at_end:
        source = loop.apart.form(known.index)
        if form is None or source is None or known.when is not None:
            continue
        turns = _turns(_as_reached(kernel, load, source), form)
        if turns is not None and (best is None or turns < best.turns):
            best = _Kept(load, known.value, turns)
    return best


def _known_at_end(
    kernel: Kernel, loop: AffineLoop, accesses: list[Op], contents: _Elements[_Known]
) -> Iterator[_Known]:
    """What is known of a memory at the end of an iteration: what the block has told, and what its
    accesses have left that no later one in the iteration comes to. Of that the loop knows more."""
    for facts in contents.facts.get(accesses[0].memory, {}).values():
        yield from facts.values()
    for i, access in enumerate(accesses if len(accesses) <= MOST_ACCESSES else ()):
        if access.enable is None and not any(
            _may_meet(kernel, loop, access, later) for later in accesses[i + 1 :]
        ):
            value = access.operands[1] if access.kind == "store" else access
            yield _Known(access.index, value, None)


def _may_meet(kernel: Kernel, loop: AffineLoop, access: Op, later: Op) -> bool:
    """Whether a store may overwrite, in the same iteration, what another access has left."""
    if later.kind != "store":
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
    return turns if 1 <= turns <= WINDOW_LIMIT else None


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
        parameter = Op("parameter", (), start.width, line=kept.load.line, name=kept.load.name)
        block.parameters.append(parameter)
        entry.arguments.append(start)
        block.back_edge.arguments.append(value)
        value = parameter
    return value
