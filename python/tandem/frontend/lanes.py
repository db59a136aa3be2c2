# SPDX-License-Identifier: Apache-2.0
"""The lanes of vectors: what each is, and all of them as one integer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import copy_flags, rename
from tandem.llvm.module import Module, Unknown, number_of
from tandem.llvm.opcodes import BINARY, CASTS, Opcode, Predicate
from tandem.llvm.read import Ref, call, opcode_of, type_of

_HALVES = (1, 18)
"""LLVMTypeKind of numbers of 16 bits."""


def has_vector(kind: Ref) -> bool:
    """Whether a type is a vector, or a struct with one among its members."""
    which = call("GetTypeKind", kind)
    if which == llvm.TYPE_STRUCT:
        return any(map(has_vector, llvm.member_types(kind)))
    return which == llvm.TYPE_VECTOR


def kinds_of(kind: Ref) -> list[Ref]:
    """The types of a vector's lanes; another type alone."""
    if call("GetTypeKind", kind) != llvm.TYPE_VECTOR:
        return [kind]
    return [call("GetElementType", kind)] * call("GetVectorSize", kind)


def joined_type(module: Module, kind: Ref) -> Ref:
    """A type in which every vector is an integer."""
    which = call("GetTypeKind", kind)
    if which == llvm.TYPE_STRUCT and has_vector(kind):
        return module.struct([joined_type(module, member) for member in llvm.member_types(kind)])
    if which != llvm.TYPE_VECTOR:
        return kind
    return module.integer(sum(map(lane_bits, kinds_of(kind))))


def lane_bits(kind: Ref) -> int:
    """The bits of a number that can be a lane. Raises Unknown for any other type."""
    bits = 16 if call("GetTypeKind", kind) in _HALVES else llvm.number_bits(kind)
    if not bits:
        raise Unknown
    return bits


class Lanes:
    """The lanes of a function's vectors, and what makes them."""

    def __init__(self, module: Module, given: Mapping[Ref, list[Ref]]) -> None:
        self.module = module
        self.make = Builder(module)
        self._lanes = dict(given)
        self._wholes: dict[Ref, Ref] = {}

    def at(self, ref: Ref) -> None:
        """Instructions from now on are in the place of one."""
        self.make.before(ref)

    def are(self, ref: Ref, made: list[Ref]) -> None:
        """Says what the lanes of an instruction are."""
        self._lanes[ref] = made
        for i, lane in enumerate(made):
            if opcode_of(lane) and not llvm.name(lane):
                rename(lane, f"tandem.{llvm.name(ref)}.lane{i}")

    def is_whole(self, ref: Ref, made: Ref) -> None:
        """Says what is in the place of a struct that had vectors in it."""
        self._wholes[ref] = made

    def of(self, value: Ref) -> list[Ref]:
        """The lanes of a vector; another value alone."""
        if value in self._lanes or not llvm.is_vector(value):
            return self._lanes.get(value, [value])
        count = range(len(kinds_of(type_of(value)))) if call("IsConstant", value) else ()
        parts = [call("GetAggregateElement", value, i) for i in count]
        if not parts or None in parts:
            raise Unknown
        return parts

    def of_or_same(self, value: Ref, count: int) -> list[Ref]:
        """... or another value for each of so many lanes."""
        return self.of(value) if llvm.is_vector(value) else [value] * count

    def whole(self, value: Ref) -> Ref:
        """A value that is no vector, or what is in its place."""
        if value in self._wholes or not has_vector(type_of(value)):
            return self._wholes.get(value, value)
        kind = joined_type(self.module, type_of(value))
        makes = {
            llvm.VALUE_POISON: "GetPoison",
            llvm.VALUE_UNDEF: "GetUndef",
            llvm.VALUE_ZERO: "ConstNull",
        }
        how = makes.get(call("GetValueKind", value))
        if how is None:
            raise Unknown
        return call(how, kind)

    def number_like(self, value: Ref, number: int) -> Ref:
        """A number of a value's type."""
        return number_of(type_of(value), number)

    def phi(self, ref: Ref, kind: Ref) -> Ref:
        """A phi of another one's flags, without its ways."""
        made = self.make.phi(kind)
        copy_flags(ref, made)
        return made

    def operation(self, ref: Ref, given: Sequence[Ref], kind: Ref) -> Ref:
        """What an instruction does, to numbers. `kind`: of the result."""
        opcode, make = Opcode(opcode_of(ref)), self.make
        if opcode in BINARY:
            made = make.binary(opcode, *_two(given))
        elif opcode in CASTS:
            made = make.cast(opcode, given[0], kind)
        elif opcode == Opcode.ICMP:
            made = make.compare(Predicate(call("GetICmpPredicate", ref)), *_two(given))
        elif opcode == Opcode.FCMP:
            made = make.compare_floats(call("GetFCmpPredicate", ref), *_two(given))
        elif opcode == Opcode.SELECT:
            made = make.choose(given[0], *_two(given[1:]))
        else:
            made = make.unary(opcode, given[0])
        copy_flags(ref, made)
        return made

    def places(self, ref: Ref, pointer: Ref, kind: Ref) -> Iterator[tuple[Ref, Ref, int]]:
        """Of each lane of a vector in memory that an access is of: its type, its place, and the
        alignment of that in bytes."""
        align = call("GetAlignment", ref)
        for i, lane in enumerate(kinds_of(kind)):
            bits = lane_bits(lane) if call("GetTypeKind", lane) != llvm.TYPE_POINTER else 64
            if bits % 8:
                raise Unknown
            offset = i * bits // 8
            place = pointer
            if offset:
                number = self.module.number(64, offset)
                place = self.make.address(self.module.integer(8), pointer, [number])
            yield lane, place, min(align, offset & -offset) if offset else align

    def joined(self, vector: Ref) -> Ref:
        """The bits of all lanes as one integer, the first lane's lowest."""
        kinds = kinds_of(type_of(vector))
        width = lane_bits(kinds[0])
        number, whole = self.module.integer(width), self.module.integer(width * len(kinds))
        make, sofar = self.make, None
        for i, lane in enumerate(self.of(vector)):
            bits = make.cast(Opcode.BIT_CAST, lane, number)
            wide = make.cast(Opcode.ZEXT, bits, whole) if len(kinds) > 1 else bits
            if sofar is None:
                sofar = wide
                continue
            moved = make.binary(Opcode.SHL, wide, number_of(whole, i * width))
            sofar = make.binary(Opcode.OR, sofar, moved)
        assert sofar is not None
        return sofar

    def split(self, whole: Ref, kinds: Sequence[Ref]) -> list[Ref]:
        """The lanes whose bits are an integer's."""
        width, make = lane_bits(kinds[0]), self.make
        number = self.module.integer(width)
        made = []
        for i, kind in enumerate(kinds):
            moved = make.binary(Opcode.LSHR, whole, number_of(type_of(whole), i * width))
            bits = make.cast(Opcode.TRUNC, moved, number) if len(kinds) > 1 else moved
            made.append(make.cast(Opcode.BIT_CAST, bits, kind))
        return made


def _two(given: Sequence[Ref]) -> tuple[Ref, Ref]:
    one, other = given
    return one, other
