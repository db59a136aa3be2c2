# SPDX-License-Identifier: Apache-2.0
"""What is known of elements of memories at a place of the kernel, and under which conditions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from tandem.analysis.counters import find_companions
from tandem.analysis.distances import Distances
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.masks import masked, masks_between
from tandem.analysis.ranges import ranges_of
from tandem.ir.kernel import Kernel
from tandem.ir.loops import natural_loops
from tandem.ir.ops import And, Op, Or, mask
from tandem.ir.wiring import Bit, Bits, bits_of

DEPTH_LIMIT = 4
"""Levels of logic that are looked through to see that one condition implies another."""

Value = TypeVar("Value")
Base = tuple[int, frozenset[tuple[Op, int]]]
"""An index less its constant part. Two indices with one base and different constants never meet."""


@dataclass(frozen=True)
class Known:
    """An element's value, where the condition `when` holds (None: always)."""

    index: Op
    value: Op
    when: Op | None


class Elements(Generic[Value]):
    """Facts of the elements of memories. Those that an access may reach are forgotten: of two
    indices with other terms the ranges may say that they differ."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.sums = Sums()
        self.facts: dict[str, dict[Base, dict[int, Value]]] = {}
        self._indices: dict[tuple[Base, int], Op] = {}
        """An index of each place that something has been known of."""
        self._distances: Distances | None = None

    def place(self, access: Op, index: Op) -> tuple[Base, int]:
        """(base, constant) of an access's index."""
        form = self.sums.form(index)
        assert form is not None, "what is no sum is a term"
        form = as_reached(self.kernel, access, form)
        terms = frozenset((op, factor) for op, factor in form.terms.items())
        return (form.width, terms), form.constant

    def get(self, access: Op, index: Op) -> Value | None:
        """What is known of the element that an access reaches."""
        base, offset = self.place(access, index)
        return self.facts.get(access.memory.name, {}).get(base, {}).get(offset)

    def set(self, access: Op, index: Op, value: Value) -> None:
        """Tells what is known of the element that an access reaches."""
        base, offset = self.place(access, index)
        self._indices[base, offset] = index
        self.facts.setdefault(access.memory.name, {}).setdefault(base, {})[offset] = value

    def forget(self, access: Op, index: Op) -> None:
        """Nothing is known any more of what the access may reach."""
        base, offset = self.place(access, index)
        left = {}
        for other, facts in self.facts.get(access.memory.name, {}).items():
            if other == base:
                left[base] = {at: value for at, value in facts.items() if at != offset}
            elif facts:
                left[other] = {
                    at: value
                    for at, value in facts.items()
                    if self._differ((base, offset), index, (other, at))
                }
        self.facts[access.memory.name] = left

    def _differ(self, place: tuple[Base, int], index: Op, other: tuple[Base, int]) -> bool:
        """Whether two indices, of other terms, are surely different."""
        if self._distances is None:
            self._distances = Distances(ranges_of(self.kernel))
        one, two = (
            Linear(width, offset, 0, dict(terms)) for (width, terms), offset in (place, other)
        )
        if self._distances.never_same(one, two):
            return True
        if self._distances.never_same(self._of_companions(one), self._of_companions(two)):
            return True
        masks = masked(index), masked(self._indices[other])
        return any(masks_between(*masks, self._distances.ranges))

    @cached_property
    def _companions(self) -> dict[Op, Linear]:
        return find_companions(natural_loops(self.kernel), self.kernel.predecessors())

    def _of_companions(self, form: Linear) -> Linear:
        """A sum in which pointers that move in step are one of them, and how far it is to the
        others."""
        total = Linear(form.width, form.constant)
        for op, factor in form.terms.items():
            known = self._companions.get(op) if op.width >= form.width else None
            total = total.plus(known or Linear(form.width, terms={op: 1}), factor)
        return total


def as_reached(kernel: Kernel, access: Op, form: Linear) -> Linear:
    """The form of an index in the bits that the memory looks at."""
    width = min(form.width, kernel.index_bits(access))
    terms = {op: factor & mask(width) for op, factor in form.terms.items()}
    return Linear(
        width,
        form.constant & mask(width),
        form.step & mask(width),
        {op: factor for op, factor in terms.items() if factor},
    )


def implies(condition: Op | None, wanted: Op | None) -> bool:
    """Whether `wanted` is seen to hold wherever `condition` does; None holds always."""
    if wanted is None:
        return True
    given: Bit = 1 if condition is None else bits_of(condition)[0]
    return _implies(given, bits_of(wanted)[0], DEPTH_LIMIT)


def _implies(given: Bit, wanted: Bit, depth: int) -> bool:
    if type(given) is int or type(wanted) is int:
        return (type(given) is int and given == 0) or (type(wanted) is int and wanted == 1)
    if given == wanted:
        return True
    if not depth:
        return False
    if isinstance(wanted[0], And):
        return all(_implies(given, bit, depth - 1) for bit in _inputs(wanted))
    if isinstance(given[0], Or):
        return all(_implies(bit, wanted, depth - 1) for bit in _inputs(given))
    weaker = _inputs(given) if isinstance(given[0], And) else []
    stronger = _inputs(wanted) if isinstance(wanted[0], Or) else []
    return any(_implies(bit, wanted, depth - 1) for bit in weaker) or any(
        _implies(given, bit, depth - 1) for bit in stronger
    )


def _inputs(bit: Bit) -> Bits:
    """The bits that a bit of some logic is made of."""
    return tuple(bits_of(operand)[bit[1]] for operand in bit[0].operands)
