# SPDX-License-Identifier: Apache-2.0
"""Loads of a loop at a place that its last iteration has chosen (a part of `reuse`).

`start = differs ? i : start` is where the next iteration reads `a[start]`: either what was read
there already, or what this one has read at `i`. What each choice leads to is known, so that the
value is chosen where the place was, and kept in a parameter of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tandem.analysis.linear import Linear, Sums, reach_bits
from tandem.analysis.ranges import Range
from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Kernel, Op
from tandem.ir.operations import mask
from tandem.ir.wiring import bits_of, named_by
from tandem.passes.elements import Base, Known, as_reached, implies

MOST_CHOICES = 3
"""So many decisions may lead to a place."""

_Path = Mapping[Op, bool]
"""Which conditions hold, and which do not."""


@dataclass(frozen=True)
class Choice:
    """The value of one of two ways."""

    condition: Op
    values: tuple[Op | Choice, Op | Choice]

    def made(self, builder: Builder) -> Op:
        """The value, at the end of a block."""
        yes, no = (v.made(builder) if isinstance(v, Choice) else v for v in self.values)
        return builder.build("select", [self.condition, yes, no], yes.width)


class Places:
    """Where a loop of one block reads in its next iteration, as its own values tell. `entering` is
    what the parameters are at first, `known` what is known at the end of an iteration."""

    def __init__(
        self,
        kernel: Kernel,
        block: Block,
        entering: Iterable[Op],
        ranges: Mapping[Op, Range],
    ) -> None:
        self.kernel = kernel
        self.sums = Sums(ranges)
        self.ranges = ranges
        self.entering = dict(zip(block.parameters, entering, strict=True))
        self.following = dict(zip(block.parameters, block.back_edge.arguments, strict=True))
        self.own = {*block.ops, *block.parameters}

    def next_value(self, load: Op, known: Iterable[Known]) -> Choice | None:
        """What a load reads in the next iteration, where the place is chosen of places of which
        that is known; None where it is not."""
        form = self._form(load)
        if form is None:
            return None
        facts = list(self._facts(load, known))
        found = _Search(self, load, form, facts).value({})
        return found if isinstance(found, Choice) else None

    def first_index(self, load: Op, builder: Builder) -> Op:
        """The index of a load in the first iteration, made before the loop."""
        form = self._form(load)
        assert form is not None
        total = Linear(form.width, form.constant).value(builder)
        for term, factor in form.terms.items():
            value = self.entering.get(term, term)
            scaled = Linear(form.width, terms={value: factor}).value(builder)
            total = builder.build("add", [total, scaled], form.width)
        return total

    def _form(self, load: Op) -> Linear | None:
        """The index as a sum of parameters and of what is fixed; None if it is none, or if no
        parameter is in it."""
        form = self.sums.form(load.index)
        if form is None or not any(term in self.following for term in form.terms):
            return None
        fixed = [term for term in form.terms if term not in self.following]
        return None if any(m in self.own for term in fixed for m in named_by(term)) else form

    def _facts(self, load: Op, known: Iterable[Known]) -> Iterator[tuple[Base, int, Known]]:
        for fact in known:
            form = self.sums.form(fact.index)
            if form is not None:
                yield (*self.reached(load, form), fact)

    def reached(self, load: Op, form: Linear) -> tuple[Base, int]:
        """An index, in the bits that the memory looks at, less its constant part; and that."""
        form = as_reached(self.kernel, load, form)
        return (form.width, frozenset(form.terms.items())), form.constant


@dataclass
class _Search:
    """Of what a load at a place reads next."""

    places: Places
    load: Op
    form: Linear
    facts: list[tuple[Base, int, Known]]

    def value(self, path: _Path) -> Op | Choice | None:
        """What is read where some conditions hold, and others do not."""
        parts = {t: self._follows(t, path) for t in self.form.terms}
        form = self._next_form(parts)
        there = None if form is None else self._known_at(form, path)
        if there is not None or len(path) >= MOST_CHOICES:
            return there
        chosen = next((part for part in parts.values() if part.kind == "select"), None)
        if chosen is None:
            return None
        condition = chosen.operands[0]
        ways = [self.value({**path, condition: holds}) for holds in (True, False)]
        if ways[0] is None or ways[1] is None:
            return None
        return ways[0] if ways[0] is ways[1] else Choice(condition, (ways[0], ways[1]))

    def _follows(self, term: Op, path: _Path) -> Op:
        """What a parameter is next, and what is fixed is always."""
        value = self.places.following.get(term, term)
        while value.kind == "select" and value.operands[0] in path:
            value = value.operands[1 if path[value.operands[0]] else 2]
        return value

    def _next_form(self, parts: Mapping[Op, Op]) -> Linear | None:
        form, places = self.form, self.places
        total = Linear(form.width, form.constant)
        for term, factor in form.terms.items():
            value = parts[term]
            part = places.sums.form(value)
            if part is not None and reach_bits(term, factor) < form.width:
                part = part.unwrapped(term.width, places.ranges)
            total = total.plus(part or Linear(form.width, terms={value: 1}), factor)
        return total

    def _known_at(self, form: Linear, path: _Path) -> Op | None:
        """The value that is known to be at a place, under the conditions of a path."""
        base, constant = self.places.reached(self.load, form)
        for other, at, fact in self.facts:
            if other == base and at == constant & mask(form.width) and _holds(fact.when, path):
                return fact.value
        return None


def _holds(when: Op | None, path: _Path) -> bool:
    """Whether a condition is seen to hold where those of a path do, or do not."""
    if when is None:
        return True
    for condition, holds in path.items():
        if holds and implies(condition, when):
            return True
        if not holds and _is_inverse(when) and implies(when.operands[0], condition):
            return True
    return False


def _is_inverse(op: Op) -> bool:
    return op.kind == "xor" and op.width == 1 and bits_of(op.operands[1]) == (1,)
