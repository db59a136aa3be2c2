# SPDX-License-Identifier: Apache-2.0
"""What this LLVM writes, as the one reads it that is in llvmlite and in clang.

Of floating-point constants LLVM 24 writes `f0x3FF8000000000000`, `+inf` and short decimals, and of
effects on memory `target_mem: none`, and LLVM 22 knows none of it. Before a module is printed, each
is exchanged for what has a name that is ours, and in the text that for what LLVM 22 writes.
Nothing has to be looked for in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, string_at

from tandem.llvm.attributes import FUNCTION_INDEX, attribute_kind
from tandem.llvm.binding import Ref, array, call
from tandem.llvm.loop_words import older_wishes
from tandem.llvm.read import (
    TYPE_ARRAY,
    TYPE_VECTOR,
    VALUE_AGGREGATES,
    VALUE_FLOAT,
    calls,
    children,
    instructions,
    operands,
    text,
    type_of,
)
from tandem.llvm.signatures import INT

FLOATS = {
    1: ("0xH", 16),
    18: ("0xR", 16),
    2: ("0x", 32),
    3: ("0x", 64),
    4: ("0xK", 80),
    5: ("0xL", 128),
}
"""LLVMTypeKind of a floating-point type: what LLVM 22 writes before the digits of its bits, and how
many bits these are."""
FLOAT, DOUBLE, FP128 = 2, 3, 5
FLOATING = ("half", "float", "double", "fp80", "fp128")
"""One of these is in the name of every floating-point type, and so in the text of who has any."""
PLACEHOLDER = "tandem.real."
EFFECTS = "tandem.memory."
ACCESSES = ("none", "read", "write", "readwrite")
PLACES = ("argmem", "inaccessiblemem", "errnomem", "", "target_mem0", "target_mem1")
"""What an attribute `memory` has two bits for each; those without a name are all other memory."""


def older_text(module: Ref) -> str:
    """A module as the older LLVM would have written it. It is of no use afterwards."""
    spelt = _effects(module)
    text = _printed(module)
    if any(name in text for name in FLOATING):  # their constants are looked for one by one
        spelt |= _Floats(module).spelt
        text = _printed(module)
    for here, there in spelt.items():
        text = text.replace(here, there)
    return older_wishes(text)


def _printed(module: Ref) -> str:
    printed = call("PrintModuleToString", module)
    text = string_at(printed).decode("utf-8", "surrogateescape")
    call("DisposeMessage", printed)
    return text


def _effects(module: Ref) -> dict[str, str]:
    """What stands in the text for the effects on memory of functions and calls, now, and what is
    to stand there."""
    spelt: dict[str, str] = {}
    functions = [*children(module, "Function")]
    for function in functions:
        _exchange_effects(function, "AtIndex", spelt)
    for made in [*calls(functions)]:
        _exchange_effects(made, "", spelt)
    return spelt


def _exchange_effects(user: Ref, where: str, spelt: dict[str, str]) -> None:
    site, kind = "" if where else "CallSite", attribute_kind("memory")
    found = call(f"Get{site}EnumAttribute{where}", user, FUNCTION_INDEX, kind)
    if not found:
        return
    bits = call("GetEnumAttributeValue", found)
    accesses = {place: ACCESSES[bits >> 2 * i & 3] for i, place in enumerate(PLACES)}
    if len({accesses[place] for place in ("", "target_mem0", "target_mem1")}) == 1:
        return
    name = f"{EFFECTS}{bits}"
    others = [f"{place}: {is_}" for place, is_ in accesses.items() if place and is_ != accesses[""]]
    spelt[f'"{name}"'] = f"memory({', '.join([accesses[''], *others])})"
    context = call("GetTypeContext", type_of(user))
    ours = call("CreateStringAttribute", context, name.encode(), len(name), b"", 0)
    call(f"Remove{site}EnumAttribute{where}", user, FUNCTION_INDEX, kind)
    call("AddCallSiteAttribute" if site else "AddAttributeAtIndex", user, FUNCTION_INDEX, ours)


class _Floats:
    """The constants of a module that LLVM 22 spells otherwise, exchanged."""

    def __init__(self, module: Ref) -> None:
        self.module = module
        self.context = call("GetModuleContext", module)
        self.others: dict[Ref, Ref] = {}
        self.spelt: dict[str, str] = {}
        """What stands in the text -> what is to stand there."""
        for value in [*children(module, "Global")]:
            initial = call("GetInitializer", value)
            other = self._other(initial) if initial else initial
            if other != initial:
                call("SetInitializer", value, other)
        for instruction in [*instructions(children(module, "Function"))]:
            self._exchange_operands(instruction)

    def _exchange_operands(self, user: Ref) -> None:
        for i, value in enumerate(operands(user)):
            other = self._other(value)
            if other != value:
                call("SetOperand", user, i, other)

    def _other(self, value: Ref) -> Ref:
        """What stands for a value: itself, but for a constant that both do not write in one
        way."""
        if value not in self.others:
            self.others[value] = self._made(value)
        return self.others[value]

    def _made(self, value: Ref) -> Ref:
        kind = call("GetValueKind", value)
        if kind != VALUE_FLOAT and kind not in VALUE_AGGREGATES:
            return value
        is_vector = call("GetTypeKind", type_of(value)) == TYPE_VECTOR
        if kind == VALUE_FLOAT and not is_vector:
            return value if _is_common(value) else self._placeholder(value)
        parts = [*parts_of_constant(value)]
        others = [self._other(part) for part in parts]
        return value if others == parts else aggregate(type_of(value), others)

    def _placeholder(self, value: Ref) -> Ref:
        kind = type_of(value)
        number = call("IntTypeInContext", self.context, FLOATS[call("GetTypeKind", kind)][1])
        name = f"{PLACEHOLDER}{len(self.spelt)}".encode()
        byte = call("IntTypeInContext", self.context, 8)
        place = call("ConstPtrToInt", call("AddGlobal", self.module, byte, name), number)
        made = call("ConstBitCast", place, kind)
        # `double bitcast (...)`: behind the type.
        self.spelt[text(made).partition(" ")[2]] = _older(value)
        self.spelt[f"@{name.decode()} = external global i8\n"] = ""
        return made


def _is_common(value: Ref) -> bool:
    """Whether a constant is a decimal that both read, and read as the same."""
    spelt = text(value).rpartition(" ")[2]
    is_plain = call("GetTypeKind", type_of(value)) in (FLOAT, DOUBLE) and "x" not in spelt
    if not is_plain or not spelt[-1].isdigit():
        return False
    return float(spelt) == call("ConstRealGetDouble", value, byref(INT()))


def _older(value: Ref) -> str:
    """A constant as LLVM 22 writes it: its bits in hexadecimal, a float as the double it is."""
    kind = call("GetTypeKind", type_of(value))
    prefix, width = FLOATS[kind]
    bits = _bits(value, width)
    if kind == FLOAT:
        bits, width = _double_of_float(bits), 64
    digits = f"{bits:0{width // 4}X}"
    return prefix + (digits[16:] + digits[:16] if kind == FP128 else digits)


def _bits(value: Ref, width: int) -> int:
    number = call("IntTypeInContext", call("GetTypeContext", type_of(value)), width)
    printed = text(call("ConstBitCast", value, number))
    return int(printed.rpartition(" ")[2]) & ((1 << width) - 1)


def _double_of_float(bits: int) -> int:
    """The bits of a double that is a float, with what a number that is none carries."""
    sign, exponent, fraction = bits >> 31, bits >> 23 & 255, bits & 0x7FFFFF
    if exponent == 255:
        return sign << 63 | 0x7FF << 52 | fraction << 29
    if not exponent:
        if not fraction:
            return sign << 63
        shift = 24 - fraction.bit_length()
        exponent, fraction = 1 - shift, (fraction << shift) & 0x7FFFFF
    return sign << 63 | (exponent + 896) << 52 | fraction << 29


def parts_of_constant(value: Ref) -> Iterator[Ref]:
    """The elements or members of a constant array, vector or struct."""
    kind = type_of(value)
    which = call("GetTypeKind", kind)
    counted = {TYPE_ARRAY: "GetArrayLength2", TYPE_VECTOR: "GetVectorSize"}
    count = call(counted.get(which, "CountStructElementTypes"), kind)
    return (call("GetAggregateElement", value, i) for i in range(count))


def aggregate(kind: Ref, parts: list[Ref]) -> Ref:
    """A constant array, vector or struct of a type."""
    which = call("GetTypeKind", kind)
    if which == TYPE_ARRAY:
        return call("ConstArray2", call("GetElementType", kind), array(parts), len(parts))
    if which == TYPE_VECTOR:
        return call("ConstVector", array(parts), len(parts))
    if call("GetStructName", kind):
        return call("ConstNamedStruct", kind, array(parts), len(parts))
    context = call("GetTypeContext", kind)
    packed = call("IsPackedStruct", kind)
    return call("ConstStructInContext", context, array(parts), len(parts), packed)
