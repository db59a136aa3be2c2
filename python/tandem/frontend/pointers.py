# SPDX-License-Identifier: Apache-2.0
"""Where pointers lead, found before the import: the arrays that each may point into, and the
largest power of two that divides its byte offset there.

Only offsets count, never the alignment that LLVM states: that speaks of addresses, and the start
of a buffer may lie at any address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from tandem.llvm import read as llvm
from tandem.llvm import sizes
from tandem.llvm.opcodes import Opcode

LEAST_OF_OPERANDS = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.UREM,
        Opcode.SREM,
        Opcode.OR,
        Opcode.XOR,
        Opcode.TRUNC,
        Opcode.ZEXT,
        Opcode.SEXT,
        Opcode.PHI,
        Opcode.FREEZE,
    }
)
"""A power of two that divides every operand divides the result."""
FROM_NUMBERS = frozenset({Opcode.LOAD, Opcode.INT_TO_PTR})
POINTER_MOVES = frozenset({Opcode.ADDRESS, Opcode.PHI, Opcode.SELECT, Opcode.FREEZE}) | FROM_NUMBERS
ANY_POWER = 32
"""log2 of the power of two that divides 0: more than any access needs."""

Bases = dict[llvm.Ref, int]
"""Array -> log2 of the power of two that divides the offset into it."""


def gep_terms(ref: llvm.Ref) -> tuple[int, list[tuple[llvm.Ref, int]]]:
    """(known bytes, [(index, bytes it counts)]) that a getelementptr adds to its base."""
    known, terms = 0, []
    for index, kind, struct in _indices(ref):
        if struct is not None:
            known += sizes.field_offset(struct, llvm.call("ConstIntGetZExtValue", index))
        else:
            terms.append((index, sizes.size_and_alignment(kind)[0]))
    return known, terms


def steps_to(pointer: llvm.Ref) -> tuple[llvm.Ref, int, list[tuple[llvm.Ref, int]]]:
    """What a pointer is behind of, and by what: known bytes, and (index, bytes that it counts) of
    all others."""
    known, open_terms = 0, list[tuple[llvm.Ref, int]]()
    while llvm.opcode_of(pointer) == Opcode.ADDRESS:
        here, terms = gep_terms(pointer)
        known += here
        for index, size in terms:
            if llvm.constant_number(index) is None:
                open_terms.append((index, size))
            else:
                known += llvm.signed_number(index) * size
        pointer = llvm.operands(pointer)[0]
    return pointer, known, open_terms


def base_and_bytes(pointer: llvm.Ref) -> tuple[llvm.Ref, int | None]:
    """What a pointer is behind of, and by how many bytes; None where that is not known."""
    start, known, open_terms = steps_to(pointer)
    return start, None if open_terms else known


def row_bytes(ref: llvm.Ref) -> set[int]:
    """The sizes of the rows that indices of a getelementptr count: of arrays in an array."""
    found = set[int]()
    for index, kind, struct in _indices(ref):
        if struct is not None:
            break  # what is in a member is no row of the array
        is_row = llvm.call("GetTypeKind", kind) == llvm.TYPE_ARRAY
        if is_row and llvm.call("GetValueKind", index) != llvm.VALUE_INTEGER:
            found.add(sizes.size_and_alignment(kind)[0])
    return found


def _indices(ref: llvm.Ref) -> Iterator[tuple[llvm.Ref, llvm.Ref, llvm.Ref | None]]:
    """Each index of a getelementptr, the type of what it counts or names, and the struct of which
    that is a member, if it is one."""
    kind = llvm.call("GetGEPSourceElementType", ref)
    for position, index in enumerate(llvm.operands(ref)[1:]):
        struct = None
        if position and llvm.call("GetTypeKind", kind) == llvm.TYPE_STRUCT:
            struct = kind
            number = llvm.call("ConstIntGetZExtValue", index)
            kind = llvm.call("StructGetTypeAtIndex", struct, number)
        elif position:
            kind = llvm.call("GetElementType", kind)
        yield index, kind, struct


class PointerFacts:
    """The bases of every pointer of some functions, the first of which calls the others: the least
    fixed point over their instructions. A parameter of the others is what a phi is. A pointer that
    is read from memory, or made from a number, may be any that has become one, or null, which is
    what memory full of zeros holds: `held`; or, without `is_through_memory`, leads nowhere."""

    def __init__(self, functions: Sequence[llvm.Ref], is_through_memory: bool = True) -> None:
        self._bases: dict[llvm.Ref, Bases] = {}
        self._powers: dict[llvm.Ref, int] = {}
        self.held: Bases = {}
        self._constant: dict[llvm.Ref, list[llvm.Ref]] = {}
        """Loads of constants -> the pointers that stand there."""
        steps = [
            (ref, llvm.call("GetInstructionOpcode", ref), llvm.operands(ref))
            for ref in llvm.instructions(functions)
        ]
        moves = [s for s in steps if llvm.is_pointer(s[0]) and s[1] in POINTER_MOVES]
        moves += _parameters(functions)
        stored = [s[2][0] for s in steps if s[1] == Opcode.STORE and llvm.is_pointer(s[2][0])]
        stored += dict.fromkeys(pointer for s in steps for pointer in _numbered(*s))
        made = [ref for ref, opcode, _ in moves if opcode in FROM_NUMBERS]
        if not is_through_memory:
            stored = []
        elif made:
            loads = ((s[0], s[2][0]) for s in moves if s[1] == Opcode.LOAD)
            found = ((ref, _constants_at(address)) for ref, address in loads)
            self._constant = {ref: pointers for ref, pointers in found if pointers}
            stored += [*_in_initialisers(steps), llvm.null_like(made[0])]
        self._bases.update((ref, {}) for ref, _, _ in moves)
        counting = _counting(steps)
        numbers = [s for s in steps if s[0] in counting]
        while sum(self._update_power(*step) for step in numbers):
            pass
        while sum(self._update_bases(*step) for step in moves) + self._update_held(stored):
            pass

    def bases(self, pointer: llvm.Ref) -> Bases:
        """The arrays that a pointer may lead to. None for an undefined pointer."""
        if pointer in self._bases:
            return self._bases[pointer]
        kind = llvm.call("GetValueKind", pointer)
        if kind == llvm.VALUE_EXPRESSION and llvm.call("GetConstOpcode", pointer) == Opcode.ADDRESS:
            return self._moved(pointer, llvm.operands(pointer)[0])
        if kind in (llvm.VALUE_UNDEF, llvm.VALUE_POISON):
            return {}
        return {pointer: ANY_POWER}

    def _update_bases(self, ref: llvm.Ref, opcode: int, operands: list[llvm.Ref]) -> bool:
        if opcode == Opcode.ADDRESS:
            found = self._moved(ref, operands[0])
        elif opcode == Opcode.LOAD:
            found = self._any_of(self._constant[ref]) if ref in self._constant else dict(self.held)
        elif opcode == Opcode.INT_TO_PTR:  # what was computed with may be any number
            found = dict.fromkeys(self.held, 0)
        else:
            found = self._any_of(operands[1:] if opcode == Opcode.SELECT else operands)
        changed = found != self._bases.get(ref)
        self._bases[ref] = found
        return changed

    def _any_of(self, sources: Sequence[llvm.Ref]) -> Bases:
        """What a pointer may lead to that is one of several."""
        found: Bases = {}
        for source in sources:
            for base, power in self.bases(source).items():
                found[base] = min(power, found.get(base, power))
        return found

    def _update_held(self, stored: list[llvm.Ref]) -> bool:
        """Notes of what memories may hold; whether there is more."""
        before = dict(self.held)
        for pointer in stored:
            for base, power in self.bases(pointer).items():
                self.held[base] = min(power, self.held.get(base, power))
        return self.held != before

    def _moved(self, gep: llvm.Ref, start: llvm.Ref) -> Bases:
        known, terms = gep_terms(gep)
        powers = [_power(known), *(_power(size) + self._power_of(index) for index, size in terms)]
        step = min(ANY_POWER, *powers)
        return {base: min(power, step) for base, power in self.bases(start).items()}

    # -- numbers --------------------------------------------------------------------------------

    def _power_of(self, value: llvm.Ref) -> int:
        """log2 of the largest power of two known to divide an integer."""
        number = _known_number(value)
        if number is not None:
            return _power(number)
        if llvm.call("GetValueKind", value) == llvm.VALUE_INSTRUCTION:
            return self._powers.get(value, ANY_POWER)
        return 0

    def _update_power(self, ref: llvm.Ref, opcode: int, operands: list[llvm.Ref]) -> bool:
        found = min(ANY_POWER, self._result_power(opcode, operands))
        changed = found != self._powers.get(ref)
        self._powers[ref] = found
        return changed

    def _result_power(self, opcode: int, operands: list[llvm.Ref]) -> int:
        if opcode in LEAST_OF_OPERANDS:
            return min(self._power_of(o) for o in operands)
        if opcode == Opcode.SELECT:
            return min(self._power_of(o) for o in operands[1:])
        if opcode == Opcode.AND:
            return max(self._power_of(o) for o in operands)
        if opcode == Opcode.MUL:
            return sum(self._power_of(o) for o in operands)
        if opcode in (Opcode.SHL, Opcode.LSHR, Opcode.ASHR):
            return self._shifted_power(opcode, operands)
        return 0

    def _shifted_power(self, opcode: int, operands: list[llvm.Ref]) -> int:
        power, count = self._power_of(operands[0]), _known_number(operands[1])
        if opcode == Opcode.SHL:
            return power + (count or 0)
        return max(0, power - count) if count is not None else 0


def _numbered(ref: llvm.Ref, opcode: int, operands: list[llvm.Ref]) -> Iterator[llvm.Ref]:
    """The pointers that an instruction, or what is constant in it, makes numbers of."""
    constant = [o for o in operands if llvm.call("GetValueKind", o) == llvm.VALUE_EXPRESSION]
    if opcode != Opcode.PTR_TO_INT and not constant:
        return
    for part in (ref, *(part for o in constant for part in llvm.parts_of(o))):
        pointer = llvm.numbered_pointer(part)
        if pointer is not None:
            yield pointer


def _counting(steps: Sequence[tuple[llvm.Ref, int, list[llvm.Ref]]]) -> set[llvm.Ref]:
    """The integers that say which element an address is of, and those that they are made of."""
    operands = {ref: read for ref, _, read in steps}
    work = [o for _, opcode, read in steps if opcode == Opcode.ADDRESS for o in read[1:]]
    found: set[llvm.Ref] = set()
    while work:
        value = work.pop()
        if value in operands and value not in found and llvm.is_integer(value):
            found.add(value)
            work += operands[value]
    return found


def _in_initialisers(
    steps: Sequence[tuple[llvm.Ref, int, list[llvm.Ref]]],
) -> list[llvm.Ref]:
    """The pointers in the initialisers of variables that the functions reach."""
    found: list[llvm.Ref] = []
    work = [operand for _, _, operands in steps for operand in operands]
    seen: set[llvm.Ref] = set()
    while work:
        value = work.pop()
        if value in seen or not llvm.call("IsConstant", value):
            continue
        seen.add(value)
        if llvm.call("GetValueKind", value) == llvm.VALUE_GLOBAL:
            inside = llvm.call("GetInitializer", value)
            pointers = [pointer for _, pointer in sizes.pointers_in(inside)] if inside else []
            found += pointers
            work += pointers
        else:
            work += llvm.operands(value)
    return found


def _constants_at(address: llvm.Ref) -> list[llvm.Ref]:
    """The pointers that a load from an address may read, null among them, where that is in a
    constant: those that stand where the same steps lead, whatever their indices are. None where
    nothing is known."""
    start, known, terms = steps_to(address)
    step = gcd(*(size for _, size in terms))
    is_variable = llvm.call("GetValueKind", start) == llvm.VALUE_GLOBAL
    if not is_variable or not llvm.call("IsGlobalConstant", start):
        return []
    inside = llvm.call("GetInitializer", start)
    found = sizes.pointers_in(inside) if inside else ()
    same = [p for at, p in found if (at == known if not step else (at - known) % step == 0)]
    return [*same, llvm.null_like(address)] if same else []


def _parameters(functions: Sequence[llvm.Ref]) -> list[tuple[llvm.Ref, int, list[llvm.Ref]]]:
    """The pointers that are parameters of called functions, as phis of what the calls give."""
    given: dict[llvm.Ref, list[llvm.Ref]] = {
        ref: []
        for function in functions[1:]
        for ref in llvm.parameters(function)
        if llvm.is_pointer(ref)
    }
    calls = llvm.calls(functions) if given else ()
    for call in (c for c in calls if llvm.call("GetCalledValue", c) in functions):
        for ref, value in llvm.passed(call):
            if ref in given:
                given[ref].append(value)
    return [(ref, Opcode.PHI, values) for ref, values in given.items()]


def _power(number: int) -> int:
    """log2 of the largest power of two that divides `number`."""
    return (number & -number).bit_length() - 1 if number else ANY_POWER


def _known_number(value: llvm.Ref) -> int | None:
    """The number that a constant is; what is undefined counts as 0, as everywhere."""
    if llvm.call("GetValueKind", value) in (llvm.VALUE_UNDEF, llvm.VALUE_POISON):
        return 0
    return llvm.constant_number(value)
