# SPDX-License-Identifier: Apache-2.0
"""Numbers that C counts with a sign and that are never negative.

LLVM sees that by itself until a number has been in an array. Here a local array counts as never
negative while nothing negative is stored in it, and a number while nothing negative leads to it:
the greatest sets for which that holds. Comparisons, extensions and quotients of such numbers are
written without signs, and LLVM's passes go on from there: what is not greater than 0 is then 0.

An overflow of what C counts with a sign is undefined, as for LLVM (`nsw`); so is an element that
was never written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tandem.frontend.symbols import LOCAL_NAME

_VALUE = r"([^\s,()]+)"
_INT = r"i(?!1\b)\d+"
_INSTRUCTION = re.compile(rf"  (?:({LOCAL_NAME}) = )?(?:(?:tail|musttail|notail) )?(\w+) (.*)")
_ONE = re.compile(rf"(?:[a-z]+ )*{_INT} {_VALUE}")
_TWO = re.compile(rf"((?:[a-z]+ )*){_INT} {_VALUE}, {_VALUE}")
_SELECT = re.compile(rf"i1 [^,]+, {_INT} {_VALUE}, {_INT} {_VALUE}")
_INCOMING = re.compile(rf"\[ {_VALUE}, ")
_CALL = re.compile(rf"{_INT} @llvm\.(\w+)\.i\d+\({_INT} {_VALUE}, {_INT} {_VALUE}\)")
_MOVE = re.compile(rf"[^,]*, ptr ({LOCAL_NAME}),")
_LOAD = re.compile(rf"i(\d+), ptr ({LOCAL_NAME}), align (\d+)")
_STORE = re.compile(rf"i(\d+) {_VALUE}, ptr ({LOCAL_NAME}), align (\d+)")
_HARMLESS = re.compile(r"void @llvm\.(?:lifetime\.|memset\.[^,]*, i8 0,)")
_SIGNED = (
    (rf" icmp (samesign )?s([gl][te]) ({_INT}) {_VALUE}, {_VALUE}", r" icmp \1u\2 \3 \4, \5", 2),
    (rf" sext ({_INT}) {_VALUE} to ", r" zext nneg \1 \2 to ", 1),
    (rf" s(div|rem) (exact )?({_INT}) {_VALUE}, {_VALUE}", r" u\1 \2\3 \4, \5", 2),
)
"""What is written otherwise where its last so many values are never negative."""


def without_signs(text: str, top: str) -> str | None:
    """The text of a module with fewer signs in its function `top`; None where there are no more
    than LLVM sees."""
    head = re.search(rf'^define [^@]*@"?{re.escape(top)}"?\(', text, re.M)
    if head is None:
        return None
    start, end = head.start(), text.index("\n}\n", head.start())
    lines = text[start:end].split("\n")
    if not any(" = alloca " in line for line in lines):
        return None
    numbers = _Numbers(lines)
    changed = [numbers.without_signs(line) for line in lines] if numbers.stored else lines
    return text[:start] + "\n".join(changed) + text[end:] if changed != lines else None


class _Numbers:
    """Which numbers of a function, and which arrays, are never negative. `stored`: what is stored
    in each of these arrays."""

    def __init__(self, lines: Iterable[str]) -> None:
        found = [match.groups() for line in lines if (match := _INSTRUCTION.match(line))]
        self.made = {name: (opcode, rest) for name, opcode, rest in found if name is not None}
        self.array_of = _array_of(self.made)
        self.stored = self._stored([(opcode, rest) for _, opcode, rest in found])
        self.numbers = {name for name, (opcode, _) in self.made.items() if opcode in _RULES}
        while self._drop():
            pass

    def _stored(self, found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """What is stored in each array of which only whole elements are accessed."""
        stored: dict[str, list[str]] = {array: [] for array in self.array_of.values()}
        bits_of: dict[str, int] = {}
        for opcode, rest in found:
            pointers = self.array_of.keys() & re.findall(LOCAL_NAME, rest)
            for pointer in pointers if opcode != "getelementptr" else ():
                array = self.array_of[pointer]
                bits, values = _accessed(opcode, rest)
                if bits and bits_of.setdefault(array, bits) == bits:
                    stored.get(array, []).extend(values)
                elif opcode != "call" or not _HARMLESS.match(rest):
                    stored.pop(array, None)
        return stored

    def _drop(self) -> bool:
        """Takes out what something leads to that may be negative; whether there was anything."""
        before = len(self.numbers) + len(self.stored)
        for name, (opcode, rest) in self.made.items():
            if name in self.numbers and not _RULES[opcode](self, rest):
                self.numbers.discard(name)
        self.stored = {array: v for array, v in self.stored.items() if self.all_known(v)}
        return len(self.numbers) + len(self.stored) < before

    def is_known(self, value: str) -> bool:
        """Whether a number, as it is written, is never negative. What is undefined is 0."""
        return value in self.numbers or value.isdigit() or value in ("undef", "poison")

    def all_known(self, values: Iterable[str]) -> bool:
        return all(map(self.is_known, values))

    def without_signs(self, line: str) -> str:
        """A line of the function, with fewer signs where it can be."""
        for pattern, unsigned, count in _SIGNED:
            match = re.search(pattern, line)
            if match is not None and self.all_known(match.groups()[-count:]):
                return line.replace(match[0], match.expand(unsigned))
        return line


def _array_of(made: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Pointer -> the local array that it points into."""
    found = {name: name for name, (opcode, _) in made.items() if opcode == "alloca"}
    count = 0
    while len(found) > count:
        count = len(found)
        for name, (opcode, rest) in made.items():
            base = _MOVE.match(rest) if opcode == "getelementptr" else None
            if base is not None and base[1] in found:
                found[name] = found[base[1]]
    return found


def _accessed(opcode: str, rest: str) -> tuple[int, list[str]]:
    """How many bits an access reads or writes as one element, 0 if it does not, and what it
    stores."""
    access = {"load": _LOAD, "store": _STORE}.get(opcode, _LOAD).match(rest)
    if access is None or opcode not in ("load", "store"):
        return 0, []
    bits, *values, _, aligned = access.groups()
    return int(bits) if 8 * int(aligned) >= int(bits) else 0, values


# -- what an operation makes of numbers that are never negative -----------------------------------


def _one(known: _Numbers, rest: str) -> bool:
    found = _ONE.match(rest)
    return found is not None and known.is_known(found[1])


def _loaded(known: _Numbers, rest: str) -> bool:
    found = _LOAD.match(rest)
    return found is not None and known.array_of.get(found[2]) in known.stored


def _phi(known: _Numbers, rest: str) -> bool:
    return re.match(rf"{_INT} \[", rest) is not None and known.all_known(_INCOMING.findall(rest))


def _chosen(known: _Numbers, rest: str) -> bool:
    found = _SELECT.match(rest)
    return found is not None and known.all_known(found.groups())


def _called(known: _Numbers, rest: str) -> bool:
    found = _CALL.match(rest)
    if found is None or found[1] not in ("smin", "smax", "umin", "umax"):
        return False
    any_will_do = found[1] in ("smax", "umin")
    return (any if any_will_do else all)(map(known.is_known, found.groups()[1:]))


def _of_two(enough: Callable[[bool, bool], bool], needs_nsw: bool = False) -> _Rule:
    """The rule of an operation, by which of its operands must be known."""

    def rule(known: _Numbers, rest: str) -> bool:
        found = _TWO.match(rest)
        if found is None or (needs_nsw and " nsw " not in f" {found[1]}"):
            return False
        return enough(known.is_known(found[2]), known.is_known(found[3]))

    return rule


_Rule = Callable[[_Numbers, str], bool]
_BOTH = _of_two(lambda a, b: a and b)
_FIRST = _of_two(lambda a, _: a)
_WITHOUT_OVERFLOW = _of_two(lambda a, b: a and b, needs_nsw=True)
_RULES: dict[str, _Rule] = {
    "load": _loaded,
    "phi": _phi,
    "select": _chosen,
    "call": _called,
    "zext": lambda _, rest: True,
    "sext": _one,
    "freeze": _one,
    "add": _WITHOUT_OVERFLOW,
    "mul": _WITHOUT_OVERFLOW,
    "shl": _of_two(lambda a, _: a, needs_nsw=True),
    "and": _of_two(lambda a, b: a or b),
    "or": _BOTH,
    "xor": _BOTH,
    "sdiv": _BOTH,
    "srem": _FIRST,
    "urem": _of_two(lambda a, b: a or b),
    "udiv": _FIRST,
    "lshr": _FIRST,
    "ashr": _FIRST,
}
