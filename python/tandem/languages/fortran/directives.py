# SPDX-License-Identifier: Apache-2.0
"""Directives in Fortran, in Tandem's own words: a comment before a loop or a procedure.

    !$tandem unroll(4)
    do i = 1, n

A loop is found by the lines of its instructions, and gets the words that clang has for C's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.directives.asked import Asked
from tandem.frontend.directives.directive import (
    BEST_II,
    DATAFLOW_II,
    DEPTH_MARK,
    FUNCTION,
    LOOP,
    NO_II,
    WHOLLY,
    Directive,
)
from tandem.frontend.directives.own import read_own
from tandem.frontend.directives.rewrite import Placed
from tandem.frontend.directives.scopes import names_file
from tandem.frontend.symbols import symbol
from tandem.languages.fortran.plain import Plain
from tandem.llvm import metadata
from tandem.llvm import read as llvm
from tandem.llvm.order import successors

_SAID = re.compile(r"^[ \t]*[!cC*]\$tandem\b(.*)$", re.I)
_COMMENT = re.compile(r"^[ \t]*(?:!.*)?$")
_FIXED_COMMENT = re.compile(r"^[cC*!]|^[ \t]*$")
_LOOP = re.compile(r"^[ \t]*(?:\d+[ \t]+)?(?:\w+[ \t]*:[ \t]*)?do\b", re.I)
FIXED = (".f", ".F", ".for")
NOT_HERE = ("partition", "macro")
"""About declarations of C."""


@dataclass(frozen=True)
class Wish:
    """A directive, and the line or the procedure that it is about. `row`: where it is not in the
    source."""

    directive: Directive
    line: int = 0
    function: str = ""
    row: Asked | None = None


@dataclass(frozen=True)
class _Loop:
    """A loop in a function: its blocks from the first to the one that leads back, and the first
    line of any instruction in it, where it `begins`."""

    function: str
    first: int
    last: int
    begins: int


def wishes(path: Path, asked: Sequence[Asked]) -> list[Wish]:
    """What is asked for of a file, in it and from outside. Raises UserError for what cannot be
    read, or is not there in Fortran."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = [_read(words, Place(str(path), n), lines) for n, words in _said(lines)]
    for row in asked:
        named = row.line
        if named is None or names_file(named[0], str(path)):
            directive = _known(row.directive, row.say, row.place)
            line = named[1] if named else 0
            found.append(Wish(directive, line, "" if named else row.names[1].lower(), row))
    is_fixed = path.suffix in FIXED
    return [_about(wish, lines, is_fixed) for wish in found]


def _said(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        found = _SAID.match(line)
        if found:
            yield number, found[1].strip()


def _read(words: str, place: Place, lines: Sequence[str]) -> Wish:
    shown = lines[place.line - 1].strip()
    return Wish(_known(read_own(words.lower(), shown, place), shown, place), place.line + 1)


def _known(directive: Directive | None, shown: str, place: Place) -> Directive:
    if directive is None:
        cure = "declare the array with its bounds: they say how large it is"
        raise user_error("pragma", f"`{shown}` is not there in Fortran", place, cure)
    if directive.name in NOT_HERE:
        cure = "write that procedure in C, and call it"
        raise user_error("pragma", f"`{shown}` is not there in Fortran", place, cure)
    return directive


def _about(wish: Wish, lines: Sequence[str], is_fixed: bool) -> Wish:
    """With the line of the statement behind it. Raises UserError where that is no loop and one is
    meant."""
    if wish.function:
        return wish
    comment = _FIXED_COMMENT if is_fixed else _COMMENT
    behind = range(wish.line, len(lines) + 1)
    line = next((n for n in behind if not comment.match(lines[n - 1])), len(lines))
    return Wish(wish.directive, line, "", wish.row)


def with_loops_marked(
    text: str, wished: Sequence[Wish], path: Path
) -> tuple[str, list[tuple[Wish, str]]]:
    """The module with what is asked for of loops, and of each wish for one the function that has
    it. Raises UserError for one from the source that stands before no loop."""
    _, module = llvm.parse(text)
    loops = list(_loops(module))
    source = path.read_text(encoding="utf-8", errors="replace").splitlines()
    marks: dict[_Loop, list[str]] = {}
    found: list[tuple[Wish, str]] = []
    for wish in (wish for wish in wished if wish.directive.subject == LOOP):
        loop = _meant(wish, loops, source) if wish.line else None
        if loop is not None:
            marks.setdefault(loop, []).extend(_hints(wish.directive))
            found.append((wish, loop.function))
        elif wish.row is None:
            raise _no_loop(wish.directive)
    for loop, hints in marks.items():
        text = _marked(text, loop, hints) if hints else text
    return text, found


def _no_loop(directive: Directive) -> UserError:
    text = f"`{directive.shown}` stands before no loop"
    return user_error("pragma", text, directive.place, "put it right before a `do`")


def _loops(module: llvm.Ref) -> Iterator[_Loop]:
    for function in llvm.children(module, "Function"):
        blocks = list(llvm.children(function, "BasicBlock"))
        places = {block: place for place, block in enumerate(blocks)}
        lines = [_first_line(block) for block in blocks]
        ways = [(place, {places[s] for s in successors(b)}) for place, b in enumerate(blocks)]
        for first, last in ((first, last) for last, firsts in ways for first in firsts):
            told = [line for line in lines[first : last + 1] if line]
            if first <= last and told:
                yield _Loop(llvm.name(function), first, last, min(told))


def _first_line(block: llvm.Ref) -> int:
    """The first line of the instructions of a block, 0 where none is told."""
    lines = (metadata.location(ref)[1] for ref in llvm.children(block, "Instruction"))
    return min((line for line in lines if line), default=0)


def _meant(wish: Wish, loops: Sequence[_Loop], source: Sequence[str]) -> _Loop | None:
    """The loop that begins at a line: of a statement with whole arrays the innermost one."""
    exact = [loop for loop in loops if loop.begins == wish.line]
    if exact:
        return min(exact, key=lambda loop: loop.last - loop.first)
    if not _LOOP.match(source[wish.line - 1]):
        return None
    behind = [loop for loop in loops if loop.begins > wish.line]
    return min(behind, key=lambda loop: (loop.begins, loop.first - loop.last), default=None)


def _hints(directive: Directive) -> Iterator[str]:
    """A directive of a loop as LLVM's metadata."""
    ii, copies = "llvm.loop.pipeline.initiationinterval", "llvm.loop.interleave.count"
    if directive.name == "pipeline":
        yield _number(ii, directive.number or (NO_II if directive.off else BEST_II))
    elif directive.name == "dataflow":
        yield _number(ii, DATAFLOW_II)
    elif directive.name == "unroll":
        yield _number(copies, WHOLLY + (directive.number or int(directive.off)))
    elif directive.name == "trips":
        yield _number("llvm.loop.vectorize.width", WHOLLY + directive.number)
    elif directive.name == "reassociate":
        yield '!{!"llvm.loop.vectorize.predicate.enable", i1 true}'


def _number(key: str, number: int) -> str:
    return f'!{{!"{key}", i32 {number}}}'


def _marked(text: str, loop: _Loop, hints: Sequence[str]) -> str:
    """The module with hints at the instruction that leads back."""
    lines = text.splitlines()
    start = next(
        n
        for n, line in enumerate(lines)
        if line.startswith("define ") and f"@{symbol(loop.function)}(" in line
    )
    ends = (n for n in range(start + 1, len(lines)) if lines[n + 1] in ("", "}"))
    end = next(n for place, n in enumerate(ends) if place == loop.last)
    numbers = (line[1:].partition(" = ")[0] for line in lines if line.startswith("!"))
    own = max((int(number) for number in numbers if number.isdigit()), default=0) + 1
    parts = [f"!{own + 1 + i}" for i in range(len(hints))]
    _, is_told, told = lines[end].partition(", !dbg ")
    place = [told] if is_told else []
    lines[end] += f", !llvm.loop !{own}"
    lines.append(f"!{own} = distinct !{{{', '.join([f'!{own}', *place, *parts])}}}")
    lines += [f"{part} = {hint}" for part, hint in zip(parts, hints, strict=True)]
    return "\n".join(lines) + "\n"


def with_functions_marked(
    text: str, wished: Sequence[Wish], plain: Sequence[Plain], lines: dict[str, int]
) -> tuple[str, list[tuple[Wish, str]]]:
    """The module with what is asked for of procedures, and of each such wish the function.
    `lines`: where each begins. Raises UserError for one from the source that stands before
    none."""
    found: list[tuple[Wish, str]] = []
    for wish in (wish for wish in wished if wish.directive.subject == FUNCTION):
        names = [
            one.name
            for one in plain
            if one.procedure.name == wish.function or (wish.line and lines[one.name] == wish.line)
        ]
        if names:
            found.append((wish, names[0]))
            text = _with_attribute(text, names[0], wish.directive)
        elif wish.row is None:
            told = f"`{wish.directive.shown}` stands before no procedure"
            cure = "put it right before the `subroutine` or `function`"
            raise user_error("pragma", told, wish.directive.place, cure)
    return text, found


def _with_attribute(text: str, name: str, directive: Directive) -> str:
    words = {"inline": "noinline" if directive.off else "alwaysinline"}
    words["recursion"] = f'"min-legal-vector-width"="{DEPTH_MARK + directive.number}"'
    word = words.get(directive.name)
    if word is None:
        return text
    lines = text.splitlines()
    for n, line in enumerate(lines):
        if line.startswith("define ") and f"@{symbol(name)}(" in line:
            head, told, rest = line.partition(" !dbg ")
            head = head if told else head.removesuffix(" {")
            lines[n] = f"{head} {word}{told}{rest if told else ' {'}"
    return "\n".join(lines) + "\n"


def placed(wish: Wish, function: str, path: Path) -> Placed:
    """A directive where it counts."""
    return Placed(wish.directive, 0, 0, Place(str(path), wish.line), function)
