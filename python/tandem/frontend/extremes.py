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

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tandem import policy
from tandem.frontend.symbols import LOCAL_NAME

_EXTREME = re.compile(
    rf"  ({LOCAL_NAME}) = (?:(?:tail|notail) )?call [^@]*?\b(i\d+) "
    r"@llvm\.([su])(min|max)\.i\d+\(i\d+ ([^\s,()]+), i\d+ ([^\s,()]+)\)(.*)"
)
_SUM = re.compile(rf"  ({LOCAL_NAME}) = add ([a-z ]*)i\d+ ([^\s,()]+), (-?\d+)\b")
_MADE = re.compile(rf"  ({LOCAL_NAME}) = (?:(?:tail|notail) )?(\w+) (.*)")
_THROUGH = ("phi", "select", "trunc", "sext", "zext", "freeze", "add", "call")
"""What a number comes through from one iteration to the next."""


@dataclass(frozen=True)
class _Extreme:
    """A call for the lesser, or the greater, of two numbers. `rest` is what stands behind it."""

    name: str
    type: str
    sign: str
    which: str
    first: str
    second: str
    rest: str

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.type, self.sign, self.which

    @property
    def where(self) -> str:
        """Where it is in the C, as LLVM's text tells."""
        place = re.search(r", !dbg !\d+", self.rest)
        return place[0] if place else ""

    def allows(self, more: int, flags: list[str]) -> bool:
        """Whether what a sum adds is told of its term apart."""
        return abs(more) == 1 and f"n{self.sign}w" in flags and (more > 0 or self.sign == "s")

    def compared(self, more: int) -> str:
        """How a term is compared, before that is added to it, to be the extreme."""
        is_least = self.which == "min"
        return ("l" if is_least else "g") + ("t" if (more > 0) == is_least else "e")


@dataclass(frozen=True)
class _Term:
    """A number, and what is added to it: 0, 1 or -1."""

    value: str
    more: int = 0

    def plus(self, more: int) -> _Term:
        return _Term(self.value, self.more + more)


def with_one_form(text: str, top: str) -> str | None:
    """The text of a module in which the extremes of its function `top` have one form; None where
    they have it."""
    head = re.search(rf'^define [^@]*@"?{re.escape(top)}"?\(', text, re.M)
    if head is None:
        return None
    start, end = head.start(), text.index("\n}\n", head.start())
    lines = text[start:end].split("\n")
    remade = _Function(lines).remade()
    if not remade:
        return None
    changed = [made for line in lines for made in remade.get(_made(line), [line])]
    return text[:start] + "\n".join(changed) + text[end:]


def _made(line: str) -> str:
    """What a line of a function makes."""
    match = _MADE.match(line)
    return match[1] if match else ""


class _Function:
    """The extremes of a function, and the sums that they are made of."""

    def __init__(self, lines: list[str]) -> None:
        found = [_Extreme(*m.groups()) for line in lines if (m := _EXTREME.match(line))]
        self.extremes = {extreme.name: extreme for extreme in found}
        self.lines = lines if found else []
        sums = [match for line in self.lines if (match := _SUM.match(line))]
        self.sums = {m[1]: (_Term(m[3], int(m[4])), m[2].split()) for m in sums}
        self.uses = Counter(name for line in self.lines for name in _named(line))
        made = [match for line in self.lines if (match := _MADE.match(line))]
        self.made_of = {m[1]: _named(m[3]) for m in made if m[2] in _THROUGH}

    def remade(self) -> dict[str, list[str]]:
        """What the lines of some extremes become."""
        inner = {inside for e in self.extremes.values() for _, inside in self._parts(e) if inside}
        work = [extreme for name, extreme in self.extremes.items() if name not in inner]
        found: dict[str, list[str]] = {}
        while work:
            extreme = work.pop()
            terms = self._terms(extreme)
            work += [self.extremes[t.value] for t in terms if t.value in self.extremes]
            ordered = self._ordered(extreme, terms)
            if ordered:
                found[extreme.name] = list(_chain(extreme, ordered))
        return found

    def _parts(self, extreme: _Extreme) -> Iterator[tuple[_Term, str]]:
        """What an extreme is the least or the greatest of, each with the name of the extreme that
        it is one more than, if that is there for nothing else."""
        for value in (extreme.first, extreme.second):
            term, flags = self.sums.get(value, (_Term(value), []))
            if value in self.sums and not extreme.allows(term.more, flags):
                term = _Term(value)
            inside = self.extremes.get(term.value)
            is_own = all(self.uses[name] == 2 for name in {value, term.value})
            is_inner = inside is not None and inside.kind == extreme.kind and is_own
            yield term, term.value if is_inner else ""

    def _terms(self, extreme: _Extreme) -> list[_Term]:
        """What an extreme is the least or the greatest of, with those that it is made of."""
        found: list[_Term] = []
        work = [(_Term(extreme.name), extreme.name)]
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
        late = {term for term in terms if self._leads_to(extreme.name, term.value)}
        ordered = sorted(terms, key=lambda term: (term in late, term.more != 0))
        if len(terms) == 2:
            ordered.sort(key=lambda term: term.more != 0)
        return [] if ordered[0].more else ordered

    def _leads_to(self, name: str, value: str) -> bool:
        """Whether a value is made of another one, of an earlier iteration."""
        work, seen = [value], {value}
        while work:
            following = {*self.made_of.get(work.pop(), ())} - seen
            seen |= following
            work += following
        return name in seen


def _named(text: str) -> list[str]:
    return re.findall(LOCAL_NAME, text)


def _chain(extreme: _Extreme, terms: list[_Term]) -> Iterator[str]:
    """The lines that find the extreme of the terms, one after the other."""
    found = terms[0].value
    for i, term in enumerate(terms[1:], 1):
        name = extreme.name if i == len(terms) - 1 else _part(extreme, f"found.{i}")
        yield from _step(extreme, name, f"{i}", found, term)
        found = name


def _part(extreme: _Extreme, what: str) -> str:
    """The name of a value that is part of an extreme."""
    return f'%"tandem.{what}.{extreme.name[1:].strip(chr(34))}"'


def _step(extreme: _Extreme, name: str, part: str, found: str, term: _Term) -> Iterator[str]:
    """What chooses between what was found and one more term."""
    kind, where = extreme.type, extreme.where
    call = f"@llvm.{extreme.sign}{extreme.which}.{kind}"
    if not term.more:
        yield f"  {name} = call {kind} {call}({kind} {found}, {kind} {term.value}){where}"
        return
    is_first, more = (_part(extreme, f"{what}.{part}") for what in ("is", "more"))
    asked = extreme.sign + extreme.compared(term.more)
    yield f"  {is_first} = icmp {asked} {kind} {term.value}, {found}{where}"
    yield f"  {more} = add {kind} {term.value}, {term.more}{where}"
    yield f"  {name} = select i1 {is_first}, {kind} {more}, {kind} {found}{where}"
