# SPDX-License-Identifier: Apache-2.0
"""Descriptors of arrays, as flang lays them out: made for a contiguous array, and read."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.languages.fortran.procedures import Dummy, DummyKind
from tandem.llvm.builder import Builder
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref

VERSION = 20180515
"""Of a descriptor, as Fortran 2018 has them (CFI_VERSION)."""
TYPE_CODES = {"i8": 7, "i16": 8, "i32": 9, "i64": 10, "float": 27, "double": 28}
"""What descriptors call the types of elements, in flang."""
BASE, LENGTH, FORM, RANK, TYPE, DIMENSIONS = 0, 1, 2, 3, 4, 7
"""Members of a descriptor: where the array is, bytes of an element, ..."""
LOWER, EXTENT, STRIDE = range(3)
"""Of a dimension; the stride is in bytes."""
SIZE = 64
"""Bits of an extent, a stride, and a number of bytes."""
_OF_MEMBERS = (64, 32, 8, 8, 8, 8)
"""Bits of those between the place of the array and its dimensions."""


def is_box(dummy: Dummy) -> bool:
    """Whether an argument is an array that comes with a descriptor."""
    is_array = dummy.kind is DummyKind.DESCRIBED and dummy.is_steady and dummy.rank > 0
    return is_array and not dummy.is_logical and dummy.number in TYPE_CODES


def descriptor(module: Module, rank: int) -> Ref:
    """The type of a descriptor of an array of so many dimensions."""
    dimension = module.array(module.integer(SIZE), STRIDE + 1)
    members = (module.pointer, *map(module.integer, _OF_MEMBERS), module.array(dimension, rank))
    return module.struct(members)


def describe(make: Builder, dummy: Dummy, place: Ref, base: Ref, extents: Sequence[Ref]) -> None:
    """Fills the descriptor of a contiguous array of these extents."""
    number, rank = make.module.number, dummy.rank
    values = (dummy.bytes, VERSION, rank, TYPE_CODES[dummy.number], *(0, 0))
    members = [number(bits, value) for bits, value in zip(_OF_MEMBERS, values, strict=True)]
    for member, value in enumerate([base, *members]):
        make.store(value, member_of(make, rank, place, (member,)))
    stride = number(SIZE, dummy.bytes)
    for i, extent in enumerate(extents):
        parts = {LOWER: number(SIZE, 1), EXTENT: extent, STRIDE: stride}
        for part, value in parts.items():
            make.store(value, member_of(make, rank, place, (DIMENSIONS, i, part)))
        stride = make.binary(Opcode.MUL, stride, extent)


def member_of(make: Builder, rank: int, place: Ref, member: Sequence[int]) -> Ref:
    """Where a member of a descriptor is."""
    indices = [make.module.number(32, index) for index in (0, *member)]
    return make.address(descriptor(make.module, rank), place, indices)


def dimension_of(make: Builder, dummy: Dummy, place: Ref, dimension: int, part: int) -> Ref:
    """What a descriptor says of a dimension."""
    at = member_of(make, dummy.rank, place, (DIMENSIONS, dimension, part))
    return make.load(make.module.integer(SIZE), at)
