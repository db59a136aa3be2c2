# SPDX-License-Identifier: Apache-2.0
"""`#pragma tandem`: directives on loops, functions and arrays, carried through clang to what they
stand before.

    #pragma tandem pipeline            pipeline the next loop as tightly as it goes
    #pragma tandem pipeline ii(2)      ... and start one at least every 2 cycles, or say why not
    #pragma tandem pipeline off        ... or start an iteration when the one before has ended
    #pragma tandem unroll              make a copy of the next loop's body for each iteration
    #pragma tandem unroll(4)           ... or 4 of them for an iteration
    #pragma tandem unroll off          ... or none, however few iterations there are
    #pragma tandem inline              the next function is part of each of its callers
    #pragma tandem inline off          ... or apart, one for all of its calls
    #pragma tandem partition(a, 4)     the local array a, declared next, as four memories
    #pragma tandem partition(a)        ... or one for each element

Clang has loop directives and attributes of its own; it keeps them through every optimisation. So
ours are rewritten to such before clang reads the file: of the loop directives to two that nobody
else reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tandem.diagnostics import Diagnostic, Place, UserError, user_error
from tandem.frontend.comments import blanked
from tandem.frontend.partitions import ANNOTATION, MOST_BANKS

BEST_II = 1 << 20
"""What stands for 'as tightly as it goes' in clang's directive, which wants a number."""
NO_II = BEST_II + 1
"""What stands there for 'not at all'."""

WHOLLY = 1 << 20
"""What stands for that in clang's directive for interleaving, which only the vectoriser reads: the
ones for unrolling clang would act on itself. A number of copies is added to it."""
MOST_COPIES = 4096

LOOP, FUNCTION, ARRAY = "loop", "function", "local array"

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+tandem\b(.*)$", re.M)
_FORM = re.compile(r"(pipeline|unroll|inline)(?:\s+(off)|\s*(ii)?\s*\(\s*(\d+)\s*\))?$")
_PARTITION = re.compile(r"partition\s*\(\s*(\w+)\s*(?:,\s*(\d+)\s*)?\)$")
_KNOWN = (
    "known: `pipeline`, `pipeline ii(N)` with N >= 1, `pipeline off`, `unroll`, `unroll(N)` with N "
    f"from 1 to {MOST_COPIES}, `unroll off`, `inline`, `inline off`, `partition(ARRAY)`, "
    f"`partition(ARRAY, N)` with N a power of two up to {MOST_BANKS}, `extent(ARGUMENT, BYTES)`"
)
_NOT_BEFORE = re.compile(r"expected (a for, while, or do-while loop|statement)\b")
"""What clang says behind a directive at which it does not find what it is for."""


@dataclass(frozen=True)
class _Directive:
    """`words` between which characters of a file; `number`: its N, 0 without one. `array`: what it
    names."""

    words: str
    name: str
    off: bool
    number: int
    begin: int
    end: int
    line: int
    array: str = ""

    @property
    def subject(self) -> str:
        """What it stands before."""
        return {"inline": FUNCTION, "partition": ARRAY}.get(self.name, LOOP)

    @property
    def leaves_no_loop(self) -> bool:
        return self.name == "unroll" and not (self.off or self.number)

    def rewritten(self) -> str:
        """The directive in clang's spelling."""
        if self.name == "inline":
            return _attribute(f"{'noinline' if self.off else 'always_inline'}, no_split_stack")
        if self.name == "partition":
            return _attribute(f'annotate("{ANNOTATION} {self.array} {self.number}"), uninitialized')
        if self.name == "unroll":
            return f"#pragma clang loop interleave_count({WHOLLY + (self.number or self.off)})"
        wanted = NO_II if self.off else self.number or BEST_II
        return f"#pragma clang loop pipeline_initiation_interval({wanted})"


def rewrite_pragmas(text: str, file: str) -> str:
    """The C text with Tandem's pragmas in clang's spelling; lines keep their numbers.

    Raises UserError for a pragma that is not known, and for two that contradict each other."""
    parts, done = [], 0
    directives = list(_directives(text, file))
    _check_together(text, directives, file)
    for directive in directives:
        parts += [text[done : directive.begin], directive.rewritten()]
        done = directive.end
    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n' + "".join(parts) + text[done:]


def has_pragmas(text: str) -> bool:
    """Whether there is anything to rewrite in a C text."""
    return _PRAGMA.search(text) is not None and _PRAGMA.search(blanked(text)) is not None


def without_clangs_words(error: UserError, text: str, file: str) -> UserError:
    """Clang's errors about a file in which a directive stands before nothing that it is for, told
    of the directive."""
    directives = list(_directives(text, file))
    found = (_told(d, text, file, directives) for d in error.diagnostics)
    return UserError(*dict.fromkeys(found))


def _directives(text: str, file: str) -> Iterator[_Directive]:
    """Those that clang is told of; `extent` is read by `annotations.read_claims`."""
    for match in _PRAGMA.finditer(blanked(text)):
        words = match[1].strip()
        if words.startswith("extent"):
            continue
        line = text.count("\n", 0, match.start()) + 1
        at = match.start(), match.end(), line
        partition = _PARTITION.match(words)
        if partition and _is_good_count(partition[2]):
            array, number = partition.groups()
            yield _Directive(words, "partition", False, int(number or 0), *at, array)
            continue
        found = _FORM.match(words)
        if not found or not _has_good_number(found):
            message = f"unknown directive `#pragma tandem {words}`"
            raise user_error("pragma", message, Place(file, line), _KNOWN)
        name, off, _, number = found.groups()
        yield _Directive(words, name, bool(off), int(number or 0), *at)


def _has_good_number(form: re.Match[str]) -> bool:
    name, _, ii, number = form.groups()
    if number is None:
        return True
    if (name, ii) not in (("pipeline", "ii"), ("unroll", None)):
        return False
    return 1 <= int(number) <= (MOST_COPIES if name == "unroll" else WHOLLY - 1)


def _is_good_count(banks: str | None) -> bool:
    """Whether an array can be so many memories; without a number, one for each element."""
    count = int(banks or 2)
    return 2 <= count <= MOST_BANKS and count & (count - 1) == 0


def _check_together(text: str, directives: list[_Directive], file: str) -> None:
    """Raises UserError for two directives before one loop or function that contradict each other,
    or say the same."""
    group: list[_Directive] = []
    for directive in directives:
        if group and not _is_blank(text[group[-1].end : directive.begin]):
            group = []
        for other in group:
            if _contradict(other, directive):
                raise user_error(
                    "pragma",
                    f"`{directive.words}` and `{other.words}` before one {other.subject}",
                    Place(file, directive.line),
                    "leave one of them out",
                )
        group.append(directive)


def _contradict(one: _Directive, other: _Directive) -> bool:
    if one.name == other.name:
        return one.array == other.array
    return one.subject == other.subject and (one.leaves_no_loop or other.leaves_no_loop)


def _is_blank(text: str) -> bool:
    return not blanked(text).strip()


def _attribute(names: str) -> str:
    """Attributes of what is declared next. Before anything else they are an error of clang's: the
    second one is there for nothing but to stand before no statement, and before no table; and what
    clang only ignores elsewhere it does not ignore here."""
    ignored = r'_Pragma("clang diagnostic error \"-Wignored-attributes\"")'
    return (
        f'_Pragma("clang diagnostic push") {ignored} __attribute__(({names})) '
        '_Pragma("clang diagnostic pop")'
    )


def _told(found: Diagnostic, text: str, file: str, directives: list[_Directive]) -> Diagnostic:
    place = found.place
    if place is None or place.file != file or found.code != "c":
        return found
    guilty = next((d for d in directives if d.line == place.line), None)
    if guilty is None and _NOT_BEFORE.match(found.message):
        guilty = _last_before(text, place.line, directives)
    if guilty is None:
        return found
    return Diagnostic(
        "pragma",
        f"`#pragma tandem {guilty.words}` stands before no {guilty.subject}",
        Place(file, guilty.line),
        f"move it to the line before the {guilty.subject}",
    )


def _last_before(text: str, line: int, directives: list[_Directive]) -> _Directive | None:
    """The directive with nothing between it and a line."""
    start = sum(len(whole) for whole in text.splitlines(keepends=True)[: line - 1])
    before = [d for d in directives if d.end <= start]
    return before[-1] if before and _is_blank(text[before[-1].end : start]) else None
