# SPDX-License-Identifier: Apache-2.0
"""join-arrays: arrays of the caller that may overlap become one.

Each argument of such a group becomes the place, in elements, at which its array begins in one
array that all of them share, and every access reaches that one from there. So it has the order of
the C by construction: the schedule sees one memory. Elements are as narrow as the narrowest of
the group; a wider access is several of them.

Requires: nothing. It comes before all that takes arrays of different arguments to be apart.
"""

from __future__ import annotations

from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import PORT_INDEX_BITS, Memory, MemoryKind
from tandem.ir.names import port_stem, unused_name
from tandem.ir.ops import Add, ArgumentOp, Mul, Op, Store, constant
from tandem.passes.rebuild import rebuild, remake

SLUG = "join-arrays"
SUMMARY = "make one array of arrays that may overlap"
INDEX_BITS = 64


def run(kernel: Kernel) -> bool:
    """Joins every group that there is; whether there was any."""
    parts: dict[str, tuple[Op, Memory]] = {}
    for group in kernel.overlaps:
        parts |= _joined(kernel, [kernel.argument(name) for name in group])
    if not parts:
        return False
    kernel.overlaps = ()
    for name in parts:
        del kernel.memories[name]

    def change(builder: Builder, op: Op, operands: list[Op]) -> Op | None:
        if not op.has_memory or op.memory.name not in parts:
            return remake(builder, op, operands)
        return _reach(builder, op, operands, parts[op.memory.name])

    rebuild(kernel, change)
    return True


def _joined(kernel: Kernel, members: list[Argument]) -> dict[str, tuple[Op, Memory]]:
    """The memory of a group, by the names of those that it takes the place of, with where each
    begins in it."""
    memories = [member.memory for member in members if member.memory is not None]
    bits = min(memory.element_bits for memory in memories)
    name = port_stem("_".join(memory.name for memory in memories))
    whole = kernel.add_memory(Memory(name, MemoryKind.ARGUMENT, bits))
    kernel.arguments.append(_whole(kernel, whole, members))
    return {m.name: (_placed(a), whole) for a, m in zip(members, memories, strict=True)}


def _whole(kernel: Kernel, memory: Memory, members: list[Argument]) -> Argument:
    """The argument that a group's array is."""
    names = tuple(member.name for member in members)
    formats = {member.float_bytes for member in members}
    return Argument(
        unused_name("_".join(names), {a.name for a in kernel.arguments}),
        ArgumentKind.POINTER,
        "in",
        "void *",
        memory=memory,
        float_bytes=formats.pop() if len(formats) == 1 else 0,
        is_volatile=any(member.is_volatile for member in members),
        joins=names,
    )


def _placed(member: Argument) -> Op:
    """Where the array of a member begins, which is all that is left of it."""
    member.op = ArgumentOp((), PORT_INDEX_BITS, {"name": member.name}, name=member.name)
    member.kind, member.width, member.memory = ArgumentKind.PLACE, PORT_INDEX_BITS, None
    member.direction, member.float_bytes, member.is_volatile = "in", 0, False
    return member.op


def _reach(builder: Builder, op: Op, operands: list[Op], part: tuple[Op, Memory]) -> Op | None:
    """An access to a part, as what it reaches of the whole."""
    place, whole = part
    index, *others = operands
    width, bits = op.width or others[0].width, whole.element_bits
    first = _first(builder, place, index, width // bits)
    loaded = []
    for element in range(width // bits):
        at = builder.build(Add, [first, constant(element, INDEX_BITS)], INDEX_BITS)
        rest = list(others)
        if isinstance(op, Store):
            rest[0] = builder.extract(others[0], element * bits, bits)
        attributes = {**op.attributes, "memory": whole}
        made = builder.raw(type(op), [at, *rest], bits if op.width else 0, **attributes)
        loaded.append(made)
    return builder.concat(*loaded[::-1]) if op.width else None


def _first(builder: Builder, place: Op, index: Op, count: int) -> Op:
    """The first element of an access of so many; an index may lead before the pointer."""
    wide = builder.resize(index, INDEX_BITS, is_signed=True)
    scaled = builder.build(Mul, [wide, constant(count, INDEX_BITS)], INDEX_BITS)
    return builder.build(Add, [builder.resize(place, INDEX_BITS), scaled], INDEX_BITS)
