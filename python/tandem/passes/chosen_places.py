# SPDX-License-Identifier: Apache-2.0
"""Loads of a loop at a place that its last iteration has chosen (a part of `scalar-replacement`).

`start = differs ? i : start` is where the next iteration reads `a[start]`: either what was read
there already, or what this one has read at `i`. What each choice leads to is known, so that the
value is chosen where the place was, and kept in a parameter of the loop.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear, Sums, reach_bits
from tandem.analysis.ranges import Known as Told
from tandem.analysis.situations import Conditions, Situations
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Add, Op, Select, Xor
from tandem.ir.wiring import bits_of
from tandem.passes.elements import Base, Known, as_reached, implies

MOST_CHOICES = 3
"""So many decisions may lead to a place."""


@dataclass(frozen=True)
class Choice:
    """The value of one of two ways."""

    condition: Op
    values: tuple[Op | Choice, Op | Choice]

    def made(self, builder: Builder) -> Op:
        """The value, at the end of a block."""
        yes, no = (v.made(builder) if isinstance(v, Choice) else v for v in self.values)
        return builder.build(Select, [self.condition, yes, no], yes.width)


class Places:
    """Where a loop of one block reads in its next iteration, as its own values tell."""

    def __init__(self, kernel: Kernel, loop: AffineLoop, situations: Situations) -> None:
        self.kernel = kernel
        self.loop = loop
        self.situations = situations
        self.sums = Sums(situations.ranges)

    def next_value(self, load: Op, known: Iterable[Known]) -> Choice | None:
        """What a load reads in the next iteration, where the place is chosen of places of which
        that is `known` at the end of an iteration; None where it is not."""
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
            value = self.loop.initial.get(term) or term
            scaled = Linear(form.width, terms={value: factor}).value(builder)
            total = builder.build(Add, [total, scaled], form.width)
        return total

    def _form(self, load: Op) -> Linear | None:
        """The index as a sum of parameters and of what is fixed; None if it is none, or if no
        parameter is in it."""
        form = self.sums.form(load.index)
        if form is None or not any(term in self.loop.following for term in form.terms):
            return None
        fixed = [term for term in form.terms if term not in self.loop.following]
        return None if any(map(self.loop.moves, fixed)) else form

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

    def value(self, path: Conditions) -> Op | Choice | None:
        """What is read where some conditions hold, and others do not."""
        parts = {t: self._follows(t, path) for t in self.form.terms}
        there = self._known_at(parts, path)
        if there is not None or len(path) >= MOST_CHOICES:
            return there
        chosen = next((part for part in parts.values() if isinstance(part, Select)), None)
        if chosen is None:
            return None
        condition = chosen.operands[0]
        ways = [self.value({**path, condition: holds}) for holds in (True, False)]
        if ways[0] is None or ways[1] is None:
            return None
        return ways[0] if ways[0] is ways[1] else Choice(condition, (ways[0], ways[1]))

    def _follows(self, term: Op, path: Conditions) -> Op:
        """What a parameter is next, and what is fixed is always."""
        value = self.places.loop.following.get(term, term)
        while isinstance(value, Select) and value.operands[0] in path:
            value = value.operands[1 if path[value.operands[0]] else 2]
        return value

    def _known_at(self, parts: Mapping[Op, Op], path: Conditions) -> Op | None:
        """The value that is known to be where the load is next, under the conditions of a path."""
        places = self.places
        told = places.situations.going_on(places.loop, path)
        if told is None:
            return None
        base, constant = places.reached(self.load, self._next_form(parts, told))
        for other, at, fact in self.facts:
            if other == base and at == constant and self._holds(fact.when, path, told):
                return fact.value
        return None

    def _next_form(self, parts: Mapping[Op, Op], told: Told) -> Linear:
        form, ranges = self.form, ChainMap(told, self.places.situations.ranges)
        total = Linear(form.width, form.constant)
        for term, factor in form.terms.items():
            value = parts[term]
            part = self.places.sums.form(value)
            if part is not None and reach_bits(term, factor) < form.width:
                part = part.unwrapped(term.width, ranges)
            total = total.plus(part or Linear(form.width, terms={value: 1}), factor)
        return total

    def _holds(self, when: Op | None, path: Conditions, told: Told) -> bool:
        """Whether a condition is seen to hold where those of a path do, or do not."""
        if when is None or _follows_from(path, when):
            return True
        return self.places.situations.where([(when, False)], told) is None


def _follows_from(path: Conditions, when: Op) -> bool:
    """Whether a condition is what another one is, or is not."""
    for condition, holds in path.items():
        if holds and implies(condition, when):
            return True
        if not holds and _is_inverse(when) and implies(when.operands[0], condition):
            return True
    return False


def _is_inverse(op: Op) -> bool:
    return isinstance(op, Xor) and op.width == 1 and bits_of(op.operands[1]) == (1,)
