# SPDX-License-Identifier: Apache-2.0
"""How types lie in memory, and constants as the bytes that they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tandem.diagnostics import Diagnostic, InternalError
from tandem.llvm.binding import Ref, call
from tandem.llvm.read import (
    FLOAT_BITS,
    FLOATING_BYTES,
    POINTER_BYTES,
    TYPE_ARRAY,
    TYPE_INTEGER,
    TYPE_POINTER,
    TYPE_STRUCT,
    TYPE_VECTOR,
    VALUE_GLOBAL,
    VALUE_INSTRUCTION,
    VALUE_INTEGER,
    VALUE_POISON,
    VALUE_UNDEF,
    VALUE_ZERO,
    float_pattern,
    number_bits,
    text,
    type_text,
)


def stored_bytes(kind: Ref) -> int:
    """Bytes that a load or a store of a number touches. In an array it may take more."""
    return -(-number_bits(kind) // 8)


def accessed_bytes(kind: Ref) -> int:
    """Bytes that an access of a number or a pointer is of; 0 for anything else."""
    return POINTER_BYTES if call("GetTypeKind", kind) == TYPE_POINTER else stored_bytes(kind)


def size_and_alignment(kind: Ref) -> tuple[int, int]:
    """Bytes that a type takes in memory, and its alignment, on x86-64 and RV32 alike."""
    which = call("GetTypeKind", kind)
    if which == TYPE_INTEGER:
        size = max(1, 1 << (call("GetIntTypeWidth", kind) - 1).bit_length() >> 3)
        return size, min(size, 16)
    if which == TYPE_ARRAY:
        size, alignment = size_and_alignment(call("GetElementType", kind))
        return size * call("GetArrayLength2", kind), alignment
    if which == TYPE_STRUCT:
        return _struct_layout(kind)[1:]
    if which == TYPE_POINTER:
        return 8, 8
    if which in FLOATING_BYTES:
        return FLOATING_BYTES[which], FLOATING_BYTES[which]
    if which == TYPE_VECTOR:
        size = size_and_alignment(call("GetElementType", kind))[0] * call("GetVectorSize", kind)
        size = 1 << (size - 1).bit_length()
        return size, size
    raise InternalError(Diagnostic("llvm-type", f"no size for {type_text(kind)}"))


def _struct_layout(kind: Ref) -> tuple[list[int], int, int]:
    packed = bool(call("IsPackedStruct", kind))
    offsets, end, strictest = [], 0, 1
    for i in range(call("CountStructElementTypes", kind)):
        size, alignment = size_and_alignment(call("StructGetTypeAtIndex", kind, i))
        alignment = 1 if packed else alignment
        end = -(-end // alignment) * alignment
        offsets.append(end)
        end += size
        strictest = max(strictest, alignment)
    return offsets, -(-end // strictest) * strictest, strictest


def field_offset(kind: Ref, index: int) -> int:
    """Byte offset of a struct's field."""
    return _struct_layout(kind)[0][index]


STORAGE = (8, 64)
"""Widths of the integers whose arrays C programs take memory from for what they like."""


def has_place_for_pointers(base: Ref) -> bool:
    """Whether a variable's type has pointers in it, or tells nothing: a union, what memory is taken
    from as bytes or as the largest integers, or what is behind an argument."""
    kind = call("GetValueKind", base)
    if kind == VALUE_GLOBAL:
        return _has_pointers(call("GlobalGetValueType", base))
    return kind != VALUE_INSTRUCTION or _has_pointers(call("GetAllocatedType", base))


def _has_pointers(kind: Ref) -> bool:
    which = call("GetTypeKind", kind)
    if which == TYPE_ARRAY:
        element = call("GetElementType", kind)
        is_integer = call("GetTypeKind", element) == TYPE_INTEGER
        return (is_integer and number_bits(element) in STORAGE) or _has_pointers(element)
    if which == TYPE_STRUCT:
        members = range(call("CountStructElementTypes", kind))
        found = any(_has_pointers(call("StructGetTypeAtIndex", kind, i)) for i in members)
        return found or _is_large_union(kind)
    return which == TYPE_POINTER


def _is_large_union(kind: Ref) -> bool:
    """Whether a union has place for a pointer."""
    return is_union(kind) and size_and_alignment(kind)[0] >= POINTER_BYTES


def is_union(kind: Ref) -> bool:
    """Whether a struct is a union: clang names it, and tells of one member alone."""
    return (call("GetStructName", kind) or b"").startswith(b"union.")


def pointers_in(value: Ref, start: int = 0) -> Iterator[tuple[int, Ref]]:
    """The pointers that are part of a constant, which begins at a byte, and at which bytes."""
    kind = call("TypeOf", value)
    which = call("GetTypeKind", kind)
    if which == TYPE_POINTER:
        yield start, value
    if which not in (TYPE_ARRAY, TYPE_STRUCT) or call("GetValueKind", value) in NO_POINTERS:
        return
    if which == TYPE_STRUCT:
        starts = _struct_layout(kind)[0]
    else:
        step = size_and_alignment(element := call("GetElementType", kind))[0]
        count = 0 if number_bits(element) else call("GetArrayLength2", kind)
        starts = [step * i for i in range(count)]
    for i, offset in enumerate(starts):
        yield from pointers_in(call("GetAggregateElement", value, i), start + offset)


NO_POINTERS = frozenset({VALUE_UNDEF, VALUE_ZERO, VALUE_POISON})
"""Constants as a whole, without parts."""
Encode = Callable[[Ref], int]
"""The number that stands for a pointer in memory."""


def constant_bytes(value: Ref, kind: Ref, encode: Encode) -> bytes:
    """The memory image of a constant of numbers, pointers, vectors, arrays and structs. Raises
    ValueError for what has none."""
    size = size_and_alignment(kind)[0]
    which = call("GetTypeKind", kind)
    if call("GetValueKind", value) in (VALUE_UNDEF, VALUE_ZERO, VALUE_POISON):
        return bytes(size)
    if which == TYPE_INTEGER:
        if size > 8 or call("GetValueKind", value) != VALUE_INTEGER:
            raise ValueError(text(value))
        return call("ConstIntGetZExtValue", value).to_bytes(8, "little")[:size]
    if which == TYPE_POINTER:
        return encode(value).to_bytes(size, "little")
    if which in FLOAT_BITS:
        return float_pattern(value).to_bytes(size, "little")
    if which in (TYPE_ARRAY, TYPE_VECTOR):
        element = call("GetElementType", kind)
        count = call("GetArrayLength2" if which == TYPE_ARRAY else "GetVectorSize", kind)
        parts = (call("GetAggregateElement", value, i) for i in range(count))
        image = b"".join(constant_bytes(part, element, encode) for part in parts)
        return image.ljust(size, b"\0")
    if which == TYPE_STRUCT:
        return _struct_bytes(value, kind, encode)
    raise ValueError(text(value))


def _struct_bytes(value: Ref, kind: Ref, encode: Encode) -> bytes:
    image = bytearray(size_and_alignment(kind)[0])
    for i, offset in enumerate(_struct_layout(kind)[0]):
        field_type = call("StructGetTypeAtIndex", kind, i)
        part = constant_bytes(call("GetAggregateElement", value, i), field_type, encode)
        image[offset : offset + len(part)] = part
    return bytes(image)
