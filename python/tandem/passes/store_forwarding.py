# SPDX-License-Identifier: Apache-2.0
"""store-forwarding: what a loop has just stored is taken from registers, not from the memory.

`count[key]++`: where an element may be the one that the iteration before has stored, the next load
waits for the store, and the memory's latency is in the recurrence. The last few stores are kept
beside the memory, where each is, what it is and whether it happened; a load compares its index with
theirs, and takes the latest value that fits. What it reads from the memory need then only show
stores of earlier iterations than these (the attribute `forwarded`).

Requires: scalar-replacement, share-accesses. Only in loops that are asked for, with so many
iterations kept: whether the registers and comparisons are worth it shows in the schedule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tandem.analysis.affine import AffineLoop, dependence_distance
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import Access, And, Eq, Load, Op, Parameter, Select, Store, constant
from tandem.passes.simplify import substitute

SLUG = "store-forwarding"
SUMMARY = "compare indices with those of the last stores of a loop, and take their values"


def run(kernel: Kernel, wanted: Mapping[LoopId, int]) -> bool:
    """`wanted`: a loop -> the iterations of which stores are kept; other loops of
    which they could be are noted. Whether any loop has changed."""
    changed = False
    for block in kernel.blocks:
        pairs = _pairs(block) if block.is_loop else []
        if not pairs:
            continue
        kernel.stores_read.add(block.loop)
        if block.loop in wanted:
            for store, loads in pairs:
                _Forwarding(kernel, block, store, wanted[block.loop]).run(loads)
            kernel.deeds.append(Deed(SLUG, block.loop, count=wanted[block.loop]))
            changed = True
    return changed


def _pairs(block: Block) -> list[tuple[Op, list[Op]]]:
    """A memory's only store in a loop, and the loads before it that may meet it later."""
    loop = AffineLoop(block, [None] * len(block.parameters))
    found = []
    for memory in dict.fromkeys(op.memory for op in block.ops if isinstance(op, Store)):
        accesses = [op for op in block.ops if isinstance(op, Access) and op.memory is memory]
        *loads, store = accesses
        if not loads or not isinstance(store, Store) or any(isinstance(op, Store) for op in loads):
            continue
        place = loop.form(store.index)
        meeting = [
            op for op in loads if dependence_distance(place, loop.form(op.index)) is not None
        ]
        if meeting:
            found.append((store, meeting))
    return found


class _Forwarding:
    """Of one store of a loop, whose last `depth` executions are kept in parameters, the latest
    first."""

    def __init__(self, kernel: Kernel, block: Block, store: Op, depth: int) -> None:
        self.kernel = kernel
        self.block = block
        self.depth = depth
        self.bits = kernel.index_bits(store)
        self.kept: list[tuple[Op, Op, Op]] = []
        """Whether each happened, where, and what."""
        enters = [e for b in kernel.blocks for e in b.end.edges if e.block is block]
        now = (store.enable or constant(1, 1), store.index, store.stored)
        for _ in range(depth):
            now = self._keep(enters, now)
            self.kept.append(now)

    def _keep(self, enters: Iterable[Edge], now: tuple[Op, Op, Op]) -> tuple[Op, Op, Op]:
        """Parameters that hold in the next iteration what is there in this one."""
        held = [Parameter((), value.width, name=f"last_{value.name}") for value in now]
        self.block.parameters += held
        for edge in enters:
            is_back = edge is self.block.back_edge
            edge.arguments += now if is_back else [constant(0, v.width) for v in now]
        return held[0], held[1], held[2]

    def run(self, loads: Iterable[Op]) -> None:
        """Has the loads look there first."""
        builder = Builder(self.kernel, self.block)
        ops, self.block.ops = self.block.ops, []
        replace: dict[Op, Op] = {}
        for op in ops:
            if op not in loads:
                self.block.ops.append(op)
                continue
            builder.line = op.line
            attributes = {**op.attributes, "forwarded": self.depth}
            found = builder.raw(Load, op.operands, op.width, **attributes)
            for happened, index, value in reversed(self.kept):
                places = [builder.resize(place, self.bits) for place in (index, op.index)]
                same = builder.logic(And, [happened, builder.compare(Eq, *places)])
                found = builder.build(Select, [same, value, found], op.width)
            replace[op] = found
        substitute(self.kernel, replace)
