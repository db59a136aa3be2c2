# SPDX-License-Identifier: Apache-2.0
"""Conditions under which the blocks of a region run: sums of products of tests.

A literal is the number of a test, negative where it must not hold; a product is a set of literals;
a condition is a set of products, one of which must hold. In this form `p` and `not p` cancel where
ways meet again, and the cases of a `switch`, which are tests of one value against different
constants, exclude each other: none of them has to say that the ones before it did not apply.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from math import prod

from tandem.ir.builder import Builder
from tandem.ir.ops import And, Eq, Equality, Op, Or, constant
from tandem.ir.ops.logic import inverse_of
from tandem.ir.wiring import Bit, Bits, bits_of, is_constant

Product = frozenset[int]
Condition = frozenset[Product]

ALWAYS: Condition = frozenset({frozenset()})
NEVER: Condition = frozenset()


PRODUCTS_READ = 32
"""Logic with more products than that stays a test of its own."""
LEVELS_READ = 100
"""So does what is below so many levels of logic."""


class Predicates:
    """The tests of one region, and conditions over them."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._bits: dict[int, Bit] = {}
        self._cases: dict[int, Bits] = {}
        """Literal of a test whether a value is a constant -> that value."""
        self._known: dict[tuple[Bit, bool], Condition] = {}
        """What has been read: logic that several tests share is read once."""

    # -- making ---------------------------------------------------------------------------------

    def of(self, test: Op, wanted: bool) -> Condition:
        """The condition that a 1-bit value is 1, or 0 if that is wanted."""
        return self._of(*upright(bits_of(test)[0], wanted))

    def _of(self, bit: Bit, wanted: bool) -> Condition:
        if type(bit) is int:
            return ALWAYS if bool(bit) == wanted else NEVER
        literal = self._literal(bit)
        return frozenset({frozenset({literal if wanted else -literal})})

    def read(self, test: Op, wanted: bool = True) -> Condition:
        """The condition that a 1-bit value is 1, or 0 if that is wanted, its logic looked
        through."""
        return self._read(*upright(bits_of(test)[0], wanted), LEVELS_READ)

    def _read(self, bit: Bit, wanted: bool, levels: int) -> Condition:
        """Of a test without inverters."""
        if type(bit) is int or not isinstance(bit[0], (And, Or)) or not levels:
            return self._of(bit, wanted)
        key = bit, wanted
        if key not in self._known:
            inside = (upright(bits_of(o)[bit[1]], wanted) for o in bit[0].operands)
            parts = [self._read(*part, levels - 1) for part in inside]
            self._known[key] = self._together(bit, wanted, parts)
        return self._known[key]

    def _together(self, bit: Bit, wanted: bool, parts: list[Condition]) -> Condition:
        """What logic makes of what goes into it."""
        is_sum = isinstance(bit[0], Or) == wanted
        if (sum if is_sum else prod)(map(len, parts)) > PRODUCTS_READ:
            return self._of(bit, wanted)
        return self.either(parts) if is_sum else reduce(self.both, parts)

    def _literal(self, bit: Bit) -> int:
        maker = bit[0]
        if not isinstance(maker, Equality):
            return self._numbered(bit, bit)
        left, right = sorted(map(bits_of, maker.operands), key=is_constant)
        literal = self._numbered((left, right), bit, 1 if isinstance(maker, Eq) else -1)
        if is_constant(right):
            self._cases[literal] = left
        return literal if isinstance(maker, Eq) else -literal

    def _numbered(self, key: object, bit: Bit, sign: int = 1) -> int:
        """The number of a test; `bit` is 1 where it holds, or where it does not (`sign` -1)."""
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._bits[sign * self._numbers[key]] = bit
        return self._numbers[key]

    def both(self, first: Condition, second: Condition) -> Condition:
        """Both hold."""
        products = [self._product(a | b) for a in first for b in second]
        return self.either(frozenset({p}) for p in products if p is not None)

    def _product(self, literals: Product) -> Product | None:
        """The product without what other literals in it imply; None if it never holds."""
        values = [self._cases[n] for n in literals if n in self._cases]
        if any(-n in literals for n in literals) or len(set(values)) < len(values):
            return None
        return frozenset(n for n in literals if n > 0 or self._cases.get(-n) not in values)

    def either(self, conditions: Iterable[Condition]) -> Condition:
        """At least one holds."""
        products = sorted({p for c in conditions for p in c}, key=_order)
        while (fewer := _reduced(products)) != products:
            products = fewer
        return frozenset(products)

    def given(self, condition: Condition, known: Condition) -> Condition:
        """The condition where it is known that another one holds."""
        certain = _common(known)
        return self.either(frozenset({product - certain}) for product in condition)

    def kept(self, condition: Condition, changing: Collection[Op]) -> Condition:
        """What is left of a condition where tests that depend on some values may come out
        otherwise: it holds whenever that one does."""

        def is_kept(literal: int) -> bool:
            bit = self._bits.get(literal) or self._bits[-literal]
            return bit[0] not in changing

        return self.either(frozenset({frozenset(filter(is_kept, p))}) for p in condition)

    # -- building -------------------------------------------------------------------------------

    def build(self, builder: Builder, condition: Condition) -> Op:
        """The condition as a value."""
        common = _common(condition)
        factors = [self._test(builder, literal) for literal in _sorted(common)]
        rest = sorted({product - common for product in condition}, key=_order)
        if len(rest) != 1:
            factors.append(self._sum(builder, rest))
        return builder.logic(And, [constant(1, 1), *factors])

    def _sum(self, builder: Builder, products: list[Product]) -> Op:
        parts = [self.build(builder, frozenset({product})) for product in products]
        return builder.logic(Or, [constant(0, 1), *parts])

    def _test(self, builder: Builder, literal: int) -> Op:
        if literal in self._bits:
            return builder.wire((self._bits[literal],))
        return builder.invert(builder.wire((self._bits[-literal],)))


def upright(bit: Bit, wanted: bool) -> tuple[Bit, bool]:
    """The same test without inverters."""
    while (plain := inverse_of(bit)) is not None:
        bit, wanted = plain, not wanted
    return bit, wanted


def size(condition: Condition) -> int:
    """How many literals it takes to write it down, an inverted one counting more."""
    return sum(1 if literal > 0 else 2 for product in condition for literal in product)


def _sorted(product: Product) -> list[int]:
    return sorted(product, key=lambda literal: (abs(literal), literal))


def _order(product: Product) -> tuple[int, list[int]]:
    return len(product), _sorted(product)


def _common(condition: Condition) -> Product:
    return frozenset.intersection(*condition) if condition else frozenset()


def _reduced(products: list[Product]) -> list[Product]:
    """One round over the products, shortest first: what another one covers goes, and so does a
    literal whose opposite leads to the same."""
    result: list[Product] = []
    for position, product in enumerate(products):
        others = [*result, *products[position + 1 :]]
        for other in others:
            product -= {-n for n in other if -n in product and other - {n} <= product}
        if not any(other <= product for other in result):
            result.append(product)
    return sorted(set(result), key=_order)
