# SPDX-License-Identifier: Apache-2.0
"""bind-arguments: decides how each array argument reaches the hardware.

- block: a small array, only read, at known places: its bytes come with the call.
- stream: read or written once, in order, by one loop: a record an iteration.
- memory: anything else, through a port that takes an index.

Requires: unroll, promote, count-loops. Raises UserError when the number of bytes a call uses can
neither be inferred nor is annotated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tandem.diagnostics import Diagnostic, Place, UserError
from tandem.ir.builder import Builder
from tandem.ir.kernel import Argument, Block, Kernel, Memory, Op
from tandem.ir.wiring import bits_of
from tandem.passes import extents
from tandem.passes.affine import AffineLoop, Linear
from tandem.passes.rebuild import rebuild, remake
from tandem.passes.simplify import substitute
from tandem.passes.unroll import reaches

SLUG = "bind-arguments"
SUMMARY = "make blocks, streams and memory ports of array arguments; infer their extents"

BLOCK_LIMIT_BYTES = 128
RECORD_LIMIT_BITS = 1024


@dataclass
class Access:
    block: Block
    op: Op
    place: int
    """Position among the accesses, in program order."""


def run(kernel: Kernel, annotated: Mapping[str, str] | None = None) -> None:
    """Binds every pointer argument. `annotated`: argument name -> extent as a C expression."""
    findings = []
    kernel.in_place = _in_place_pairs(kernel)
    for argument in kernel.arguments:
        if argument.kind == "pointer" and argument.memory is not None:
            problem = _bind(kernel, argument, (annotated or {}).get(argument.name))
            if problem is not None:
                findings.append(problem)
    if findings:
        raise UserError(*findings)


def _bind(kernel: Kernel, argument: Argument, annotated: str | None) -> Diagnostic | None:
    memory = argument.memory
    assert memory is not None
    accesses = [
        Access(block, op, i)
        for i, (block, op) in enumerate(kernel.ops())
        if op.attributes.get("memory") == memory.name
    ]
    if _bind_block(kernel, argument, accesses, annotated):
        return None
    if _bind_stream(kernel, argument, accesses):
        argument.extent_bytes = annotated or argument.extent_bytes
        return None
    return _bind_memory(kernel, argument, accesses, annotated)


def _in_place_pairs(kernel: Kernel) -> set[tuple[str, str]]:
    """Arrays of which every element is read before any is written, in an iteration of a loop: as
    streams they may be one buffer, since later iterations read later records."""
    order = [op for _, op in kernel.ops()]
    reads: dict[str, list[int]] = {}
    writes: dict[str, list[int]] = {}
    for i, op in enumerate(order):
        if op.kind in ("load", "store"):
            kinds = reads if op.kind == "load" else writes
            kinds.setdefault(op.attributes["memory"], []).append(i)
    return {
        (a, b)
        for a, read in reads.items()
        for b, written in writes.items()
        if a not in writes and b not in reads and max(read) < min(written)
    }


# -- blocks -------------------------------------------------------------------------------------


def _bind_block(
    kernel: Kernel, argument: Argument, accesses: list[Access], annotated: str | None
) -> bool:
    memory = argument.memory
    assert memory is not None
    size = memory.element_bits // 8
    known = all(a.op.kind == "load" and a.op.operands[0].kind == "constant" for a in accesses)
    if not accesses or not known or annotated is not None:
        return False
    elements = 1 + max(_signed_index(a.op.operands[0]) for a in accesses)
    if (
        elements * size > BLOCK_LIMIT_BYTES
        or min(_signed_index(a.op.operands[0]) for a in accesses) < 0
    ):
        return False
    argument.kind, argument.width = "block", 8 * elements * size
    argument.extent_bytes = str(elements * size)
    argument.op = Op("argument", (), argument.width, {"name": argument.name}, name=argument.name)
    argument.memory = None
    source, name = argument.op, memory.name

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if op.kind != "load" or op.attributes["memory"] != name:
            return remake(builder, op, operands)
        return builder.extract(source, operands[0].value * op.width, op.width)

    del kernel.memories[name]
    rebuild(kernel, change)
    return True


def _signed_index(op: Op) -> int:
    return (
        op.value - (1 << op.width) if op.value >> (op.width - 1) & 1 and op.width > 32 else op.value
    )


# -- streams ------------------------------------------------------------------------------------


def _bind_stream(kernel: Kernel, argument: Argument, accesses: list[Access]) -> bool:
    memory = argument.memory
    assert memory is not None
    blocks = {a.block for a in accesses}
    kinds = {a.op.kind for a in accesses}
    if len(blocks) != 1 or len(kinds) != 1:
        return False
    block, writes = blocks.pop(), kinds == {"store"}
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
    extent = extents.guarded(kernel, block, block.trip_count, stride * memory.element_bits // 8)
    if extent is None:
        return False
    argument.extent_bytes = extent
    _make_stream(kernel, argument, block, accesses, places, stride)
    return True


def _record_offsets(
    kernel: Kernel, block: Block, accesses: list[Access]
) -> tuple[int, list[int]] | None:
    """(elements a record, the place of each access in it)."""
    entry = next(e for b, e in kernel.predecessors()[block] if b is not block)
    loop = AffineLoop(block, list(entry.arguments))
    forms: list[Linear] = []
    for access in accesses:
        plain = 1 if access.op.kind == "load" else 2
        form = loop.form(access.op.operands[0]) if len(access.op.operands) == plain else None
        if form is None or form.terms:
            return None
        forms.append(form.centred())
    stride = forms[0].step
    if stride < 1 or any(f.step != stride for f in forms):
        return None
    width = accesses[0].op.width or accesses[0].op.operands[1].width
    if stride * width > RECORD_LIMIT_BITS or any(not 0 <= f.constant < stride for f in forms):
        return None
    return stride, [f.constant for f in forms]


def _make_stream(
    kernel: Kernel,
    argument: Argument,
    block: Block,
    accesses: list[Access],
    places: list[int],
    stride: int,
) -> None:
    memory = argument.memory
    assert memory is not None
    width = memory.element_bits
    argument.kind = "stream"
    argument.direction = "out" if accesses[0].op.kind == "store" else "in"
    memory.kind = f"stream_{argument.direction}"
    memory.element_bits = width * stride
    builder = Builder(kernel, block)
    builder.line = accesses[0].op.line
    ops, block.ops = block.ops, []
    if argument.direction == "in":
        record = builder.raw("pop", [], memory.element_bits, memory=memory.name)
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
        "push",
        [builder.concat(*[parts[p] for p in reversed(range(stride))])],
        0,
        memory=memory.name,
    )


# -- memory ports -------------------------------------------------------------------------------


def _bind_memory(
    kernel: Kernel, argument: Argument, accesses: list[Access], annotated: str | None
) -> Diagnostic | None:
    memory = argument.memory
    assert memory is not None
    reads = any(a.op.kind == "load" for a in accesses)
    writes = any(a.op.kind == "store" for a in accesses)
    argument.kind = "memory"
    # A store may leave elements as they were, so what is written is also sent.
    argument.direction = "inout" if writes else "in"
    memory.kind = "external"
    if not accesses:
        argument.direction, argument.extent_bytes = "in", annotated or "0"
        return None
    argument.extent_bytes = annotated or _inferred_extent(kernel, accesses, memory) or ""
    if argument.extent_bytes:
        return None
    verb = "read and written" if reads and writes else "written" if writes else "read"
    return Diagnostic(
        "extent",
        f"cannot tell how many bytes of `{argument.name}` a call uses: it is {verb} at an index "
        "that is not a simple function of the loops",
        Place(kernel.source, accesses[0].op.line),
        f"add `#pragma tandem extent({argument.name}, BYTES)` to the file, BYTES being a C "
        "expression over the function's scalar arguments",
    )


def _inferred_extent(kernel: Kernel, accesses: list[Access], memory: Memory) -> str | None:
    """The bytes up to the furthest access, None where one of them cannot be bounded."""
    texts: list[str] = []
    for access in accesses:
        text = _reach(kernel, access, memory.element_bits // 8)
        if text is None:
            return None
        if text not in texts:
            texts.append(text)
    return _longest(texts)


def _longest(texts: list[str]) -> str:
    numbers = [int(t) for t in texts if t.isdigit()]
    texts = [t for t in texts if not t.isdigit()] + ([str(max(numbers))] if numbers else [])
    longest = texts[0]
    for text in texts[1:]:
        longest = f"(({longest}) > ({text}) ? ({longest}) : ({text}))"
    return longest


def _reach(kernel: Kernel, access: Access, size: int) -> str | None:
    """Bytes up to the last element that an access reaches: by what is known of the bits of its
    index, for at most 65536 elements, or by how it walks in a counted loop."""
    index = access.op.operands[0]
    walked = _walk(kernel, access.block, index, size)
    if walked is not None:
        return walked
    bits = bits_of(index)
    highest = sum((1 if type(b) is not int else b) << i for i, b in enumerate(bits))
    if highest >= 1 << 16:
        return None
    return extents.when_reached(kernel, access.block, (highest + 1) * size)


def _walk(kernel: Kernel, block: Block, index: Op, size: int) -> str | None:
    """Bytes up to the last element that `index` = start + step * iteration reaches."""
    if not block.is_loop or block.trip_count is None or reaches(block.exit_edge.block, block):
        return None
    entry = next(e for b, e in kernel.predecessors()[block] if b is not block)
    form = AffineLoop(block, list(entry.arguments)).form(index)
    if form is None or form.terms or not form.step:
        return None
    form = form.centred()
    if form.step < 0 or form.constant < 0:
        return None
    rest = (form.constant + 1 - form.step) * size
    return extents.guarded(kernel, block, block.trip_count, form.step * size, rest)
