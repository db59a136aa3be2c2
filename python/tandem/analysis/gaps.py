# SPDX-License-Identifier: Apache-2.0
"""Differences of indices, as sums over iterations of the loops around two accesses."""

from __future__ import annotations

from dataclasses import dataclass, field

from tandem.ir.blocks import Block
from tandem.ir.ops import Op

FIRST, SECOND, BETWEEN = "of the first access", "of the second access", "from one to the other"


@dataclass(frozen=True)
class Variable:
    """An iteration of a loop, or of how many the second access comes later."""

    loop: Block
    whose: str


@dataclass(frozen=True)
class Number:
    """The product of values that no loop changes."""

    of: tuple[Op, ...]


@dataclass
class IterationSum:
    """constant + sum(factor * variable), without a modulus."""

    constant: int
    factors: dict[Variable | Number, int] = field(default_factory=dict)

    def plus(self, other: IterationSum, factor: int = 1) -> IterationSum:
        factors = dict(self.factors)
        for variable, weight in other.factors.items():
            factors[variable] = factors.get(variable, 0) + factor * weight
        kept = {variable: weight for variable, weight in factors.items() if weight}
        return IterationSum(self.constant + factor * other.constant, kept)

    def at(self, variable: Variable | Number, value: IterationSum) -> IterationSum:
        """The sum where a variable has a value."""
        rest = {v: weight for v, weight in self.factors.items() if v != variable}
        return IterationSum(self.constant, rest).plus(value, self.factors[variable])

    def times(self, number: int) -> IterationSum:
        """The sum so many times."""
        return IterationSum(0).plus(self, number)


@dataclass(frozen=True)
class Gap:
    """A difference of indices: `levels` are columns, rows, planes and so on, and there are so many
    of each in one of the next as its one of `sizes` says."""

    levels: tuple[IterationSum, ...]
    sizes: tuple[IterationSum, ...]


def number_sum(of: tuple[Op, ...], factor: int = 1) -> IterationSum:
    return IterationSum(0, {Number(of): factor})
