# SPDX-License-Identifier: Apache-2.0
"""Numbers that C counts with a sign and that are never negative.

LLVM sees that by itself until a number has been in an array. Here a local array counts as never
negative while nothing negative is stored in it, and a number while nothing negative leads to it:
the greatest sets for which that holds. Comparisons, extensions and quotients of such numbers are
written without signs, and LLVM's passes go on from there: what is not greater than 0 is then 0.

An overflow of what C counts with a sign is undefined, as for LLVM (`nsw`); so is an element that
was never written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import replace
from tandem.llvm.module import Module, edited
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.read import VALUE_POISON, VALUE_UNDEF, Ref, call, opcode_of, operands, type_of

_UNSIGNED = {
    Predicate.SGT: Predicate.UGT,
    Predicate.SGE: Predicate.UGE,
    Predicate.SLT: Predicate.ULT,
    Predicate.SLE: Predicate.ULE,
}
_QUOTIENTS = {Opcode.SDIV: Opcode.UDIV, Opcode.SREM: Opcode.UREM}
_CHOICES = {"smin": all, "umax": all, "smax": any, "umin": any}
"""Intrinsics that give one of two numbers, and whether both or one must not be negative for that
not to be."""
_HARMLESS = ("llvm.lifetime.", "llvm.memset.")


def without_signs(text: str, top: str) -> str | None:
    """The text of a module with fewer signs in its function `top`; None where there are no more
    than LLVM sees."""
    return edited(text, lambda module: _change(module, top))


def _change(module: Module, top: str) -> bool:
    function = module.function(top)
    inside = list(llvm.instructions([function])) if function else []
    if not any(opcode_of(ref) == Opcode.ALLOCA for ref in inside):
        return False
    numbers = _Numbers(inside)
    found = [ref for ref in inside if numbers.has_needless_sign(ref)] if numbers.stored else []
    builder = Builder(module)
    for ref in found:
        replace(ref, _without_sign(builder.before(ref), ref))
    return bool(found)


def _without_sign(builder: Builder, ref: Ref) -> Ref:
    """What says the same of numbers that are never negative."""
    opcode = Opcode(opcode_of(ref))
    if opcode == Opcode.SEXT:
        made = builder.cast(Opcode.ZEXT, operands(ref)[0], type_of(ref))
        call("SetNNeg", made, 1)
    elif opcode == Opcode.ICMP:
        how = _UNSIGNED[Predicate(call("GetICmpPredicate", ref))]
        a, b = operands(ref)
        made = builder.compare(how, a, b)
        call("SetICmpSameSign", made, call("GetICmpSameSign", ref))
    else:
        a, b = operands(ref)
        made = builder.binary(_QUOTIENTS[opcode], a, b)
        if opcode == Opcode.SDIV:
            call("SetExact", made, call("GetExact", ref))
    return made


class _Numbers:
    """Which numbers of a function, and which arrays, are never negative. `stored`: what is stored
    in each of these arrays."""

    def __init__(self, inside: list[Ref]) -> None:
        self.array_of = _array_of(inside)
        self.stored = self._stored(inside)
        self.numbers = {ref for ref in inside if opcode_of(ref) in _RULES and _is_number(ref)}
        while self._drop():
            pass

    def _stored(self, inside: Iterable[Ref]) -> dict[Ref, list[Ref]]:
        """What is stored in each array of which only whole elements are accessed."""
        stored: dict[Ref, list[Ref]] = {array: [] for array in self.array_of.values()}
        bits_of: dict[Ref, int] = {}
        for ref in inside:
            pointers = self.array_of.keys() & operands(ref)
            for pointer in pointers if opcode_of(ref) != Opcode.ADDRESS else ():
                array = self.array_of[pointer]
                bits, values = _accessed(ref, pointer)
                if bits and bits_of.setdefault(array, bits) == bits:
                    stored.get(array, []).extend(values)
                elif not _is_harmless(ref):
                    stored.pop(array, None)
        return stored

    def _drop(self) -> bool:
        """Takes out what something leads to that may be negative; whether there was anything."""
        before = len(self.numbers) + len(self.stored)
        for ref in [*self.numbers]:
            if not _RULES[opcode_of(ref)](self, ref):
                self.numbers.discard(ref)
        self.stored = {array: v for array, v in self.stored.items() if self.all_known(v)}
        return len(self.numbers) + len(self.stored) < before

    def is_known(self, value: Ref) -> bool:
        """Whether a number is never negative. What is undefined is 0."""
        if value in self.numbers or call("GetValueKind", value) in (VALUE_UNDEF, VALUE_POISON):
            return True
        return llvm.constant_number(value) is not None and llvm.signed_number(value) >= 0

    def all_known(self, values: Iterable[Ref]) -> bool:
        return all(map(self.is_known, values))

    def has_needless_sign(self, ref: Ref) -> bool:
        """Whether an instruction tells negative numbers apart, and gets none."""
        opcode = opcode_of(ref)
        if opcode == Opcode.ICMP:
            tells = call("GetICmpPredicate", ref) in _UNSIGNED
        else:
            tells = opcode == Opcode.SEXT or opcode in _QUOTIENTS
        return tells and all(map(_is_number, operands(ref))) and self.all_known(operands(ref))


def _is_number(value: Ref) -> bool:
    """Whether a value is an integer that may have a sign."""
    return llvm.is_integer(value) and llvm.number_bits(type_of(value)) > 1


def _array_of(inside: Iterable[Ref]) -> dict[Ref, Ref]:
    """Pointer -> the local array that it points into."""
    found: dict[Ref, Ref] = {}
    work = [(ref, ref) for ref in inside if opcode_of(ref) == Opcode.ALLOCA]
    while work:
        pointer, array = work.pop()
        found[pointer] = array
        moved = [u for u in llvm.users(pointer) if opcode_of(u) == Opcode.ADDRESS]
        work += [(u, array) for u in moved if operands(u)[0] == pointer]
    return found


def _accessed(ref: Ref, pointer: Ref) -> tuple[int, list[Ref]]:
    """How many bits an access reads or writes as one element, 0 if it does not, and what it
    stores."""
    if opcode_of(ref) not in (Opcode.LOAD, Opcode.STORE) or llvm.is_volatile(ref):
        return 0, []
    kind = llvm.type_accessed(ref)
    is_number = call("GetTypeKind", kind) == llvm.TYPE_INTEGER
    bits = llvm.number_bits(kind) if is_number and llvm.pointer_accessed(ref) == pointer else 0
    is_whole = 8 * call("GetAlignment", ref) >= bits
    values = operands(ref)[:1] if opcode_of(ref) == Opcode.STORE else []
    return (bits, values) if is_whole and pointer not in values else (0, [])


def _is_harmless(ref: Ref) -> bool:
    """Whether a call makes nothing in an array negative."""
    function = llvm.called(ref)
    named = llvm.name(function) if function else ""
    if not named.startswith(_HARMLESS):
        return False
    return "memset" not in named or llvm.constant_number(operands(ref)[1]) == 0


# -- what an operation makes of numbers that are never negative -----------------------------------


def _loaded(known: _Numbers, ref: Ref) -> bool:
    return known.array_of.get(operands(ref)[0]) in known.stored


def _all(known: _Numbers, ref: Ref) -> bool:
    return known.all_known(operands(ref))


def _chosen(known: _Numbers, ref: Ref) -> bool:
    return known.all_known(operands(ref)[1:])


def _called(known: _Numbers, ref: Ref) -> bool:
    function = llvm.called(ref)
    _, _, word = llvm.name(function).partition("llvm.") if function else ("", "", "")
    enough = _CHOICES.get(word.partition(".")[0])
    return enough is not None and enough(map(known.is_known, operands(ref)[:2]))


def _without_overflow(known: _Numbers, ref: Ref) -> bool:
    return bool(call("GetNSW", ref)) and _all(known, ref)


def _shifted(known: _Numbers, ref: Ref) -> bool:
    return bool(call("GetNSW", ref)) and _first(known, ref)


def _first(known: _Numbers, ref: Ref) -> bool:
    return known.is_known(operands(ref)[0])


def _any(known: _Numbers, ref: Ref) -> bool:
    return any(map(known.is_known, operands(ref)))


_RULES: dict[int, Callable[[_Numbers, Ref], bool]] = {
    Opcode.LOAD: _loaded,
    Opcode.PHI: _all,
    Opcode.SELECT: _chosen,
    Opcode.CALL: _called,
    Opcode.ZEXT: lambda _, ref: True,
    Opcode.SEXT: _all,
    Opcode.FREEZE: _all,
    Opcode.ADD: _without_overflow,
    Opcode.MUL: _without_overflow,
    Opcode.SHL: _shifted,
    Opcode.AND: _any,
    Opcode.OR: _all,
    Opcode.XOR: _all,
    Opcode.SDIV: _all,
    Opcode.SREM: _first,
    Opcode.UREM: _any,
    Opcode.UDIV: _first,
    Opcode.LSHR: _first,
    Opcode.ASHR: _first,
}
