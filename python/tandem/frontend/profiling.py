# SPDX-License-Identifier: Apache-2.0
"""LLVM IR of a program with calls at the beginning and the end of its functions, and of the loops
of these that are in no other: the program tells by itself what it spends its time in.

The calls are there before any optimisation. A function that is watched is never inlined, as one
that is offloaded is not; where that would say little of the program as it is, it can be left
out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tandem.diagnostics import Place
from tandem.frontend.function_lines import Blocks, is_told
from tandem.frontend.linking import OF_HEADERS, c_name, find_definition, read_definitions
from tandem.frontend.symbols import function_text
from tandem.ir.lines import NO_LOOP, LoopId

ENTER, LEAVE = "tandem_profile_enter", "tandem_profile_leave"
_LABELS = re.compile(r'label (%(?:"[^"\n]*"|[-\w.$]+))')
_LOOP = re.compile(r", !llvm\.loop !(\d+)")
_ALWAYS = re.compile(r" alwaysinline\b")
_ATTRIBUTES = re.compile(r"(?: #\d+| comdat| align \d+| personality .*| !dbg !\d+)* \{$")


@dataclass(frozen=True)
class Watched:
    """A function that is watched, or a `loop` of one."""

    function: str
    place: Place
    loop: LoopId = NO_LOOP


def with_watches(
    modules: Sequence[str], left_out: Collection[str] = ()
) -> tuple[list[str], list[Watched]]:
    """The modules with their functions watched, but some, and what is watched in the order of its
    numbers."""
    watched: list[Watched] = []
    return [_of_module(text, watched, left_out) for text in modules], watched


def _of_module(text: str, watched: list[Watched], left_out: Collection[str]) -> str:
    result = text if left_out else _ALWAYS.sub("", text)
    for name, row in read_definitions(text).items():
        is_meant = row.is_function and row.linkage != OF_HEADERS and c_name(name) not in left_out
        if is_meant:
            body = function_text(result, c_name(name))
            if body is not None:
                result = result.replace(body, _of_function(body, c_name(name), text, watched), 1)
    declared = "".join(f"declare void @{name}(i32)\n" for name in (ENTER, LEAVE))
    return f"{result}\n{declared}"


def _of_function(body: str, name: str, text: str, watched: list[Watched]) -> str:
    """The text of a function with the calls in it."""
    number = len(watched)
    place = find_definition(name, [""], text) if " !dbg !" in body.partition("\n")[0] else Place("")
    watched.append(Watched(name, place))
    blocks = Blocks.of(body)
    end = _ATTRIBUTES.search(blocks.head)
    if not blocks.lines or end is None:
        return body
    blocks.head = f"{blocks.head[: end.start()]} noinline{end[0]}"
    for loop in _outer_loops(blocks):
        known = _id_of(text, loop.number)
        if known != NO_LOOP:
            _watch_loop(blocks, loop, len(watched))
            watched.append(Watched(name, place, known))
    _watch_ends(blocks, number)
    return blocks.text()


def _watch_ends(blocks: Blocks, number: int) -> None:
    first = next(iter(blocks.lines.values()))
    first.insert(0, _call(ENTER, number))
    for lines in blocks.lines.values():
        if lines and lines[-1].startswith("  ret "):
            must = len(lines) > 1 and " musttail call " in lines[-2]
            lines.insert(len(lines) - (2 if must else 1), _call(LEAVE, number))


@dataclass(frozen=True)
class _Loop:
    """A loop: the number of what LLVM is told of it, the label of the block that it begins with,
    and those of all its blocks."""

    number: str
    header: str
    body: frozenset[str]


def _outer_loops(blocks: Blocks) -> list[_Loop]:
    """The loops that are in no other."""
    loops = list(_loops(blocks))
    return [one for one in loops if not any(one.body < other.body for other in loops)]


def _loops(blocks: Blocks) -> Iterator[_Loop]:
    places = {label: place for place, label in enumerate(blocks.lines)}
    for latch, lines in blocks.lines.items():
        found = _LOOP.search(lines[-1]) if lines else None
        headers = [t for t in _targets(lines) if places.get(t, len(places)) <= places[latch]]
        if found and headers:
            yield _Loop(found[1], headers[0], frozenset(_body(blocks, headers[0], latch)))


def _body(blocks: Blocks, header: str, latch: str) -> set[str]:
    """The blocks from which the latch is reached without the header."""
    body, left = {header, latch}, [latch]
    while left:
        label = left.pop()
        new = [p for p in blocks.before.get(label, ()) if p not in body and label != header]
        body.update(new)
        left += new
    return body


def _targets(lines: Sequence[str]) -> list[str]:
    """The labels of the blocks that a block's last instruction leads to."""
    return [label[1:] for label in _LABELS.findall(lines[-1])] if lines else []


def _watch_loop(blocks: Blocks, loop: _Loop, number: int) -> None:
    for label in blocks.before[loop.header]:
        lines = blocks.lines.get(label, [])
        if label not in loop.body and len(_targets(lines)) == 1:
            lines.insert(len(lines) - 1, _call(ENTER, number))
    ends = {t for label in loop.body for t in _targets(blocks.lines[label])} - loop.body
    for label in ends:
        lines = blocks.lines[label]
        first = next(i for i, line in enumerate(lines) if not _is_phi(line))
        lines.insert(first, _call(LEAVE, number))


def _is_phi(line: str) -> bool:
    return " = phi " in line or " = landingpad " in line or is_told(line)


def _call(name: str, number: int) -> str:
    return f"  call void @{name}(i32 {number})"


def _id_of(text: str, loop: str) -> LoopId:
    """Where a loop begins, `NO_LOOP` where nobody told it."""
    about = re.search(rf"^!{loop} = distinct !{{!{loop}, !(\d+)", text, re.M)
    place = rf"^!{about[1]} = !DILocation\(line: (\d+)(?:, column: (\d+))?" if about else "$^"
    found = re.search(place, text, re.M)
    return LoopId(int(found[1]), int(found[2] or 0)) if found else NO_LOOP
