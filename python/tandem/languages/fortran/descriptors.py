# SPDX-License-Identifier: Apache-2.0
"""Descriptors of arrays, as flang lays them out: made for a contiguous array, and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tandem.frontend.text import is_plain_name
from tandem.languages.fortran.procedures import Dummy, DummyKind

VERSION = 20180515
"""Of a descriptor, as Fortran 2018 has them (CFI_VERSION)."""
TYPE_CODES = {"i8": 7, "i16": 8, "i32": 9, "i64": 10, "float": 27, "double": 28}
"""What descriptors call the types of elements, in flang."""
BASE, LENGTH, FORM, RANK, TYPE, DIMENSIONS = 0, 1, 2, 3, 4, 7
"""Members of a descriptor: where the array is, bytes of an element, ..."""
LOWER, EXTENT, STRIDE = range(3)
"""Of a dimension; the stride is in bytes."""


def is_box(dummy: Dummy) -> bool:
    """Whether an argument is an array that comes with a descriptor."""
    is_array = dummy.kind is DummyKind.DESCRIBED and dummy.is_steady and dummy.rank > 0
    return is_array and not dummy.is_logical and dummy.number in TYPE_CODES


def descriptor(dummy: Dummy) -> str:
    """LLVM's type of a descriptor."""
    return f"{{ ptr, i64, i32, i8, i8, i8, i8, [{dummy.rank} x [3 x i64]] }}"


def described(dummy: Dummy, place: str, extents: Sequence[str]) -> Iterator[str]:
    """Instructions that fill the descriptor of a contiguous array of these extents."""
    fixed = {
        LENGTH: f"i64 {dummy.bytes}",
        FORM: f"i32 {VERSION}",
        RANK: f"i8 {dummy.rank}",
        TYPE: f"i8 {TYPE_CODES[dummy.number]}",
    }
    fixed |= dict.fromkeys(range(TYPE + 1, DIMENSIONS), "i8 0")
    for member, value in {BASE: f"ptr {local_name(dummy.name)}", **fixed}.items():
        yield from _set(dummy, place, (member,), value)
    stride = str(dummy.bytes)
    for i, extent in enumerate(extents):
        parts = {LOWER: "1", EXTENT: local_name(extent), STRIDE: stride}
        for part, value in parts.items():
            yield from _set(dummy, place, (DIMENSIONS, i, part), f"i64 {value}")
        wider = local_name(f"{dummy.name}.stride{i + 1}")
        yield f"{wider} = mul i64 {stride}, {local_name(extent)}"
        stride = wider


def _set(dummy: Dummy, place: str, member: tuple[int, ...], value: str) -> Iterator[str]:
    at = local_name(f"{dummy.name}.member{'.'.join(map(str, member))}")
    yield _member(dummy, place, member, at)
    yield f"store {value}, ptr {at}"


def _member(dummy: Dummy, place: str, member: tuple[int, ...], at: str) -> str:
    path = "".join(f", i32 {index}" for index in member)
    return f"{at} = getelementptr {descriptor(dummy)}, ptr {place}, i32 0{path}"


def got(dummy: Dummy, place: str, member: tuple[int, ...], kind: str, name: str) -> Iterator[str]:
    """Instructions that read a member of a descriptor."""
    at = local_name(f"{dummy.name}.{name}.at")
    yield _member(dummy, place, member, at)
    yield f"{local_name(f'{dummy.name}.{name}')} = load {kind}, ptr {at}, align 8"


def local_name(name: str) -> str:
    """A local name as LLVM writes it."""
    return f"%{name}" if is_plain_name(name) else f'%"{name}"'
