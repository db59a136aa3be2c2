# SPDX-License-Identifier: Apache-2.0
"""Steps that are sizes which come with the call, and products of them: of `y * width + x` that of
`y` is a row, of `(z * height + y) * width + x` that of `z` is a plane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import gcd

from tandem.analysis.forms import POINTER_BITS, WRAPS_BITS
from tandem.analysis.linear import Linear, reach_bits
from tandem.analysis.nests import Nests
from tandem.ir.ops import Mul, Op, Sum
from tandem.ir.wiring import bits_of, extended_from, is_zero, trailing_zeros

MOST_PRODUCTS = 8
"""What is a sum of more products is a number of its own."""

Sizes = tuple[Op, ...]
"""What is multiplied; nothing for what is only a number."""
Parts = Mapping[Sizes, int]
"""A sum of products, each with a factor."""


@dataclass(frozen=True)
class Unit:
    """So many elements: a column, a row, a plane and so on."""

    sizes: Sizes = ()
    factor: int = 1

    def in_one(self, larger: Unit) -> Unit | None:
        """How many of it are in a larger one; None where that is no product of whole numbers."""
        left = Counter(larger.sizes)
        left.subtract(self.sizes)
        if min(left.values(), default=0) < 0 or larger.factor % self.factor:
            return None
        return Unit(tuple(left.elements()), larger.factor // self.factor)


def parts_of(total: Linear, nests: Nests) -> Parts:
    """A sum whose terms are products taken apart: of indices in whose bits nothing wraps."""
    parts: dict[Sizes, int] = {(): total.constant}
    for op, factor in total.terms.items():
        for sizes, times in _parts_of_value(op, factor, nests).items():
            parts[sizes] = parts.get(sizes, 0) + factor * times
    return {sizes: factor for sizes, factor in parts.items() if factor}


def _parts_of_value(op: Op, factor: int, nests: Nests) -> Parts:
    """What is no sum, of which a factor is taken: a product of sums, or a value that may be
    extended, and have zeros below."""
    bits = bits_of(op)
    low = trailing_zeros(bits)
    source = extended_from(bits[low:]) if low < len(bits) else None
    if source is None:
        return {(op,): 1}
    has_sign = source.width < len(bits) - low and not is_zero(bits[-1])
    wraps_bits = WRAPS_BITS if has_sign else POINTER_BITS
    if isinstance(source, Mul) and reach_bits(source, factor << low) >= wraps_bits:
        factors = [nests.sum_of(operand) for operand in source.operands]
        left, right = (None if f is None else parts_of(f, nests) for f in factors)
        if left and right and len(left) * len(right) <= MOST_PRODUCTS:
            return _times(_multiplied(left, right), 1 << low)
    if has_sign and source.width >= WRAPS_BITS and isinstance(source, Sum):
        total = nests.sum_of(source)
        if total is not None:
            return _times(parts_of(total, nests), 1 << low)
    if has_sign and source in nests.ranges and nests.ranges[source][1] >> (source.width - 1):
        return {(op,): 1}  # the range is that of another number
    return {(source,): 1 << low}


def _times(parts: Parts, factor: int) -> Parts:
    return {sizes: factor * times for sizes, times in parts.items()}


def _multiplied(left: Parts, right: Parts) -> Parts:
    parts: dict[Sizes, int] = {}
    for (a, x), (b, y) in product(left.items(), right.items()):
        sizes = tuple(sorted((*a, *b), key=id))
        parts[sizes] = parts.get(sizes, 0) + x * y
    return parts


def units_of(steps: Iterable[Parts]) -> list[Unit]:
    """What some steps are multiples of, columns first, each some of the one before; none where no
    step comes with the call, or they do not follow each other so."""
    factors: dict[Sizes, int] = {}
    for parts in steps:
        for sizes, factor in parts.items():
            factors[sizes] = gcd(factors.get(sizes, 0), factor)
    factors[()] = 1
    units = [Unit(sizes, factors[sizes]) for sizes in sorted(factors, key=len)]
    is_chain = all(smaller.in_one(larger) for smaller, larger in pairwise(units))
    return units if is_chain and len(units) > 1 else []
