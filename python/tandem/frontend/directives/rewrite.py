# SPDX-License-Identifier: Apache-2.0
"""Directives of all spellings, carried through clang to what they are about.

The C comes preprocessed: what a macro or `_Pragma` makes of a directive counts, what stands in a
comment or behind `#if 0` does not. Tandem's own stand before what they are about, others in the
body of it, and some are not in the C at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tandem.diagnostics import Diagnostic, Place, UserError, user_error
from tandem.frontend.comments import blanked
from tandem.frontend.directives.asked import Asked
from tandem.frontend.directives.directive import ARRAY, FUNCTION, LOOP, Directive, no_effect
from tandem.frontend.directives.known import spelling_called
from tandem.frontend.directives.partition import Partition
from tandem.frontend.directives.scopes import NO_LOCAL, Scopes, names_file
from tandem.written import function_name

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(\w+)\b(.*)$", re.M)
_WORD = re.compile(r"[^\W\d]\w*")
_OF_LOOPS = {
    "pipeline": "it is about the function `{}`, and pipelines are of loops: a call starts when the "
    "one before has ended",
    "dataflow": "loops of the function `{}` that follow each other and run as often become one "
    "pipeline anyway; other calls run one after the other, as each leaves arrays for the next: "
    "start them with `tandem_start` and join them by streams (tandem/stream.h), or put it into a "
    "loop whose iterations are to overlap",
}
"""Of which the words of others may stand in a function, and why they do nothing there."""
_NOT_BEFORE = re.compile(r"expected (a for, while, or do-while loop|statement)\b")
"""What clang says behind a directive at which it does not find what it is for."""


@dataclass(frozen=True)
class Placed:
    """A directive and where its words for clang stand; `about`: where that begins which it is
    about, `where` as a place, in `function`, or which is that function."""

    directive: Directive
    at: int
    about: int
    where: Place
    function: str


def said_of(kernel: str, name: str, directives: Sequence[Placed]) -> Iterator[Directive]:
    """The directives of a name that are about the function which is the kernel."""
    function = function_name(kernel)
    for placed in directives:
        if placed.directive.name == name and placed.function == function:
            yield placed.directive


@dataclass
class Rewritten:
    """A text for clang, the directives in it, what is told of others, and which of those that were
    asked for from outside are about something in it."""

    text: str
    placed: list[Placed] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    followed: set[Asked] = field(default_factory=set)

    def without_clangs_words(self, error: UserError) -> UserError:
        """Clang's errors about the text, of which those about a directive that stands before
        nothing that it is for are told of the directive."""
        return UserError(*dict.fromkeys(map(self._told, error.diagnostics)))

    def _told(self, found: Diagnostic) -> Diagnostic:
        place = found.place
        if place is None or found.code != "c":
            return found
        guilty = next((p.directive for p in self.placed if p.directive.place == place), None)
        if guilty is None and _NOT_BEFORE.match(found.message):
            about = [p for p in self.placed if p.where == place]
            guilty = about[-1].directive if about else None
        if guilty is None:
            return found
        return Diagnostic(
            "pragma",
            f"`{guilty.shown}` stands before no {guilty.subject}",
            guilty.place,
            f"move it to the line before the {guilty.subject}",
        )


def may_have_directives(text: str) -> bool:
    """Whether a C text that is not preprocessed can have directives."""
    return "ragma" in text and any(map(spelling_called, set(_WORD.findall(text))))


def rewrite(text: str, asked: Sequence[Asked] = ()) -> Rewritten:
    """A preprocessed text with all directives in clang's words; lines keep their numbers. Raises
    UserError for a directive that is not known or is about nothing, and for two that contradict
    each other."""
    reading = _Reading(Scopes(text))
    for pragma in _PRAGMA.finditer(blanked(text)):
        reading.read(pragma)
    for row in asked:
        reading.follow(row)
    return reading.done()


class _Reading:
    """A text on its way."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.result = Rewritten(scopes.text)
        self._blank: list[tuple[int, int]] = []

    def done(self) -> Rewritten:
        """The text with clang's words for all that was read."""
        placed = sorted(self.result.placed, key=lambda p: p.at)
        _check_together(placed)
        text, parts, last = self.result.text, [], 0
        gone = [(begin, end, "") for begin, end in self._blank]
        words = [(p.at, p.at, p.directive.in_clangs_words() + " ") for p in placed]
        for begin, end, instead in sorted(gone + words, key=lambda part: part[:2]):
            parts += [text[last:begin], instead]
            last = max(last, end)
        self.result.text = "".join([*parts, text[last:]])
        self.result.placed = placed
        return self.result

    def read(self, pragma: re.Match[str]) -> None:
        """A pragma of the C; those that are no directives stay."""
        name, words, at = pragma[1], pragma[2].strip(), pragma.start()
        spelling = spelling_called(name)
        if spelling is None:
            return
        self._blank.append(pragma.span())
        found = spelling.read(words, f"#pragma {name} {words}", self.scopes.place(at))
        self.result.notes += found.notes
        if found.partition is not None:
            self._split(found.partition, at)
        if found.directive is not None and spelling.stands_before:
            self._put(found.directive, at, self.scopes.next_code(pragma.end()))
        elif found.directive is not None:
            self._carry(found.directive, at)

    def _put(self, directive: Directive, at: int, about: int) -> None:
        scopes = self.scopes
        if directive.refined == LOOP and not scopes.is_loop(about):
            raise user_error(
                "pragma",
                f"`{directive.shown}` stands before no loop",
                directive.place,
                "move it to the line before the loop",
            )
        if directive.subject == FUNCTION:
            opening = scopes.code.find("{", about)
            inside = scopes.function_around(opening + 1) if opening >= 0 else None
        else:
            inside = scopes.function_around(about)
        name = inside.name if inside else ""
        self.result.placed.append(Placed(directive, at, about, scopes.place(about), name))

    # -- directives that stand in what they are about ---------------------------------------------

    def _carry(self, directive: Directive, at: int) -> None:
        """A directive to the loop or the function in whose body it stands."""
        around = list(self.scopes.around(at))
        if directive.subject == FUNCTION:
            around = [scope for scope in around if scope.kind == FUNCTION]
        scope = around[0] if around else None
        if scope is not None and scope.kind == directive.subject:
            self._put(directive, scope.begin, scope.begin)
        elif scope is not None and scope.kind == FUNCTION and directive.name in _OF_LOOPS:
            reason = _OF_LOOPS[directive.name].format(scope.name)
            self.result.notes.append(no_effect(directive.shown, directive.place, reason))
        else:
            raise user_error(
                "pragma",
                f"`{directive.shown}` stands in the body of no {directive.subject}",
                directive.place,
                f"put it behind the opening brace of the {directive.subject}",
            )

    def _split(self, wanted: Partition, at: int) -> None:
        """An `array_partition` to the declaration of its array."""
        directive = wanted.directive
        array = self.scopes.array(directive.array, at)
        if array is None and self._is_argument(directive.array, at):
            array = NO_LOCAL
        if array is None:
            raise user_error(
                "pragma",
                f"`{directive.shown}`: no array `{directive.array}` is declared before it",
                directive.place,
                "put it behind the array's declaration",
            )
        banks, told = wanted.banks(array.sizes)
        if not array.local:
            banks, told = None, "only local arrays are split; ports of others follow from accesses"
        if told and banks is None:
            self.result.notes.append(no_effect(directive.shown, directive.place, told))
        elif told:
            text = f"`{directive.shown}` is not quite what it says: {told}"
            self.result.notes.append(Diagnostic("pragma", text, directive.place, severity="note"))
        if banks is not None:
            self._put(replace(directive, number=banks), array.begin, array.begin)

    def _is_argument(self, name: str, at: int) -> bool:
        """Whether a name is among the parameters of the function around an offset."""
        inside = self.scopes.function_around(at)
        head = self.scopes.code[inside.begin : inside.opening] if inside else ""
        return re.search(rf"\b{name}\b", head) is not None

    # -- directives that are not in the C ---------------------------------------------------------

    def follow(self, row: Asked) -> None:
        """A directive from outside. Raises UserError where it may be about several things."""
        found = self._meant(row)
        if not found:
            return
        self.result.followed.add(row)
        if row.directive is None:  # read_claims follows it
            return
        if len(found) > 1:
            lines = ", ".join(str(self.scopes.place(at)) for at in found)
            cure = "name the one that is meant by `FILE:LINE` or `FUNCTION/LABEL`"
            text = f"`{row.at}` may be any of these: {lines}"
            raise user_error("pragma", text, row.place, cure)
        self._put(row.directive, found[0], found[0])

    def _meant(self, row: Asked) -> list[int]:
        """Where that begins which a row is about."""
        directive = row.directive
        subject = FUNCTION if directive is None else directive.subject
        if subject == ARRAY:
            assert directive is not None
            return self._arrays(row, directive.array)
        if subject == LOOP:
            return [at for at in self._loops(row) if self._is_in(row, at)]
        if row.line is None:
            return [scope.begin for scope in self.scopes.functions(row.names[1])]
        return []

    def _loops(self, row: Asked) -> Iterator[int]:
        if row.line is None:
            return self.scopes.labelled(row.names[1])
        return self.scopes.loops()

    def _is_in(self, row: Asked, at: int) -> bool:
        """Whether an offset is in the line, or in the function, that a row names."""
        if row.line is not None:
            file, line = row.line
            place = self.scopes.place(at)
            return place.line == line and names_file(file, place.file)
        function = self.scopes.function_around(at)
        return not row.names[0] or (function is not None and function.name == row.names[0])

    def _arrays(self, row: Asked, name: str) -> list[int]:
        functions = list(self.scopes.functions(row.names[1])) if row.line is None else []
        found = []
        for match in re.finditer(rf"\b{name}(?=\s*\[)", self.scopes.code):
            array = self.scopes.array(name, match.end() + 1)
            if array is None or not array.local or not array.begin <= match.start():
                continue
            in_function = any(f.opening < match.start() < f.closing for f in functions)
            if in_function or (row.line is not None and self._is_in(row, match.start())):
                found.append(array.begin)
        return list(dict.fromkeys(found))


def _check_together(placed: list[Placed]) -> None:
    """Raises UserError for two directives about one loop, function or array that contradict each
    other, or say the same."""
    for i, one in enumerate(placed):
        for other in placed[:i]:
            if one.about == other.about and one.directive.contradicts(other.directive):
                first, second = _in_order(other.directive, one.directive)
                raise user_error(
                    "pragma",
                    f"`{second.shown}` and `{first.shown}` are about one {second.subject}",
                    second.place,
                    "leave one of them out",
                )


def _in_order(one: Directive, other: Directive) -> tuple[Directive, Directive]:
    """By their lines where they are in one file."""
    is_later = one.place.file == other.place.file and one.place.line > other.place.line
    return (other, one) if is_later else (one, other)


def line_marker(file: str) -> str:
    """What tells clang the name of the file whose text follows."""
    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n'
