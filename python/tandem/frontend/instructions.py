# SPDX-License-Identifier: Apache-2.0
"""LLVM's arithmetic instructions and intrinsics in terms of the IR."""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.ops import (
    OPERATIONS,
    Add,
    And,
    AShr,
    Compare,
    Eq,
    LShr,
    Mul,
    Op,
    Or,
    SDiv,
    Select,
    Shift,
    Shl,
    SLt,
    SRem,
    Sub,
    UDiv,
    ULt,
    URem,
    Xor,
    constant,
)
from tandem.ir.wiring import bits_of

# LLVMOpcode in llvm-c/Core.h -> operation
SIMPLE = {
    8: Add,
    10: Sub,
    12: Mul,
    14: UDiv,
    15: SDiv,
    17: URem,
    18: SRem,
    20: Shl,
    21: LShr,
    22: AShr,
    23: And,
    24: Or,
    25: Xor,
}

INTRINSICS = frozenset(
    {
        "llvm.umin",
        "llvm.umax",
        "llvm.smin",
        "llvm.smax",
        "llvm.abs",
        "llvm.fshl",
        "llvm.fshr",
        "llvm.bswap",
        "llvm.bitreverse",
        "llvm.ctpop",
        "llvm.ctlz",
        "llvm.cttz",
        "llvm.uadd.sat",
        "llvm.usub.sat",
        "llvm.sadd.sat",
        "llvm.ssub.sat",
        "llvm.scmp",
        "llvm.ucmp",
    }
)


OVERFLOWS = frozenset(
    {f"llvm.{sign}{kind}.with.overflow" for sign in "us" for kind in ("add", "sub", "mul")}
)


def build_simple(builder: Builder, kind: type[Op], a: Op, b: Op) -> Op:
    """An operation in `SIMPLE`. A shift by the width or more is undefined in LLVM as in C, so the
    amount keeps only the bits of smaller ones: a shifter has a stage for each."""
    if issubclass(kind, Shift):
        b = builder.extract(b, 0, max(1, (a.width - 1).bit_length()))
    return builder.build(kind, [a, b], a.width)


def build_with_overflow(builder: Builder, name: str, parts: list[Op]) -> list[Op]:
    """[result, whether it overflowed] of an intrinsic in `OVERFLOWS`."""
    word = name.split(".")[1]
    is_signed, kind = word[0] == "s", word[1:]
    width = parts[0].width
    wide_bits = 2 * width if kind == "mul" else width + 1
    wide = [builder.resize(p, wide_bits, is_signed) for p in parts]
    exact = builder.build(OPERATIONS[kind], wide, wide_bits)
    result = builder.extract(exact, 0, width)
    fits = builder.compare(Eq, exact, builder.resize(result, wide_bits, is_signed))
    return [result, builder.invert(fits)]


def build_intrinsic(builder: Builder, name: str, parts: list[Op], width: int) -> Op:
    """The value, `width` bits wide, of an intrinsic in `INTRINSICS`, as the LLVM language reference
    defines it."""
    if name in ("llvm.scmp", "llvm.ucmp"):
        return _three_way(builder, name[5] == "s", parts, width)
    return _BUILDERS[name.removeprefix("llvm.")](builder, parts)


def _three_way(builder: Builder, is_signed: bool, parts: list[Op], width: int) -> Op:
    """-1, 0 or 1."""
    kind = SLt if is_signed else ULt
    below = builder.compare(kind, parts[0], parts[1])
    above = builder.compare(kind, parts[1], parts[0])
    some = builder.logic(Or, [below, above])
    return builder.wire(bits_of(some) + bits_of(below) * (width - 1))


def _saturating(kind: str, is_signed: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        width = parts[0].width
        name = f"llvm.{'s' if is_signed else 'u'}{kind}.with.overflow"
        result, overflow = build_with_overflow(builder, name, parts)
        if is_signed:
            sign = bits_of(parts[0])[-1]
            flipped = bits_of(builder.invert(builder.wire((sign,))))[0]
            limit = builder.wire((flipped,) * (width - 1) + (sign,))
        else:
            limit = constant(0 if kind == "sub" else -1, width)
        return builder.build(Select, [overflow, limit, result], width)

    return build


def _minimum(kind: type[Compare], swap: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        a, b = parts
        less = builder.compare(kind, b, a) if swap else builder.compare(kind, a, b)
        return builder.build(Select, [less, a, b], a.width)

    return build


def _absolute(builder: Builder, parts: list[Op]) -> Op:
    value = parts[0]
    negated = builder.build(Sub, [constant(0, value.width), value], value.width)
    sign = builder.extract(value, value.width - 1, 1)
    return builder.build(Select, [sign, negated, value], value.width)


def _funnel(left: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        high, low, amount = parts
        width = high.width
        if width & (width - 1):
            amount = builder.build(URem, [amount, constant(width, width)], width)
        count = builder.extract(amount, 0, (width - 1).bit_length())
        both = builder.concat(high, low)
        kind = Shl if left else LShr
        return builder.extract(builder.shift(kind, both, count), width if left else 0, width)

    return build


def _swap_bytes(builder: Builder, parts: list[Op]) -> Op:
    bits = bits_of(parts[0])
    groups = [bits[i : i + 8] for i in range(0, len(bits), 8)]
    return builder.wire(tuple(bit for group in reversed(groups) for bit in group))


def _reverse_bits(builder: Builder, parts: list[Op]) -> Op:
    return builder.wire(bits_of(parts[0])[::-1])


def _count_ones(builder: Builder, parts: list[Op]) -> Op:
    """A tree of adders, each as wide as its sum."""
    value = parts[0]
    sums = [builder.wire((bit,)) for bit in bits_of(value)]
    while len(sums) > 1:
        width = sums[0].width + 1
        if len(sums) % 2:
            sums.append(constant(0, sums[0].width))
        wide = [builder.resize(s, width) for s in sums]
        sums = [builder.build(Add, wide[i : i + 2], width) for i in range(0, len(wide), 2)]
    return builder.resize(sums[0], value.width)


def _count_zeros(leading: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        value = parts[0]
        bits = bits_of(value)[:: 1 if leading else -1]
        result = constant(value.width, value.width)
        for i, bit in enumerate(bits):
            position = constant(value.width - 1 - i, value.width)
            result = builder.build(Select, [builder.wire((bit,)), position, result], value.width)
        return result

    return build


_BUILDERS = {
    "uadd.sat": _saturating("add", False),
    "usub.sat": _saturating("sub", False),
    "sadd.sat": _saturating("add", True),
    "ssub.sat": _saturating("sub", True),
    "umin": _minimum(ULt, False),
    "umax": _minimum(ULt, True),
    "smin": _minimum(SLt, False),
    "smax": _minimum(SLt, True),
    "abs": _absolute,
    "fshl": _funnel(True),
    "fshr": _funnel(False),
    "bswap": _swap_bytes,
    "bitreverse": _reverse_bits,
    "ctpop": _count_ones,
    "ctlz": _count_zeros(True),
    "cttz": _count_zeros(False),
}
