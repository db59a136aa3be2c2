# SPDX-License-Identifier: Apache-2.0
"""The least, or the greatest, of numbers of which some are one more than another.

`min(min(a, b) + 1, c)`, `min(min(b + 1, c), a + 1)` and what else C has for it are one choice of
`a + 1`, `b + 1` and `c`, and get one form here. What is 1 more is compared as it was before: of
`x + 1` and `y` the first is the least if `x < y`, so that a loop that waits for `x` adds and
compares beside each other. What a loop's last iteration has left is compared last: the others are
there.

No sum of this form wraps where it is chosen: `x < y` leaves room for `x + 1`, and one less is only
asked of what the C takes 1 from without wrapping.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tandem import policy
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import replace
from tandem.llvm.module import Module, edited, number_of
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.read import Ref, call, opcode_of, operands, type_of

_EXTREMES = {f"llvm.{sign}{which}": (sign, which) for sign in "su" for which in ("min", "max")}
_THROUGH = frozenset(
    {
        Opcode.PHI,
        Opcode.SELECT,
        Opcode.TRUNC,
        Opcode.SEXT,
        Opcode.ZEXT,
        Opcode.FREEZE,
        Opcode.ADD,
        Opcode.CALL,
    }
)
"""What a number comes through from one iteration to the next."""


@dataclass(frozen=True)
class _Extreme:
    """A call for the lesser, or the greater, of two numbers."""

    ref: Ref
    sign: str
    which: str

    @property
    def kind(self) -> Ref:
        """What it is of, and which it is: the intrinsic."""
        return call("GetCalledValue", self.ref)

    def allows(self, total: Ref, more: int) -> bool:
        """Whether what a sum adds is told of its term apart."""
        is_known = call("GetNSW" if self.sign == "s" else "GetNUW", total)
        return abs(more) == 1 and bool(is_known) and (more > 0 or self.sign == "s")

    def compared(self, more: int) -> Predicate:
        """How a term is compared, before that is added to it, to be the extreme."""
        is_least = self.which == "min"
        how = ("L" if is_least else "G") + ("T" if (more > 0) == is_least else "E")
        return Predicate[self.sign.upper() + how]


@dataclass(frozen=True)
class _Term:
    """A number, and what is added to it: 0, 1 or -1."""

    value: Ref
    more: int = 0

    def plus(self, more: int) -> _Term:
        return _Term(self.value, self.more + more)


def with_one_form(text: str, top: str) -> str | None:
    """The text of a module in which the extremes of its function `top` have one form; None where
    they have it."""
    return edited(text, lambda module: _change(module, top))


def _change(module: Module, top: str) -> bool:
    function = module.function(top)
    remade = _Function(function).remade() if function else {}
    builder = Builder(module)
    made = [_chain(builder.before(e.ref), e, terms) for e, terms in remade.items()]
    for extreme, found in zip(remade, made, strict=True):
        replace(extreme.ref, found)
    return bool(remade)


class _Function:
    """The extremes of a function, and the sums that they are made of."""

    def __init__(self, function: Ref) -> None:
        found = [(ref, _which(ref)) for ref in llvm.instructions([function])]
        self.extremes = {ref: _Extreme(ref, *which) for ref, which in found if which}

    def remade(self) -> dict[_Extreme, list[_Term]]:
        """What some extremes are the least or the greatest of, in the order of comparisons."""
        inner = {inside for e in self.extremes.values() for _, inside in self._parts(e) if inside}
        work = [extreme for name, extreme in self.extremes.items() if name not in inner]
        found: dict[_Extreme, list[_Term]] = {}
        while work:
            extreme = work.pop()
            terms = self._terms(extreme)
            work += [self.extremes[t.value] for t in terms if t.value in self.extremes]
            ordered = self._ordered(extreme, terms)
            if ordered:
                found[extreme] = ordered
        return found

    def _parts(self, extreme: _Extreme) -> Iterator[tuple[_Term, Ref | None]]:
        """What an extreme is the least or the greatest of, each with the extreme that it is one
        more than, if that is there for nothing else."""
        for value in operands(extreme.ref)[:2]:
            term = _sum(value)
            if term.more and not extreme.allows(value, term.more):
                term = _Term(value)
            inside = self.extremes.get(term.value)
            is_own = all(len([*llvm.users(used)]) == 1 for used in {value, term.value} if inside)
            is_inner = inside is not None and inside.kind == extreme.kind and is_own
            yield term, term.value if is_inner else None

    def _terms(self, extreme: _Extreme) -> list[_Term]:
        """What an extreme is the least or the greatest of, with those that it is made of."""
        found: list[_Term] = []
        work: list[tuple[_Term, Ref | None]] = [(_Term(extreme.ref), extreme.ref)]
        while work:
            term, inside = work.pop()
            if not inside or len(found) + len(work) >= policy.EXTREME_TERMS:
                found.append(term)
                continue
            parts = [(part.plus(term.more), i) for part, i in self._parts(self.extremes[inside])]
            is_near = all(abs(part.more) <= 1 for part, _ in parts)
            work += parts[::-1] if is_near else ()
            found += () if is_near else (term,)
        return found

    def _ordered(self, extreme: _Extreme, terms: list[_Term]) -> list[_Term]:
        """The terms as they are to be compared, the first of which is a value as it is; none where
        the extreme is best as it stands."""
        if not any(term.more for term in terms):
            return []
        late = {term for term in terms if _leads_to(extreme.ref, term.value)}
        ordered = sorted(terms, key=lambda term: (term in late, term.more != 0))
        if len(terms) == 2:
            ordered.sort(key=lambda term: term.more != 0)
        return [] if ordered[0].more else ordered


def _which(ref: Ref) -> tuple[str, str] | None:
    """The sign and the sort of an extreme; None for what is none."""
    function = llvm.called(ref)
    named = llvm.name(function).rpartition(".")[0] if function else ""
    return _EXTREMES.get(named) if llvm.is_integer(ref) else None


def _sum(value: Ref) -> _Term:
    """A number as a sum of a value and a constant, if that is how it is made."""
    is_sum = opcode_of(value) == Opcode.ADD and llvm.is_instruction(value)
    if not is_sum or not llvm.is_integer(value):
        return _Term(value)
    first, more = operands(value)
    is_constant = llvm.constant_number(more) is not None
    return _Term(first, llvm.signed_number(more)) if is_constant else _Term(value)


def _leads_to(ref: Ref, value: Ref) -> bool:
    """Whether a value is made of another one, of an earlier iteration."""
    work, seen = [value], {value}
    while work:
        made = work.pop()
        following = {*operands(made)} - seen if opcode_of(made) in _THROUGH else set[Ref]()
        seen |= following
        work += following
    return ref in seen


def _chain(builder: Builder, extreme: _Extreme, terms: list[_Term]) -> Ref:
    """Finds the extreme of the terms, one after the other."""
    found = terms[0].value
    for term in terms[1:]:
        found = _step(builder, extreme, found, term)
    return found


def _step(builder: Builder, extreme: _Extreme, found: Ref, term: _Term) -> Ref:
    """Chooses between what was found and one more term."""
    if not term.more:
        return builder.call(extreme.kind, [found, term.value], "tandem.found")
    is_first = builder.compare(extreme.compared(term.more), term.value, found, "tandem.is")
    one = number_of(type_of(term.value), term.more)
    more = builder.binary(Opcode.ADD, term.value, one, "tandem.more")
    return builder.choose(is_first, more, found, "tandem.found")
