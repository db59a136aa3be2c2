# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations: IEEE 754 binary32 and binary64 on bit patterns, to nearest even.

Their meaning is given by exact numbers, integers times powers of two, rounded once. Every NaN that
an operation makes is one, the quiet one without a payload.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isqrt, trunc

Number = tuple[int, int]
"""n and e of n x 2^e."""


@dataclass(frozen=True)
class Format:
    """A binary interchange format: its width and how many bits of it are the fraction."""

    bits: int
    fraction_bits: int

    @property
    def exponent_bits(self) -> int:
        return self.bits - 1 - self.fraction_bits

    @cached_property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @cached_property
    def infinity(self) -> int:
        """The pattern of the positive one."""
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @cached_property
    def nan(self) -> int:
        return self.infinity | 1 << (self.fraction_bits - 1)

    @cached_property
    def sign(self) -> int:
        """The bit of it."""
        return 1 << (self.bits - 1)

    @cached_property
    def least(self) -> int:
        """log2 of the least positive number."""
        return 1 - self.bias - self.fraction_bits

    def is_nan(self, pattern: int) -> bool:
        return pattern & ~self.sign > self.infinity

    def is_infinite(self, pattern: int) -> bool:
        return pattern & ~self.sign == self.infinity

    def value(self, pattern: int) -> Number:
        """The number that a pattern which is finite stands for."""
        exponent = (pattern & ~self.sign) >> self.fraction_bits
        fraction = pattern & ((1 << self.fraction_bits) - 1)
        if exponent:
            fraction |= 1 << self.fraction_bits
            exponent -= 1
        return -fraction if pattern & self.sign else fraction, self.least + exponent

    def nearest(self, number: Number, zero: int = 0) -> int:
        """The pattern of the nearest number, of two the even one; `zero` is that of exactly 0."""
        size, power = abs(number[0]), number[1]
        if not size:
            return zero
        exponent = max(size.bit_length() - 1 + power, 1 - self.bias)
        rounded = _without(size, exponent - self.fraction_bits - power)
        # A carry out of the fraction makes the exponent one greater, and of the greatest infinity.
        pattern = rounded + (exponent + self.bias - 1 << self.fraction_bits)
        return (self.sign if number[0] < 0 else 0) | min(pattern, self.infinity)


def _without(number: int, bits: int) -> int:
    """Rounded to what is above so many bits, of two as near to the even one."""
    if bits <= 0:
        return number << -bits
    above, rest, half = number >> bits, number & ((1 << bits) - 1), 1 << bits - 1
    return above + (rest > half or (rest == half and above & 1))


def _sum(a: Number, b: Number) -> Number:
    power = min(a[1], b[1])
    return (a[0] << a[1] - power) + (b[0] << b[1] - power), power


def _product(a: Number, b: Number) -> Number:
    return a[0] * b[0], a[1] + b[1]


def _cut(number: int, power: int, is_exact: bool) -> Number:
    """A number of many more bits than a result has, and one behind them for all that are left
    out."""
    return 2 * number + (not is_exact), power - 1


def _fraction(number: Number) -> Fraction:
    return number[0] * Fraction(2) ** number[1]


F32, F64 = Format(32, 23), Format(64, 52)
FORMATS = {32: F32, 64: F64}

Meaning = Callable[[Sequence[int]], int]


@dataclass(frozen=True)
class Float:
    """An operation: what it does in words, the widths of its operands and of its result, and the C
    of it over `$0`, `$1`, ..., numbers in the formats that `types` name."""

    summary: str
    widths: tuple[int, ...]
    result: int
    evaluate: Meaning
    c: str
    types: tuple[str, ...]
    """C types of the operands, then of the result."""


def _add(f: Format, a: int, b: int) -> int:
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        differ = f.is_infinite(a) and f.is_infinite(b) and a != b
        return f.nan if differ else a if f.is_infinite(a) else b
    # The sum of two zeros of one sign has it too.
    x, y = f.value(a), f.value(b)
    return f.nearest(_sum(x, y), a & b & f.sign if not x[0] else 0)


def _multiply(f: Format, a: int, b: int) -> int:
    sign = (a ^ b) & f.sign
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        return sign | f.infinity if (a & ~f.sign) and (b & ~f.sign) else f.nan
    return f.nearest(_product(f.value(a), f.value(b)), sign)


def _divide(f: Format, a: int, b: int) -> int:
    sign = (a ^ b) & f.sign
    zero_a, zero_b = not a & ~f.sign, not b & ~f.sign
    if f.is_nan(a) or f.is_nan(b) or (zero_a and zero_b):
        return f.nan
    if f.is_infinite(a):
        return f.nan if f.is_infinite(b) else sign | f.infinity
    if f.is_infinite(b):
        return sign
    if zero_b:
        return sign | f.infinity
    (over, power), (under, less) = f.value(a & ~f.sign), f.value(b & ~f.sign)
    quotient, rest = divmod(over << 2 * f.bits, under)
    return sign | f.nearest(_cut(quotient, power - less - 2 * f.bits, not rest))


def _root(f: Format, a: int) -> int:
    if not a & ~f.sign or a == f.infinity:
        return a
    if f.is_nan(a) or a & f.sign:
        return f.nan
    number, power = f.value(a)
    scale = 4 * f.bits + power % 2
    root = isqrt(number << scale)
    return f.nearest(_cut(root, (power - scale) // 2, root * root == number << scale))


def _fused(f: Format, a: int, b: int, c: int) -> int:
    product_sign = (a ^ b) & f.sign
    if any(map(f.is_nan, (a, b, c))):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        product = _multiply(f, a, b)
        return product if f.is_nan(product) else _add(f, product, c)
    if f.is_infinite(c):
        return c
    product, addend = _product(f.value(a), f.value(b)), f.value(c)
    both_zero = not product[0] and not addend[0]
    return f.nearest(_sum(product, addend), product_sign & c if both_zero else 0)


def _rounded(how: Callable[[Fraction], int]) -> Callable[[Format, int], int]:
    def evaluate(f: Format, a: int) -> int:
        if f.is_nan(a):
            return f.nan
        if f.is_infinite(a):
            return a
        return f.nearest((how(_fraction(f.value(a))), 0), a & f.sign)

    return evaluate


def _half_away(number: Fraction) -> int:
    size = floor(abs(number) + Fraction(1, 2))
    return -size if number < 0 else size


def _converted(source: Format, f: Format, a: int) -> int:
    if source.is_nan(a):
        return f.nan
    sign = f.sign if a & source.sign else 0
    if source.is_infinite(a):
        return sign | f.infinity
    return f.nearest(source.value(a), sign)


def _from_integer(f: Format, width: int, is_signed: bool, a: int) -> int:
    return f.nearest((a - (1 << width) if is_signed and a >> (width - 1) else a, 0))


def _to_integer(f: Format, width: int, is_signed: bool, a: int) -> int:
    """What does not fit is the number with only the highest bit set, or all of an unsigned one."""
    least, most = (
        (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    )
    beyond = least if is_signed else most
    if f.is_nan(a) or f.is_infinite(a):
        return beyond
    number = trunc(_fraction(f.value(a)))
    return number if least <= number <= most else beyond


_TYPES = {32: "float", 64: "double"}
_INTEGERS = {"i32": (32, True), "u32": (32, False), "i64": (64, True), "u64": (64, False)}


def _of(f: Format, meaning: Callable[..., int]) -> Meaning:
    return lambda values: meaning(f, *values)


def _arithmetic(f: Format) -> dict[str, Float]:
    """The operations on one format."""
    kind, suffix = _TYPES[f.bits], "f" if f.bits == 32 else ""
    rows: list[tuple[str, int, Callable[..., int], str, str]] = [
        ("add", 2, _add, "$0 + $1", "sum"),
        ("mul", 2, _multiply, "$0 * $1", "product"),
        ("div", 2, _divide, "$0 / $1", "quotient"),
        ("sqrt", 1, _root, f"__builtin_sqrt{suffix}($0)", "square root"),
        ("fma", 3, _fused, f"__builtin_fma{suffix}($0, $1, $2)", "a * b + c, rounded once"),
        ("floor", 1, _rounded(floor), f"__builtin_floor{suffix}($0)", "rounded downwards"),
        ("ceil", 1, _rounded(ceil), f"__builtin_ceil{suffix}($0)", "rounded upwards"),
        ("trunc", 1, _rounded(trunc), f"__builtin_trunc{suffix}($0)", "rounded towards zero"),
        (
            "round",
            1,
            _rounded(_half_away),
            f"__builtin_round{suffix}($0)",
            "rounded, half away from zero",
        ),
        ("rint", 1, _rounded(round), f"__builtin_rint{suffix}($0)", "rounded, half to even"),
    ]
    return {
        f"f{f.bits}_{name}": Float(
            f"{words}, of binary{f.bits}",
            (f.bits,) * count,
            f.bits,
            _of(f, meaning),
            c,
            (kind,) * (count + 1),
        )
        for name, count, meaning, c, words in rows
    }


def _conversions(f: Format) -> dict[str, Float]:
    """From and to integers."""
    found: dict[str, Float] = {}
    kind = _TYPES[f.bits]
    for name, (width, is_signed) in _INTEGERS.items():
        c_type = f"{'' if is_signed else 'u'}int{width}_t"
        found[f"f{f.bits}_from_{name}"] = Float(
            f"binary{f.bits} nearest to an integer ({name})",
            (width,),
            f.bits,
            lambda v, w=width, s=is_signed: _from_integer(f, w, s, v[0]),
            "$0",
            (c_type, kind),
        )
        found[f"{name}_from_f{f.bits}"] = Float(
            f"binary{f.bits} as an integer ({name}), towards zero",
            (f.bits,),
            width,
            lambda v, w=width, s=is_signed: _to_integer(f, w, s, v[0]),
            "$0",
            (kind, c_type),
        )
    return found


def _between(source: Format, f: Format) -> Float:
    return Float(
        f"binary{f.bits} nearest to binary{source.bits}",
        (source.bits,),
        f.bits,
        lambda v: _converted(source, f, v[0]),
        "$0",
        (_TYPES[source.bits], _TYPES[f.bits]),
    )


FLOATS: dict[str, Float] = {
    **_arithmetic(F32),
    **_arithmetic(F64),
    **_conversions(F32),
    **_conversions(F64),
    "f64_from_f32": _between(F32, F64),
    "f32_from_f64": _between(F64, F32),
}
"""Operation -> what it is. In hardware each is a function of `library/float/`."""
