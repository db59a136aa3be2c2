# SPDX-License-Identifier: Apache-2.0
"""What a loop carries from one iteration to the next although it lies in memory.

A compiler keeps for the next iteration what this one has read or stored, and so ties iterations to
their order. Where they are to run in another one, each reads for itself: that is the same if the
element was read or stored so many iterations before, and nothing has been stored there since.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from tandem.analysis.forms import Form
from tandem.analysis.linear import Sums
from tandem.analysis.nests import Nests
from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.ops import Access, Load, Op, Store, constant
from tandem.passes.rebuild import Elsewhere

LONGEST = 8
"""Iterations that a value is followed back."""


@dataclass(frozen=True)
class Carried:
    """A parameter of a loop that is what an `access` of it has read or stored `lag` iterations
    before."""

    parameter: Op
    access: Op
    lag: int


def later(
    builder: Builder, counters: Mapping[Op, Op], steps: Mapping[Op, int], by: int
) -> dict[Op, Op]:
    """What counters are so many iterations later than where they have the values given."""
    return {counter: builder.plus(counters[counter], step * by) for counter, step in steps.items()}


class InMemory:
    """What a loop of one block carries. `steps`: of its counters; `entry`: its only way in."""

    def __init__(self, nests: Nests, loop: Block, entry: Edge, steps: dict[Op, int]) -> None:
        self.nests = nests
        self.loop = loop
        self.steps = steps
        self.starts = entry.given
        self.following = loop.back_edge.given
        self.own = set(loop.ops)

    def carried(self, needed: Container[Op]) -> list[Carried] | None:
        """The parameters that are needed and no counters; None if one of them does not lie in
        memory."""
        asked = (p for p in self.loop.parameters if p in needed and p not in self.steps)
        found = [self._carried(p) for p in asked]
        whole = [one for one in found if one is not None and self._is_there(one)]
        return whole if len(whole) == len(found) else None

    def index(self, access: Op, by: int, counters: Mapping[Op, Op]) -> Op:
        """Where an access is so many iterations later than where its counters have the values
        given; no part of the kernel."""
        builder = self.nests.builder
        known = later(builder, counters, self.steps, by)
        return Elsewhere(builder, self.own, known).value(access.index)

    def _carried(self, parameter: Op) -> Carried | None:
        value = parameter
        for lag in range(1, LONGEST + 1):
            value = self.following[value]
            if value not in self.following:
                access = self._access_of(value)
                return None if access is None else Carried(parameter, access, lag)
            if value in self.steps:
                return None
        return None

    def _access_of(self, value: Op) -> Op | None:
        """What has read a value, or stored it, in every iteration."""
        accesses = [op for op in self.loop.ops if isinstance(op, Access) and op.enable is None]
        if value in accesses and isinstance(value, Load):
            return value
        return next((op for op in accesses if isinstance(op, Store) and op.stored is value), None)

    def _is_there(self, carried: Carried) -> bool:
        """Whether a memory holds what is carried, until it is read."""
        start, access = self.starts[carried.parameter], carried.access
        if (
            not isinstance(start, Load)
            or start.memory is not access.memory
            or start.enable is not None
        ):
            return False
        if self._gap(start.index, self.index(access, -carried.lag, self.starts)) != 0:
            return False
        place = self.index(access, 0, self.starts)
        return all(
            self._gap(place, self.index(store, by, self.starts))
            for store, by in self._stores(carried)
        )

    def _stores(self, carried: Carried) -> Iterator[tuple[Op, int]]:
        """What is stored to the memory until the value is read, and how many iterations later."""
        for op in self.loop.ops:
            if isinstance(op, Store) and op.memory is carried.access.memory:
                first = 1 if op is carried.access else 0
                yield from ((op, by) for by in range(first, carried.lag))

    def _gap(self, one: Op, other: Op) -> int | None:
        """By how much one index is more than another one, where that is always the same."""
        first, second = self.nests.form(one), self.nests.form(other)
        if first is None or second is None or first.narrow or second.narrow:
            return None
        return _always_more(first, second)


def _always_more(one: Form, other: Form) -> int | None:
    sums, zero = Sums(), constant(0, one.base.width)
    headers = {*one.steps, *other.steps}
    pairs = [(one.steps.get(h, zero), other.steps.get(h, zero)) for h in headers]
    if any(sums.difference(*pair) != 0 for pair in pairs):
        return None
    return sums.difference(one.base, other.base)
