# SPDX-License-Identifier: Apache-2.0
"""Pointers as the import sees them: which memory, at which byte, and on which condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tandem.ir.builder import Builder
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    SIGNED,
    Add,
    And,
    Compare,
    Constant,
    Eq,
    Equality,
    Mul,
    Ne,
    Op,
    Or,
    Parameter,
    Select,
    SLt,
    Sub,
    ULt,
    constant,
)

OFFSET_BITS = 64


@dataclass(frozen=True)
class Address:
    """A byte offset into a memory: a sum of terms (value, factor) and a constant. The memory of
    the null pointer is None."""

    memory: Memory | None
    terms: tuple[tuple[Op, int], ...] = ()
    constant: int = 0


@dataclass(frozen=True)
class Case:
    """A place that a pointer may point to, and the condition under which it does."""

    chosen: Op
    address: Address


@dataclass(frozen=True)
class Pointer:
    """What an LLVM pointer stands for: one case a memory, of which exactly one is chosen."""

    cases: tuple[Case, ...]


class Incomparable(Exception):
    """Whether two memories are one is not known before the call."""

    def __init__(self, memories: tuple[Memory | None, Memory | None]) -> None:
        super().__init__()
        self.memories = memories


def pointer_to(memory: Memory | None) -> Pointer:
    """The start of a memory."""
    return Pointer((Case(constant(1, 1), Address(memory)),))


def moved(pointer: Pointer, known: int, terms: Sequence[tuple[Op, int]]) -> Pointer:
    """The pointer `known` bytes and a sum of terms further on."""
    return Pointer(
        tuple(
            Case(
                case.chosen,
                Address(
                    case.address.memory,
                    (*case.address.terms, *terms),
                    case.address.constant + known,
                ),
            )
            for case in pointer.cases
        )
    )


def choose(builder: Builder, condition: Op, yes: Pointer, no: Pointer) -> Pointer:
    """One of two pointers: within a memory an offset is chosen, else the memory."""
    rest = {case.address.memory: case for case in no.cases}
    cases = []
    for case in yes.cases:
        other = rest.pop(case.address.memory, None)
        if other is None:
            cases.append(Case(builder.logic(And, [condition, case.chosen]), case.address))
        else:
            cases.append(_chosen_case(builder, condition, case, other))
    inverted = builder.invert(condition)
    for case in rest.values():
        cases.append(Case(builder.logic(And, [inverted, case.chosen]), case.address))
    return Pointer(tuple(cases))


def _chosen_case(builder: Builder, condition: Op, yes: Case, no: Case) -> Case:
    chosen = builder.build(Select, [condition, yes.chosen, no.chosen], 1)
    if yes.address == no.address:
        return Case(chosen, yes.address)
    offsets = [byte_offset(builder, side.address) for side in (yes, no)]
    offset = builder.build(Select, [condition, *offsets], OFFSET_BITS)
    return Case(chosen, Address(yes.address.memory, ((offset, 1),)))


def byte_offset(builder: Builder, address: Address) -> Op:
    """The offset in bytes as one value."""
    return _sum(builder, address.terms, address.constant)


def _sum(builder: Builder, terms: Sequence[tuple[Op, int]], start: int) -> Op:
    total = constant(0, OFFSET_BITS)
    for value, factor in terms:
        scaled = builder.build(Mul, [value, constant(factor, OFFSET_BITS)], OFFSET_BITS)
        total = builder.build(Add, [total, scaled], OFFSET_BITS)
    return builder.build(Add, [total, constant(start, OFFSET_BITS)], OFFSET_BITS)


def element_index(builder: Builder, address: Address, size: int, element: int = 0) -> Op:
    """The index of an address, `element` elements of `size` bytes further on. `size` divides the
    offset: `PointerFacts` has seen to that."""
    if all(factor % size == 0 for _, factor in address.terms) and address.constant % size == 0:
        terms = [(value, factor // size) for value, factor in address.terms]
        return _sum(builder, terms, address.constant // size + element)
    offset = _sum(builder, address.terms, address.constant + element * size)
    shift = size.bit_length() - 1
    return builder.extract(offset, shift, OFFSET_BITS - shift)


CODE_BITS = 16
"""The highest bits of a pointer in memory: the number of what it leads to. The others are the
offset into that."""
HELD_OFFSET_BITS = OFFSET_BITS - CODE_BITS


def encoded(code: int, offset: int) -> int:
    """The number that stands in memory for a pointer to `offset` bytes behind the start of what
    has the number `code`."""
    return code << HELD_OFFSET_BITS | offset & (1 << HELD_OFFSET_BITS) - 1


def encode(builder: Builder, pointer: Pointer, codes: Mapping[Memory | None, int]) -> Op:
    """The same of a pointer that may lead to several."""
    value: Op | None = None
    for case in pointer.cases:
        offset = builder.extract(byte_offset(builder, case.address), 0, HELD_OFFSET_BITS)
        here = builder.concat(constant(codes[case.address.memory], CODE_BITS), offset)
        if value is not None:
            here = builder.build(Select, [case.chosen, here, value], OFFSET_BITS)
        value = here
    assert value is not None, "one case of every pointer is chosen"
    return value


def decode(builder: Builder, value: Op, codes: Mapping[Memory | None, int]) -> Pointer:
    """The pointer that a number in memory stands for; it leads to one of those that have codes."""
    code = builder.extract(value, HELD_OFFSET_BITS, CODE_BITS)
    offset = builder.resize(builder.extract(value, 0, HELD_OFFSET_BITS), OFFSET_BITS, True)
    return Pointer(
        tuple(
            Case(
                builder.compare(Eq, code, constant(number, CODE_BITS)),
                Address(memory, ((offset, 1),)),
            )
            for memory, number in codes.items()
        )
    )


def phi_parameters(memories: Sequence[Memory | None]) -> list[Op]:
    """What carries a pointer into a block: the offset, and a bit for each memory but the last that
    says that the pointer leads there."""
    return [Parameter((), width) for width in (OFFSET_BITS, *[1] * (len(memories) - 1))]


def phi_pointer(
    builder: Builder, memories: Sequence[Memory | None], parameters: Sequence[Op]
) -> Pointer:
    """The pointer that the parameters carry."""
    offset, *flags = parameters
    last = builder.invert(builder.logic(Or, flags)) if flags else constant(1, 1)
    return Pointer(
        tuple(
            Case(chosen, Address(memory, ((offset, 1),)))
            for memory, chosen in zip(memories, [*flags, last], strict=True)
        )
    )


def phi_arguments(
    builder: Builder, memories: Sequence[Memory | None], pointer: Pointer | None
) -> list[Op]:
    """The values for `phi_parameters` that make a pointer of them; of an undefined one, zeros."""
    if pointer is None:
        return [constant(0, OFFSET_BITS), *[constant(0, 1)] * (len(memories) - 1)]
    chosen = {case.address.memory: case.chosen for case in pointer.cases}
    flags = [chosen.get(memory, constant(0, 1)) for memory in memories[:-1]]
    return [_offset(builder, pointer), *flags]


def _offset(builder: Builder, pointer: Pointer) -> Op:
    *others, last = pointer.cases
    offset = byte_offset(builder, last.address)
    for case in others:
        sides = [byte_offset(builder, case.address), offset]
        offset = builder.build(Select, [case.chosen, *sides], OFFSET_BITS)
    return offset


# -- comparing --------------------------------------------------------------------------------


class Host(Protocol):
    """What a call tells of the host's addresses."""

    def is_given(self, memory: Memory) -> Op:
        """Whether an argument is not null."""
        ...

    def start_of(self, memory: Memory | None) -> Op | None:
        """Where an array lies; None for one that the host does not see."""
        ...

    def may_overlap(self, one: Memory | None, other: Memory | None) -> bool:
        """Whether two arrays are said to be so."""
        ...


def compare(
    builder: Builder, predicate: type[Compare], sides: tuple[Pointer, Pointer], host: Host
) -> Op:
    """The outcome of a comparison. Raises Incomparable."""

    def inside(a: Address, b: Address) -> Op:
        # Before the start of an array is below it.
        offsets = [byte_offset(builder, side) for side in (a, b)]
        return builder.compare(SIGNED[predicate], *offsets)

    def outside(a: Address, b: Address) -> Op:
        return builder.compare(predicate, *_on_host(builder, a, b, host))

    def equality(a: Address, b: Address) -> Op:
        known = _with_null(a.memory, b.memory)
        if known is not None:
            given = host.is_given(known)
            return given if predicate is Ne else builder.invert(given)
        if a.memory is b.memory:
            return inside(a, b)
        if _are_distinct(a.memory, b.memory):
            return constant(int(predicate is Ne), 1)
        return outside(a, b)

    if issubclass(predicate, Equality):
        return _pairwise(builder, *sides, equality)
    return _within_one(builder, *sides, inside, outside)


def _on_host(builder: Builder, a: Address, b: Address, host: Host) -> list[Op]:
    """Two places as numbers of the host. Raises Incomparable where it does not see both."""
    starts = [host.start_of(side.memory) for side in (a, b)]
    if None in starts:
        raise Incomparable((a.memory, b.memory))
    return [
        builder.build(Add, [start, byte_offset(builder, side)], OFFSET_BITS)
        for start, side in zip(starts, (a, b), strict=True)
        if start is not None
    ]


def _with_null(a: Memory | None, b: Memory | None) -> Memory | None:
    """The argument that is compared with the null pointer; None for anything else."""
    one = b if a is None else a if b is None else None
    return one if one is not None and one.kind is MemoryKind.ARGUMENT else None


def is_below(builder: Builder, left: Pointer, right: Pointer, host: Host) -> Op:
    """Whether `left` is below `right` in their memory, or on the host where that may be one; 1 if
    they lead to different ones."""

    def below(a: Address, b: Address) -> Op:
        if a.memory is not b.memory and host.may_overlap(a.memory, b.memory):
            return builder.compare(ULt, *_on_host(builder, a, b, host))
        if a.memory is not b.memory:
            return constant(1, 1)
        return builder.compare(SLt, byte_offset(builder, a), byte_offset(builder, b))

    return _pairwise(builder, left, right, below)


def difference(builder: Builder, left: Pointer, right: Pointer, host: Host) -> Op:
    """The bytes from `right` to `left`. Raises Incomparable."""

    def inside(a: Address, b: Address) -> Op:
        offsets = [byte_offset(builder, a), byte_offset(builder, b)]
        return builder.build(Sub, offsets, OFFSET_BITS)

    def outside(a: Address, b: Address) -> Op:
        return builder.build(Sub, _on_host(builder, a, b, host), OFFSET_BITS)

    return _within_one(builder, left, right, inside, outside)


Outcome = Callable[[Address, Address], Op]


def _within_one(
    builder: Builder, left: Pointer, right: Pointer, inside: Outcome, outside: Outcome
) -> Op:
    """The outcome where both lead to one memory, or to two that may be one: in others, and for the
    null pointer, C does not ask. Raises Incomparable where all are different."""
    result: Op | None = None
    apart: list[tuple[Memory | None, Memory | None]] = []
    for both, a, b in _pairs(builder, left, right):
        if a.memory is None or b.memory is None:
            result = inside(Address(None), Address(None)) if result is None else result
        elif a.memory is not b.memory and _are_distinct(a.memory, b.memory):
            apart.append((a.memory, b.memory))
        else:
            value = inside(a, b) if a.memory is b.memory else outside(a, b)
            result = value if result is None else _select(builder, both, value, result)
    if result is None:
        raise Incomparable(apart[0])
    return result


def _pairwise(builder: Builder, left: Pointer, right: Pointer, outcome: Outcome) -> Op:
    """The outcome for the two places that are chosen."""
    result: Op | None = None
    for both, a, b in _pairs(builder, left, right):
        value = outcome(a, b)
        result = value if result is None else _select(builder, both, value, result)
    assert result is not None, "one case of every pointer is chosen"
    return result


def _pairs(
    builder: Builder, left: Pointer, right: Pointer
) -> Iterator[tuple[Op, Address, Address]]:
    """Two places that can be chosen together, and whether they are."""
    for a in left.cases:
        for b in right.cases:
            both = builder.logic(And, [a.chosen, b.chosen])
            if not isinstance(both, Constant) or both.value:
                yield both, a.address, b.address


def _select(builder: Builder, condition: Op, yes: Op, no: Op) -> Op:
    return builder.build(Select, [condition, yes, no], yes.width)


def _are_distinct(a: Memory | None, b: Memory | None) -> bool:
    """Whether two memories cannot be one: an argument may be null, any other argument, or a table
    that the caller knows as well."""
    kinds = {m.kind for m in (a, b) if m is not None}
    return MemoryKind.RAM in kinds or MemoryKind.ARGUMENT not in kinds
