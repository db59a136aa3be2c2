# SPDX-License-Identifier: Apache-2.0
"""Where in preprocessed C loops, functions and arrays stand, as far as directives ask for it.

Only braces, brackets and a few words are looked at: clang, which reads the text afterwards, knows
the rest.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from tandem.diagnostics import Place
from tandem.frontend.comments import blanked
from tandem.frontend.directives.directive import FUNCTION, LOOP

_MARKER = re.compile(r'^#(?:line)?[ \t]+(\d+)[ \t]+"((?:[^"\\\n]|\\.)*)".*\n?', re.M)
_NO_C = re.compile(r"^[ \t]*#.*$", re.M)
_LOOP = re.compile(r"\b(for|while|do)\b")
_LOOP_NEXT = re.compile(r"(?:\w+\s*:\s*)*(?:for|while|do)\b")
"""A loop, with labels before it."""
_WORD = re.compile(r"\w+")
_BEFORE_A_BODY = ("const", "noexcept", "override", "final", "mutable", "volatile")
"""Words that may stand between a function's parameters and its body."""
_NO_FUNCTIONS = ("if", "switch", "catch", "sizeof", "return", "")
"""What a parenthesis before a brace may belong to otherwise."""
_NOT_YET = re.compile(
    r'\s*(?:template\s*<[^;{}]*?>(?!\s*>)(?=\s*[\w_])|extern\s*"C(?:\+\+)?"|'
    r"(?:public|private|protected)\s*:)\s*"
)
"""What may stand before a declaration that takes no attribute before it."""
_TYPE = (
    r"(?!(?:return|else|goto|case|throw|new|delete)\b)"
    r"(?:[A-Za-z_][\w:]*(?:<[^;=]*>)?(?:\s+|\s*[*&]+\s*))+"
)
_FIRST = re.compile(_TYPE)
"""What stands before the first name that is declared."""
_LATER = re.compile(rf"{_TYPE}\w+\b.*,[\s*]*", re.S)
"""... before a later one."""
_SIZES = re.compile(r"(?:\s*\[[^\]]*\])+")


@dataclass(frozen=True)
class Scope:
    """What is in a pair of braces: the body of a loop, of a function, or neither. `begin`: where
    that loop or that function's declaration begins."""

    kind: str
    begin: int
    opening: int
    closing: int
    name: str = ""


@dataclass(frozen=True)
class Declared:
    """An array's declaration: where it begins, and how many elements its dimensions have where
    those are numbers. `local`: whether it has a place of its own in each call."""

    begin: int
    sizes: tuple[int | None, ...]
    local: bool


NO_LOCAL = Declared(0, (None,), False)
"""What stands for a pointer to an array."""


class Scopes:
    """A C text as it is scanned: `code` has spaces for comments, strings and preprocessor lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.code = _NO_C.sub(lambda m: " " * len(m[0]), blanked(text, strings=True))

    # -- files and lines --------------------------------------------------------------------------

    @cached_property
    def _markers(self) -> list[tuple[int, int, str]]:
        """Behind which offset which line of which file begins."""
        return [
            (m.end(), int(m[1]), re.sub(r"\\(.)", r"\1", m[2])) for m in _MARKER.finditer(self.text)
        ]

    def place(self, at: int) -> Place:
        """File and line of an offset."""
        found = bisect.bisect_right(self._markers, at, key=lambda m: m[0]) - 1
        begin, line, file = self._markers[found] if found >= 0 else (0, 1, "")
        return Place(file, line + self.text.count("\n", begin, at))

    # -- braces -----------------------------------------------------------------------------------

    @cached_property
    def _braces(self) -> list[tuple[int, int]]:
        """Every pair, the ones that close first before those around them."""
        found, opened = [], []
        for match in re.finditer(r"[{}]", self.code):
            if match[0] == "{":
                opened.append(match.start())
            elif opened:
                found.append((opened.pop(), match.start()))
        return found

    def around(self, at: int) -> Iterator[Scope]:
        """The scopes in which an offset is, the innermost one first."""
        return (self._scope(*pair) for pair in self._braces if pair[0] < at < pair[1])

    def function_around(self, at: int) -> Scope | None:
        """The function in whose body an offset is."""
        return next((scope for scope in self.around(at) if scope.kind == FUNCTION), None)

    def _scope(self, opening: int, closing: int) -> Scope:
        end = self._last(opening)
        word = self._word(end)
        if word == "do":
            return Scope(LOOP, end - 2, opening, closing)
        while word in _BEFORE_A_BODY or self.code[end - 1 : end] == ")":
            if word in _BEFORE_A_BODY:
                end = self._last(end - len(word))
            else:
                end = self._last(self._opened(end - 1))
                before = self._word(end)
                if before in ("for", "while"):
                    return Scope(LOOP, end - len(before), opening, closing)
                if before in _NO_FUNCTIONS:
                    break
                if before not in ("__attribute__", "noexcept"):
                    begin = self.declaration(end)
                    return Scope(FUNCTION, begin, opening, closing, before)
                end = self._last(end - len(before))
            word = self._word(end)
        return Scope("", opening, opening, closing)

    def _last(self, at: int) -> int:
        """The offset behind the last character of code before another one."""
        while at > 0 and self.code[at - 1].isspace():
            at -= 1
        return at

    def _word(self, end: int) -> str:
        """The word that ends at an offset."""
        begin = end
        while begin > 0 and (self.code[begin - 1].isalnum() or self.code[begin - 1] == "_"):
            begin -= 1
        return self.code[begin:end]

    def _opened(self, closing: int) -> int:
        """The offset of the parenthesis that one closes."""
        depth = 0
        for at in range(closing, -1, -1):
            depth += {")": 1, "(": -1}.get(self.code[at], 0)
            if depth == 0:
                return at
        return 0

    # -- what directives are about ----------------------------------------------------------------

    def next_code(self, at: int) -> int:
        """The offset of the next character of code."""
        found = re.compile(r"\S").search(self.code, at)
        return found.start() if found else len(self.code)

    def declaration(self, at: int) -> int:
        """Where the declaration or statement begins in which an offset is."""
        begin = 1 + max(self.code.rfind(end, 0, at) for end in ";{}")
        while skipped := _NOT_YET.match(self.text, self.next_code(begin)):
            begin = skipped.end()
        return self.next_code(begin)

    def loops(self) -> Iterator[int]:
        """Where a loop begins; not where a `do` ends."""
        ends = {self.next_code(c + 1) for o, c in self._braces if self._is_do(o)}
        return (m.start() for m in _LOOP.finditer(self.code) if m.start() not in ends)

    def is_loop(self, at: int) -> bool:
        """Whether a loop stands at an offset, with labels before it or not."""
        return _LOOP_NEXT.match(self.code, at) is not None

    def _is_do(self, opening: int) -> bool:
        return self._word(self._last(opening)) == "do"

    def labelled(self, label: str) -> Iterator[int]:
        """The loops with a label."""
        for match in re.finditer(rf"\b{label}\s*:(?!:)\s*(?=(?:for|while|do)\b)", self.code):
            yield match.end()

    def functions(self, name: str) -> Iterator[Scope]:
        """The definitions of functions with a name."""
        is_there = re.search(rf"\b{name}\s*\(", self.code)
        for opening, closing in self._braces if is_there else ():
            scope = self._scope(opening, closing)
            if scope.kind == FUNCTION and scope.name == name:
                yield scope

    def array(self, name: str, at: int) -> Declared | None:
        """The array of a name that can be seen from an offset."""
        visible = [pair for pair in self._braces if pair[0] < at < pair[1]]
        found = None
        for match in re.finditer(rf"\b{name}(?=\s*\[)", self.code[:at]):
            inside = [pair for pair in self._braces if pair[0] < match.start() < pair[1]]
            if set(inside) <= set(visible):
                found = self._declared(match, bool(inside)) or found
        return found

    def _declared(self, name: re.Match[str], is_inside: bool) -> Declared | None:
        """The array's declaration; None where it is only used."""
        begin = self.declaration(name.start())
        before = self.code[begin : name.start()]
        is_argument = before.count("(") > before.count(")") and not is_inside
        is_declared = _FIRST.fullmatch(before) or _LATER.fullmatch(before)
        if not is_argument and (not is_declared or before.count("(") != before.count(")")):
            return None
        sizes = _SIZES.match(self.code, name.end())
        numbers = re.findall(r"\[\s*(\d+|[^\]]*)\s*\]", sizes[0] if sizes else "")
        known = tuple(int(n) if n.isdigit() else None for n in numbers)
        is_lasting = re.search(r"\b(static|extern)\b", before) is not None
        return Declared(begin, known, is_inside and not is_lasting)


def names_file(given: str, file: str) -> bool:
    """Whether a user who writes `given` can mean a file: by its path, or by the end of it."""
    wanted, absolute = PurePath(given).parts, os.path.abspath(file)
    is_end = PurePath(absolute).parts[-len(wanted) :] == wanted
    return is_end or os.path.abspath(given) == absolute
