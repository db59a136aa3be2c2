# SPDX-License-Identifier: Apache-2.0
"""Conversions between floating point and integers of more than 64 bits (`__int128`, `_BitInt`)
become calls of C of ours (`library/wide`), which a module gets a copy of."""

from __future__ import annotations

import llvmlite.binding

from tandem.frontend.libraries import copies_of
from tandem.llvm.binding import Ref
from tandem.llvm.builder import Builder
from tandem.llvm.edit import replace
from tandem.llvm.module import Module, edited
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import instructions, number_bits, opcode_of, operands, type_of, type_text

WIDEST, NARROW = 128, 64
_FROM = {Opcode.SI_TO_FP: "signed", Opcode.UI_TO_FP: "unsigned"}
_TO = (Opcode.FP_TO_SI, Opcode.FP_TO_UI)


def with_wide_conversions(text: str) -> str:
    """A module's text with calls in place of those conversions."""
    made = edited(text, _convert)
    if made is None:
        return text
    module = llvmlite.binding.parse_assembly(made)
    module.link_in(llvmlite.binding.parse_assembly(copies_of("wide/convert.c")))
    return str(module)


def _convert(module: Module) -> bool:
    found = [ref for ref in instructions(module.defined) if _is_wide(ref)]
    conversions = _Conversions(module)
    for ref in found:
        conversions.convert(ref)
    return bool(found)


def _is_wide(ref: Ref) -> bool:
    """Whether an instruction is one of these conversions."""
    opcode = opcode_of(ref)
    if opcode not in (*_FROM, *_TO):
        return False
    integer, real = type_of(operands(ref)[0]), type_of(ref)
    if opcode in _TO:
        integer, real = real, integer
    return NARROW < number_bits(integer) <= WIDEST and number_bits(real) > 0


class _Conversions:
    def __init__(self, module: Module) -> None:
        self.module, self.builder = module, Builder(module)
        self.whole, self.half = module.integer(WIDEST), module.integer(NARROW)

    def convert(self, ref: Ref) -> None:
        self.builder.before(ref)
        is_from = opcode_of(ref) in _FROM
        replace(ref, self._from_integer(ref) if is_from else self._to_integer(ref))

    def _from_integer(self, ref: Ref) -> Ref:
        make, [value] = self.builder, operands(ref)
        sign = _FROM[Opcode(opcode_of(ref))]
        if number_bits(type_of(value)) < WIDEST:
            widen = Opcode.SEXT if sign == "signed" else Opcode.ZEXT
            value = make.cast(widen, value, self.whole, "tandem.wide")
        above = make.binary(Opcode.LSHR, value, self._shift(), "tandem.above")
        halves = [make.cast(Opcode.TRUNC, part, self.half) for part in (above, value)]
        kind = type_of(ref)
        function = f"tandem_{sign}_to_{type_text(kind)}"
        return make.call(self.module.declared(function, kind, [self.half, self.half]), halves)

    def _to_integer(self, ref: Ref) -> Ref:
        make, [value], double = self.builder, operands(ref), self.module.double
        if type_of(value) != double:
            value = make.cast(Opcode.FP_EXT, value, double, "tandem.double")
        high, low = (
            make.call(
                self.module.declared(f"tandem_double_to_{half}", self.half, [double]), [value]
            )
            for half in ("high", "low")
        )
        above = make.cast(Opcode.ZEXT, high, self.whole, "tandem.above")
        below = make.cast(Opcode.ZEXT, low, self.whole, "tandem.below")
        upper = make.binary(Opcode.SHL, above, self._shift(), "tandem.upper")
        found = make.binary(Opcode.OR, upper, below)
        is_whole = number_bits(type_of(ref)) == WIDEST
        return found if is_whole else make.cast(Opcode.TRUNC, found, type_of(ref))

    def _shift(self) -> Ref:
        return self.module.number(WIDEST, NARROW)
