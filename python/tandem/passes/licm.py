# SPDX-License-Identifier: Apache-2.0
"""licm: what every iteration of a loop reads at one place is read once, before the loop.

A load whose index does not change, from a memory that the loop does not write there, occupies a
port in every iteration and makes whatever waits for it wait a cycle longer. Its value is held in a
register instead. A load that not every iteration reaches goes too if it reads a memory inside the
kernel: there is always something to read there, and nobody asks for it where it is not meant.

A loop of one block keeps its loads from memories that it does not write: `scalar-replacement` knows
what its iterations hand on. To see that, it must see which part of an index moves; what does not is
computed before the loop.

Requires: bind-arguments (extents and streams are told from where the C reads).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from tandem.analysis.meetings import Meetings
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.dominators import immediate_dominators
from tandem.ir.functions import stored_in
from tandem.ir.kernel import Kernel
from tandem.ir.loops import always_reached, natural_loops
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Access, Load, Op, Store
from tandem.passes.preheaders import preheader
from tandem.passes.rebuild import remake
from tandem.passes.simplify import substitute, tidy

SLUG = "licm"
SUMMARY = "read before a loop what every iteration would read again"

INSIDE = (MemoryKind.RAM, MemoryKind.ROM)
"""Kinds of memories of which every read is harmless."""


def run(kernel: Kernel) -> bool:
    """Whether any load has left its loop; outer loops come first."""
    changed = False
    loops = natural_loops(kernel)
    for header in sorted(loops, key=lambda header: -len(loops[header])):
        if _hoisted(kernel, header, loops[header]):
            changed = True
            loops = natural_loops(kernel)  # there may be a block more
    if changed:
        tidy(kernel)
    return changed


def _hoisted(kernel: Kernel, header: Block, body: set[Block]) -> bool:
    entries = [(b, e) for b, e in kernel.predecessors()[header] if b not in body]
    if len(entries) != 1:
        return False
    fixed = _unchanging(kernel, header, body)
    leaving = _loads(fixed) | (_of_indices(header, fixed) if header.is_loop else set())
    if not leaving:
        return False
    source, _ = preheader(kernel, *entries[0])
    _move(kernel, Builder(kernel, source), fixed, leaving)
    for block in body:
        block.ops = [op for op in block.ops if op not in leaving]
    return True


def _loads(fixed: Iterable[Op]) -> set[Op]:
    return {op for op in fixed if isinstance(op, Load)}


def _of_indices(block: Block, fixed: Collection[Op]) -> set[Op]:
    """What the indices of a block's accesses are made of, sums aside, which are looked through."""
    found: set[Op] = set()
    work = [op.index for op in block.ops if isinstance(op, Access)]
    while work:
        op = work.pop()
        if op in found:
            continue
        found.add(op)
        work += op.operands
    return {op for op in fixed if op in found}


def _unchanging(kernel: Kernel, header: Block, body: set[Block]) -> dict[Op, None]:
    """Operations of the loop that give one value in all iterations, and that may run before it, in
    an order of evaluation."""
    ops = [(block, op) for block in kernel.blocks if block in body for op in block.ops]
    inside = {op for _, op in ops} | {p for block in body for p in block.parameters}
    reads = _Reads(kernel, header, body)
    found: dict[Op, None] = {}
    for _, op in ops:
        waits_for = [op.index] if isinstance(op, Load) else op.operands
        is_fixed = all(o in found or o not in inside for o in waits_for)
        if is_fixed and (op.pure or (isinstance(op, Load) and reads.may_leave(op))):
            found[op] = None
    return found


class _Reads:
    """The loads of a loop."""

    def __init__(self, kernel: Kernel, header: Block, body: set[Block]) -> None:
        self.kernel = kernel
        self.header = header
        self.written = stored_in(kernel, body)
        always = always_reached(header, body, immediate_dominators(kernel))
        self.always = {op for block in always for op in block.ops if op.enable is None}
        ops = [op for block in body for op in block.ops]
        self.stores = [op for op in ops if isinstance(op, Store)]
        self.has_calls = any(block.calls for block in body)

    def may_leave(self, load: Op) -> bool:
        """Whether a load at one place may run before the loop, and not in it."""
        is_harmless = load.memory.kind in INSIDE
        if not is_harmless and load not in self.always:
            return False
        if load.memory.name not in self.written:
            return not self.header.is_loop
        return not self.has_calls and all(
            self._meetings.apart(load.index, store.index, self.header)
            for store in self.stores
            if store.memory is load.memory
        )

    @cached_property
    def _meetings(self) -> Meetings:
        return Meetings(Nests.of(self.kernel, ranges_of(self.kernel), self.header))


def _move(kernel: Kernel, builder: Builder, fixed: Collection[Op], leaving: Collection[Op]) -> None:
    """Makes what leaves the loop, and what it is made of, where `builder` is."""
    needed = made_of(leaving, fixed)
    made: dict[Op, Op] = {}
    for op in fixed:
        if op in needed:
            operands = op.operands[:1] if isinstance(op, Load) else op.operands
            builder.line = op.line
            new = remake(builder, op, [made.get(o, o) for o in operands])
            assert new is not None
            new.name = new.name or op.name
            made[op] = new
    substitute(kernel, {op: made[op] for op in leaving})
