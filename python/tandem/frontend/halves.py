# SPDX-License-Identifier: Apache-2.0
"""Numbers of 16 bits: `_Float16` and `__bf16` are for memory, and computed with as `float`.

Their values become integers, and conversions calls of C of ours (`library/half`), which the module
gets a copy of. So the importer knows of no other type, and software converts as the hardware does.
"""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm

from tandem.frontend.libraries import copies_of
from tandem.llvm.binding import Ref, call
from tandem.llvm.builder import Builder
from tandem.llvm.edit import copy_flags, replace
from tandem.llvm.module import Module, edited
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import instructions, opcode_of, operands, type_of, type_text
from tandem.llvm.retyped import retype

KINDS = ("half", "bfloat")
"""LLVM's types, of which the names of our functions speak."""
SIGN = 1 << 15


def with_halves(text: str) -> str:
    """A module's text in which they are integers; where more is done with them than is known, it
    stays as it is, and is refused later."""
    made = edited(text, _change) if any(kind in text for kind in KINDS) else None
    if made is None:
        return text
    module = llvm.parse_assembly(made)
    module.link_in(llvm.parse_assembly(copies_of("half/half.c")))
    return str(module)


def _change(module: Module) -> bool:
    halves = _Halves(module)
    for ref in [*instructions(module.defined)]:
        halves.compute(ref)
    return retype(module, dict.fromkeys(halves.kinds, module.integer(16)))


class _Halves:
    """What computes with such numbers: it takes and leaves them as they are in memory."""

    def __init__(self, module: Module) -> None:
        self.module, self.make = module, Builder(module)
        asked = ("HalfTypeInContext", "BFloatTypeInContext")
        self.kinds = [call(one, module.context) for one in asked]

    def compute(self, ref: Ref) -> None:
        """Puts what computes with `float` or with integers in an instruction's place, if it is
        about such numbers."""
        rule = _RULES.get(opcode_of(ref))
        is_about = any(type_of(value) in self.kinds for value in (ref, *operands(ref)))
        if rule and is_about:
            self.make.before(ref)
            replace(ref, rule(self, ref))

    def wide(self, value: Ref) -> Ref:
        """Such a number as `float`."""
        kind, bits = type_of(value), self.module.integer(16)
        function = self.module.declared(
            f"tandem_{type_text(kind)}_to_float", self.module.float, [bits]
        )
        return self.make.call(function, [self.make.cast(Opcode.BIT_CAST, value, bits)])

    def narrow(self, value: Ref, kind: Ref) -> Ref:
        """A `float` or `double` as such a number."""
        name = f"tandem_{type_text(type_of(value))}_to_{type_text(kind)}"
        function = self.module.declared(name, self.module.integer(16), [type_of(value)])
        return self.make.cast(Opcode.BIT_CAST, self.make.call(function, [value]), kind)


def _widened(halves: _Halves, ref: Ref) -> Ref:
    wide = halves.wide(operands(ref)[0])
    is_float = type_of(ref) == halves.module.float
    return wide if is_float else halves.make.cast(Opcode.FP_EXT, wide, type_of(ref))


def _narrowed(halves: _Halves, ref: Ref) -> Ref:
    return halves.narrow(operands(ref)[0], type_of(ref))


def _compared(halves: _Halves, ref: Ref) -> Ref:
    a, b = map(halves.wide, operands(ref))
    made = halves.make.compare_floats(call("GetFCmpPredicate", ref), a, b)
    copy_flags(ref, made)
    return made


def _computed(halves: _Halves, ref: Ref) -> Ref:
    a, b = map(halves.wide, operands(ref))
    made = halves.make.binary(Opcode(opcode_of(ref)), a, b)
    copy_flags(ref, made)
    return halves.narrow(made, type_of(ref))


def _negated(halves: _Halves, ref: Ref) -> Ref:
    make, kind = halves.make, halves.module.integer(16)
    bits = make.cast(Opcode.BIT_CAST, operands(ref)[0], kind)
    other = make.binary(Opcode.XOR, bits, halves.module.number(16, SIGN))
    return make.cast(Opcode.BIT_CAST, other, type_of(ref))


def _as_integer(halves: _Halves, ref: Ref) -> Ref:
    return halves.make.cast(Opcode(opcode_of(ref)), halves.wide(operands(ref)[0]), type_of(ref))


def _of_integer(halves: _Halves, ref: Ref) -> Ref:
    module, opcode = halves.module, Opcode(opcode_of(ref))
    made = halves.make.cast(opcode, operands(ref)[0], module.double)
    copy_flags(ref, made)
    return halves.narrow(made, type_of(ref))


_RULES: dict[int, Callable[[_Halves, Ref], Ref]] = {
    Opcode.FP_EXT: _widened,
    Opcode.FP_TRUNC: _narrowed,
    Opcode.FCMP: _compared,
    **dict.fromkeys((Opcode.FADD, Opcode.FSUB, Opcode.FMUL, Opcode.FDIV), _computed),
    Opcode.FNEG: _negated,
    **dict.fromkeys((Opcode.FP_TO_SI, Opcode.FP_TO_UI), _as_integer),
    **dict.fromkeys((Opcode.SI_TO_FP, Opcode.UI_TO_FP), _of_integer),
}
