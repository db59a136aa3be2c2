# SPDX-License-Identifier: Apache-2.0
"""Arrays that one loop reads or writes once, in order: a record an iteration."""

from __future__ import annotations

from tandem import policy
from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear
from tandem.ir.argument import ArgumentKind
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.functions import blocks_of
from tandem.ir.kernel import Kernel
from tandem.ir.loops import reaches
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Pop, Push, Store
from tandem.ir.processes import processes
from tandem.passes.argument_binding import Binding, Use, extent_of
from tandem.passes.simplify import substitute


def bind_stream(binding: Binding) -> bool:
    kernel, argument, accesses = binding.kernel, binding.argument, binding.accesses
    blocks = {a.block for a in accesses}
    kinds = {type(a.op) for a in accesses}
    if len(blocks) != 1 or len(kinds) != 1:
        return False
    block, writes = blocks.pop(), kinds == {Store}
    if block not in blocks_of(kernel.entry) or processes(kernel):
        return False  # what is called may be called again, and of processes every cycle is walked
    if not block.is_loop or block.trip_count is None or reaches(block.exit_edge.block, block):
        return False
    offsets = _record_offsets(kernel, block, accesses)
    if offsets is None:
        return False
    stride, places = offsets
    # Writes must fill a record; reads must reach its end, or the last record may not be all there.
    if writes and sorted(places) != list(range(stride)):
        return False
    if max(places) != stride - 1:
        return False
    found = binding.extents.of_stream(block, block.trip_count, stride * binding.element_bytes)
    argument.extent = extent_of(binding.extents, found)
    _make_stream(binding, block, places, stride)
    return True


def _record_offsets(
    kernel: Kernel, block: Block, accesses: list[Use]
) -> tuple[int, list[int]] | None:
    """(elements a record, the place of each access in it)."""
    entry = next(e for b, e in kernel.predecessors()[block] if b is not block)
    loop = AffineLoop(block, list(entry.arguments))
    forms: list[Linear] = []
    for access in accesses:
        form = loop.form(access.op.index) if access.op.enable is None else None
        if form is None or form.terms:
            return None
        forms.append(form.centred())
    stride = forms[0].step
    if stride < 1 or any(f.step != stride for f in forms):
        return None
    width = accesses[0].op.width or accesses[0].op.operands[1].width
    if stride * width > policy.RECORD_BITS or any(not 0 <= f.constant < stride for f in forms):
        return None
    return stride, [f.constant for f in forms]


def _make_stream(binding: Binding, block: Block, places: list[int], stride: int) -> None:
    kernel, argument, accesses = binding.kernel, binding.argument, binding.accesses
    memory = binding.memory
    width = memory.element_bits
    argument.kind = ArgumentKind.STREAM
    argument.direction = "out" if isinstance(accesses[0].op, Store) else "in"
    memory.kind = MemoryKind(f"stream_{argument.direction}")
    memory.element_bits = width * stride
    builder = Builder(kernel, block)
    builder.line = accesses[0].op.line
    ops, block.ops = block.ops, []
    if argument.direction == "in":
        record = builder.raw(Pop, [], memory.element_bits, memory=memory)
        replace = {
            a.op: builder.extract(record, p * width, width)
            for a, p in zip(accesses, places, strict=True)
        }
        block.ops += [op for op in ops if op not in replace]
        substitute(kernel, replace)
        return
    stores = {a.op for a in accesses}
    block.ops += [op for op in ops if op not in stores]
    parts = {p: a.op.operands[1] for a, p in zip(accesses, places, strict=True)}
    builder.raw(
        Push,
        [builder.concat(*[parts[p] for p in reversed(range(stride))])],
        0,
        memory=memory,
    )
