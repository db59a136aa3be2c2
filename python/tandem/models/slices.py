# SPDX-License-Identifier: Apache-2.0
"""Which of a kernel's values must be computed to know how often each block runs, and, where asked,
which elements of some arrays are accessed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tandem.ir.blocks import Block
from tandem.ir.functions import entries, returned
from tandem.ir.kernel import Kernel
from tandem.ir.ops import (
    Access,
    Constant,
    Load,
    Op,
    Peek,
    Pop,
    Push,
    ResultOp,
    Rom,
    Store,
    StreamOp,
)
from tandem.ir.processes import fifos, stream_ops
from tandem.ir.traps import traps
from tandem.ir.wiring import named_by


@dataclass
class Slice:
    """What has to be computed. `memories` are those whose contents matter, `watched` those whose
    accesses are asked for; `counted` are loops whose inside is not needed, because their number of
    iterations is known on entry; of memories `together`, what is stored in one may be read in
    another one."""

    watched: frozenset[str] = frozenset()
    together: frozenset[str] = frozenset()
    ops: set[Op] = field(default_factory=set)
    memories: set[str] = field(default_factory=set)
    counted: set[Block] = field(default_factory=set)

    def is_watched(self, op: Op) -> bool:
        """Whether the operation is an access that is asked for."""
        return isinstance(op, Access) and op.memory.name in self.watched


def slice_of(
    kernel: Kernel, watched: Iterable[str] = (), together: frozenset[str] = frozenset()
) -> Slice:
    """The slice that decides control flow and traps, and the addresses of accesses to `watched`."""
    loops = {b for b in kernel.blocks if b.is_loop and b.trip_count is not None}
    names = {memory.name for memory in fifos(kernel)}
    loops -= {b for b in loops if any(op.memory.name in names for op in stream_ops(b))}
    result = Slice(frozenset(watched), together, counted=loops)
    result.memories |= {memory.name for memory in traps(kernel)}
    while True:
        before = len(result.ops), len(result.memories), len(result.counted)
        _grow(kernel, result)
        if result.memories & together:
            result.memories |= together
        result.counted -= {b for b in result.counted if _is_needed_inside(result, b)}
        if before == (len(result.ops), len(result.memories), len(result.counted)):
            return result


def _is_needed_inside(found: Slice, block: Block) -> bool:
    return any(op in found.ops or found.is_watched(op) for op in [*block.ops, *block.parameters])


def _grow(kernel: Kernel, found: Slice) -> None:
    work: list[Op] = []
    sources: dict[Op, list[Op]] = {}
    results = {
        name: [b.end.value for b in returned(kernel, name) if b.end.value is not None]
        for name in entries(kernel)
    }
    for block in kernel.blocks:
        work += _roots(found, block)
        for edge in block.end.edges:
            for parameter, argument in zip(edge.block.parameters, edge.arguments, strict=True):
                sources.setdefault(parameter, []).append(argument)
    while work:
        op = work.pop()
        if op in found.ops or isinstance(op, Constant):
            continue
        found.ops.add(op)
        if isinstance(op, (Load, Pop, Peek, Rom)):
            found.memories.add(op.memory.name)
        if isinstance(op, ResultOp):
            work += results[op.function]
        work += _bit_makers(op) + op.operands + sources.get(op, [])


def _bit_makers(op: Op) -> list[Op]:
    return [source for source in named_by(op) if source is not op]


def _roots(found: Slice, block: Block) -> list[Op]:
    roots: list[Op] = []
    if block in found.counted:
        roots += [block.trip_count] if block.trip_count is not None else []
    elif block.end.condition is not None:
        roots.append(block.end.condition)
    for op in block.ops:
        if isinstance(op, (Store, Pop, Push)) and op.memory.name in found.memories:
            roots.append(op)
        if isinstance(op, StreamOp) and op.enable is not None:  # when records come is asked for
            roots.append(op.enable)
        if found.is_watched(op):
            # The index, and whether the access happens; what is stored does not matter.
            roots += [o for i, o in enumerate(op.operands) if isinstance(op, Load) or i != 1]
    return roots
