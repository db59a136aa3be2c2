# SPDX-License-Identifier: Apache-2.0
"""LLVM's arithmetic instructions and intrinsics in terms of the IR."""

from __future__ import annotations

from tandem.ir.builder import Builder
from tandem.ir.kernel import Op, constant
from tandem.ir.wiring import bits_of

# LLVMOpcode in llvm-c/Core.h -> operation
SIMPLE = {8: "add", 10: "sub", 12: "mul", 14: "udiv", 15: "sdiv", 17: "urem", 18: "srem",
          20: "shl", 21: "lshr", 22: "ashr", 23: "and", 24: "or", 25: "xor"}

INTRINSICS = frozenset({
    "llvm.umin", "llvm.umax", "llvm.smin", "llvm.smax", "llvm.abs", "llvm.fshl", "llvm.fshr",
    "llvm.bswap", "llvm.bitreverse", "llvm.ctpop", "llvm.ctlz", "llvm.cttz",
})


def build_intrinsic(builder: Builder, name: str, parts: list[Op]) -> Op:
    """The value of an intrinsic in `INTRINSICS`, as the LLVM language reference defines it."""
    return _BUILDERS[name.removeprefix("llvm.")](builder, parts)


def _minimum(kind: str, swap: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        a, b = parts
        less = builder.compare(kind, b, a) if swap else builder.compare(kind, a, b)
        return builder.build("select", [less, a, b], a.width)

    return build


def _absolute(builder: Builder, parts: list[Op]) -> Op:
    value = parts[0]
    negated = builder.build("sub", [constant(0, value.width), value], value.width)
    sign = builder.extract(value, value.width - 1, 1)
    return builder.build("select", [sign, negated, value], value.width)


def _funnel(left: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        high, low, amount = parts
        width = high.width
        if width & (width - 1):
            amount = builder.build("urem", [amount, constant(width, width)], width)
        count = builder.extract(amount, 0, (width - 1).bit_length())
        both = builder.concat(high, low)
        kind = "shl" if left else "lshr"
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
        sums = [builder.build("add", wide[i : i + 2], width) for i in range(0, len(wide), 2)]
    return builder.resize(sums[0], value.width)


def _count_zeros(leading: bool):
    def build(builder: Builder, parts: list[Op]) -> Op:
        value = parts[0]
        bits = bits_of(value)[:: 1 if leading else -1]
        result = constant(value.width, value.width)
        for i, bit in enumerate(bits):
            position = constant(value.width - 1 - i, value.width)
            result = builder.build("select", [builder.wire((bit,)), position, result], value.width)
        return result

    return build


_BUILDERS = {
    "umin": _minimum("ult", False), "umax": _minimum("ult", True),
    "smin": _minimum("slt", False), "smax": _minimum("slt", True),
    "abs": _absolute, "fshl": _funnel(True), "fshr": _funnel(False),
    "bswap": _swap_bytes, "bitreverse": _reverse_bits, "ctpop": _count_ones,
    "ctlz": _count_zeros(True), "cttz": _count_zeros(False),
}
