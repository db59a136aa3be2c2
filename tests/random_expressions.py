# SPDX-License-Identifier: Apache-2.0
"""Random C expressions without undefined behaviour.

They have the type uint32_t or uint64_t throughout; signed and narrow types come in through
variables, casts, comparisons and shifts. Divisors are never zero, shift amounts and indices are
masked.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Type:
    bits: int
    signed: bool

    def __str__(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}_t"


TYPES = [Type(bits, signed) for bits in (8, 16, 32, 64) for signed in (False, True)]


@dataclass(frozen=True)
class Array:
    """An array of which the elements 0 .. mask are there; it may be read, and written if not
    `constant`."""

    name: str
    type: Type
    mask: int
    constant: bool = False
    member: str = ""
    """What follows the index: the member of a struct."""


@dataclass(frozen=True)
class Function:
    """A function of two numbers and, where there is one, an array."""

    name: str
    array: Array | None

    def may_be_given(self, array: Array) -> bool:
        """Whether an array has all that the function reaches in its own."""
        own = self.array
        assert own is not None
        fits = own.type == array.type and own.mask <= array.mask and not array.member
        return fits and (own.constant or not array.constant)


class Expressions:
    """Makes expressions of the names that are in scope."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.scalars: list[tuple[str, Type]] = []
        self.locked: list[tuple[str, Type]] = []
        """Loop counters and constants: read only."""
        self.arrays: list[Array] = []
        self.functions: list[Function] = []
        self.features: set[str] = set()

    def _as(self, kind: Type) -> str:
        """An expression converted to a type, as an assignment does."""
        text = self._expression(3, 64 if kind.bits == 64 else 32)
        return text if self.random.random() < 0.5 else f"({kind}){text}"

    def _expression(self, depth: int, bits: int) -> str:
        """An expression of the type uint32_t or uint64_t, in parentheses."""
        if depth == 0 or self.random.random() < 0.15:
            return self._leaf(bits)
        make = self.random.choice(self._forms())
        return f"((uint{bits}_t){make(depth - 1, bits)})"

    def _forms(self) -> list:
        forms = [self._binary] * 6 + [self._shift] * 2 + [self._compare, self._ternary, self._cast]
        forms += [self._divide] * ("divide" in self.features)
        forms += [self._bits] * ("bits" in self.features)
        forms += [self._wide] * ("wide" in self.features)
        forms += [self._call] * bool(self.functions)
        return forms

    def _leaf(self, bits: int) -> str:
        choice = self.random.random()
        readable = [*self.scalars, *self.locked]
        if choice < 0.2 or not readable:
            return self._literal(bits)
        if choice < 0.4 and self.arrays:
            return f"(uint{bits}_t){self._element(self.random.choice(self.arrays), 1)}"
        return f"(uint{bits}_t){self.random.choice(readable)[0]}"

    def _literal(self, bits: int) -> str:
        value = self.random.choice(
            (
                0,
                1,
                2,
                3,
                7,
                10,
                255,
                1 << bits - 1,
                (1 << bits) - 1,
                self.random.getrandbits(bits),
                self.random.getrandbits(8),
            )
        )
        return f"{value:#x}u" if bits == 32 else f"{value:#x}ull"

    def _element(self, array: Array, depth: int) -> str:
        index = self._expression(depth, 32) if self.random.random() < 0.7 else self._literal(32)
        return f"{array.name}[{index} & {array.mask}]{array.member}"

    def _binary(self, depth: int, bits: int) -> str:
        operator = self.random.choice(("+", "+", "-", "-", "*", "&", "|", "^"))
        return f"({self._expression(depth, bits)} {operator} {self._expression(depth, bits)})"

    def _shift(self, depth: int, bits: int) -> str:
        value = self._expression(depth, bits)
        amount = (
            str(self.random.randrange(bits))
            if self.random.random() < 0.6
            else f"({self._expression(depth, 32)} & {bits - 1})"
        )
        operator = self.random.choice(("<<", ">>", ">>"))
        if operator == ">>" and self.random.random() < 0.5:
            value = f"(int{bits}_t){value}"
        return f"({value} {operator} {amount})"

    def _condition(self, depth: int) -> str:
        if depth and self.random.random() < 0.25:
            operator = self.random.choice(("&&", "||"))
            return f"({self._condition(depth - 1)} {operator} {self._condition(depth - 1)})"
        return self._compare(depth, self.random.choice((32, 64)))

    def _compare(self, depth: int, bits: int) -> str:
        sign = self.random.choice((f"(int{bits}_t)", ""))
        operator = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        a, b = self._expression(depth, bits), self._expression(depth, bits)
        return f"({sign}{a} {operator} {sign}{b})"

    def _ternary(self, depth: int, bits: int) -> str:
        yes, no = self._expression(depth, bits), self._expression(depth, bits)
        return f"({self._condition(min(depth, 1))} ? {yes} : {no})"

    def _cast(self, depth: int, bits: int) -> str:
        inner = self.random.choice((32, 64))
        return f"({self.random.choice(TYPES)}){self._expression(depth, inner)}"

    def _divide(self, depth: int, bits: int) -> str:
        operator, value = self.random.choice("/%"), self._expression(depth, bits)
        sign = self.random.choice((f"(int{bits}_t)", ""))
        if self.random.random() < 0.5:
            return f"({sign}{value} {operator} {self.random.choice((2, 3, 7, 10, 16, 100, 1000))})"
        divisor = f"(({self._expression(depth, bits)} & 0xff) + 1)"
        return f"({sign}{value} {operator} {sign}{divisor})"

    def _bits(self, depth: int, bits: int) -> str:
        value = self._expression(depth, bits)
        count = self.random.randrange(1, bits)
        suffix = "" if bits == 32 else "ll"
        return self.random.choice(
            (
                f"({value} << {count} | {value} >> {bits - count})",
                f"__builtin_bswap{bits}({value})",
                f"__builtin_popcount{suffix}({value})",
                f"__builtin_clz{suffix}({value} | 1)",
                f"__builtin_ctz{suffix}({value} | 1)",
            )
        )

    def _call(self, depth: int, bits: int) -> str:
        """A call of a function that writes nothing, so that it may be part of an expression."""
        harmless = [f for f in self.functions if f.array is None or f.array.constant]
        return self._called(harmless, depth, bits) or self._leaf(bits)

    def _called(self, functions: list[Function], depth: int, bits: int) -> str:
        """A call of one of the functions that some array is there for, empty if there is none."""
        first, second = self._expression(depth, bits), self._expression(depth, 32)
        possible = [(f, "") for f in functions if f.array is None]
        possible += [
            (f, f", {array.name}")
            for f in functions
            if f.array is not None
            for array in self.arrays
            if f.may_be_given(array)
        ]
        if not possible:
            return ""
        function, third = self.random.choice(possible)
        return f"{function.name}({first}, {second}{third})"

    def _wide(self, depth: int, bits: int) -> str:
        """The high half of a product of 64-bit numbers."""
        a, b = self._expression(depth, 64), self._expression(depth, 64)
        shift = self.random.choice((32, 64))
        if self.random.random() < 0.5:
            return f"((unsigned __int128){a} * {b} >> {shift})"
        return f"((__int128)(int64_t){a} * (int64_t){b} >> {shift})"
