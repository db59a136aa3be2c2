# SPDX-License-Identifier: Apache-2.0
"""A long function of LLVM IR as many short ones.

CIRCT's model of a kernel is one function, however large the kernel: LLVM's passes look through all
of a block for each of its instructions, so that clang takes minutes for what it does in seconds in
parts. A part is a run of lines that control enters at its first and leaves at its last; in its
place it is called. What one part computes and another one uses goes through memory.

Requires: control only goes forward, as in what CIRCT writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST_LINES = 4_000
"""A function of fewer stays whole."""
PART_LINES = 500

_FUNCTION = r"^define void @{name}\(ptr %0\) \{{\n(.*?)^\}}\n"
_NUMBER = re.compile(r"%(\d+)")
_LABEL = re.compile(r"^(\d+):.*")
_NAMED = re.compile(r"^(v\d+):$")
_VALUE = re.compile(r"%(v\d+)")
_MADE = re.compile(r"^ +%(v\d+) = (\w+) (.*)")
_TARGET = re.compile(r"label %(v\d+)")
_STATE, _ENTRY = "v0", "v1"
_CALL = "  ; part "
_PLACE = re.compile(rf"getelementptr i8, ptr %{_STATE}, i32 \d+$")
"""A place in the state is computed where it is used."""
_FLAGS = r"(?:(?:nuw|nsw|exact|disjoint|nneg|samesign) )*"
_TYPES = {
    "load": re.compile(r"([^,]+),"),
    "select": re.compile(r"i1 [^,]+, (\w+) "),
    "call": re.compile(r"(\w+) @"),
    "extractvalue": re.compile(r"\{ ([^{}]*) \} %\w+, (\d+)$"),
    **dict.fromkeys(("zext", "sext", "trunc"), re.compile(rf"{_FLAGS}\w+ [^ ]+ to (\w+)$")),
}
_OPERANDS = re.compile(rf"{_FLAGS}(\w+) ")
"""Of all other operations the result is what an operand is."""


def in_parts(llvm_ir: str, name: str) -> str:
    """A module in which a function of one pointer is several, if it is long."""
    found = re.search(_FUNCTION.format(name=re.escape(name)), llvm_ir, re.M | re.S)
    if found is None or found[1].count("\n") < MOST_LINES:
        return llvm_ir
    return f"{llvm_ir[: found.start()]}{_Parts(name, found[1]).text()}{llvm_ir[found.end() :]}"


@dataclass
class _Part:
    """Lines of the function; `first`: the block that they begin in, `last`: that they end in."""

    lines: list[str]
    first: str
    last: str
    made: dict[str, str] = field(default_factory=dict)
    """Each value of it, and the line that makes it."""
    used: set[str] = field(default_factory=set)
    """Values of others."""

    def __post_init__(self) -> None:
        used: set[str] = set()
        for line in self.lines:
            if found := _MADE.match(line):
                self.made[found[1]] = line
            used.update(_VALUE.findall(line))
        self.used = used - self.made.keys() - {_STATE}


class _Parts:
    """Of one function: those that become functions, and the rest, which calls them."""

    def __init__(self, name: str, body: str) -> None:
        self.name = name
        self.parts: list[_Part] = []
        rest = self._cut(_with_names(body))
        self.rest = _Part(rest, "", "")
        self.begun_as: dict[str, str] = {}
        """Blocks that begin in a part and end in the rest, and what begins there in their place."""
        for part in self.parts:
            if part.last != part.first:
                self.begun_as[part.last] = self.begun_as.get(part.first, part.first)
        self.lines_of = {v: m for part in [self.rest, *self.parts] for v, m in part.made.items()}
        uses = [part.used & self.lines_of.keys() for part in [self.rest, *self.parts]]
        crossing = {v for used in uses for v in used if not self._is_place(v)}
        self.offsets, self.bytes = _layout({v: _type(self.lines_of[v]) for v in crossing})

    def _is_place(self, value: str) -> bool:
        return _PLACE.search(self.lines_of[value]) is not None

    def _cut(self, lines: Iterable[str]) -> list[str]:
        """Takes parts out of the lines; returns what is left, with a line for each of them. Between
        two places that as many ways lead past, control comes in at the first and out at the last.
        """
        begun: dict[frozenset[str], tuple[int, str]] = {}
        ahead: frozenset[str] = frozenset()
        rest: list[str] = []
        block = _ENTRY
        for line in lines:
            if found := _NAMED.match(line):
                block = found[1]
                ahead -= {block}
            elif _may_begin(line):
                start, first = begun.setdefault(ahead, (len(rest), block))
                if len(rest) - start >= PART_LINES:
                    self.parts.append(_Part(rest[start:], first, block))
                    rest[start:] = [f"{_CALL}{len(self.parts) - 1}"]
                    begun = {ahead: (len(rest), block)}
                ahead |= frozenset(_TARGET.findall(line))
            rest.append(line)
        return rest

    def text(self) -> str:
        made = [self._function(i, part) for i, part in enumerate(self.parts)]
        return "".join([*made, self._whole()])

    def _function(self, number: int, part: _Part) -> str:
        lines = [f"{part.first}:", *self._brought(part.used), *part.lines]
        lines += self._left(part.made)
        parameters = f"ptr %{_STATE}, ptr noalias %between"
        head = f"define internal void @{self.name}_{number}({parameters}) noinline {{"
        return "\n".join([head, *lines, "  ret void", "}", ""])

    def _whole(self) -> str:
        lines = [f"{_ENTRY}:", f"  %between = alloca [{self.bytes} x i8], align 16"]
        made: list[str] = []
        for line in self.rest.lines:
            if _is_phi(line):
                lines.append(self._renamed(line))
            else:
                lines += self._left(made)
                made = []
                lines += self._called(line) if line.startswith(_CALL) else [line]
            made += [found[1]] if (found := _MADE.match(line)) else []
        head = f"define void @{self.name}(ptr %{_STATE}) {{"
        return "\n".join([head, *lines, "}", ""])

    def _called(self, line: str) -> list[str]:
        number = int(line.removeprefix(_CALL))
        call = f"  call void @{self.name}_{number}(ptr %{_STATE}, ptr %between)"
        made = self.parts[number].made
        return [call, *self._brought(v for v in made if v in self.rest.used)]

    def _brought(self, values: Iterable[str]) -> list[str]:
        """Lines that get values of others."""
        lines: list[str] = []
        for value in values:
            if value not in self.lines_of:  # a block's name
                continue
            if self._is_place(value):
                lines.append(self.lines_of[value])
                continue
            kind, place = _type(self.lines_of[value]), f"%between_{value}"
            lines += [self._place(value), f"  %{value} = load {kind}, ptr {place}"]
        return lines

    def _left(self, values: Iterable[str]) -> list[str]:
        """Lines that leave values to others."""
        lines: list[str] = []
        for value in values:
            if value in self.offsets:
                kind, place = _type(self.lines_of[value]), f"%between_{value}"
                lines += [self._place(value), f"  store {kind} %{value}, ptr {place}"]
        return lines

    def _place(self, value: str) -> str:
        offset = self.offsets[value]
        return f"  %between_{value} = getelementptr i8, ptr %between, i32 {offset}"

    def _renamed(self, phi: str) -> str:
        """With the blocks as they are in the rest."""
        return _VALUE.sub(lambda m: f"%{self.begun_as.get(m[1], m[1])}", phi)


def _with_names(body: str) -> list[str]:
    """Lines in which values and blocks have names: numbers would have to be without gaps."""
    named = _NUMBER.sub(r"%v\1", body)
    return [_LABEL.sub(r"v\1:", line) for line in named.split("\n") if line]


def _may_begin(line: str) -> bool:
    """Whether a part may begin with a line: what a call gives that gives several values stays
    beside it."""
    return not _is_phi(line) and " = extractvalue " not in line


def _is_phi(line: str) -> bool:
    return " = phi " in line


def _type(line: str) -> str:
    """What a line's value is."""
    found = _MADE.match(line)
    assert found is not None
    kind = found[2]
    if kind in ("getelementptr", "icmp"):
        return "ptr" if kind == "getelementptr" else "i1"
    told = _TYPES.get(kind, _OPERANDS).match(found[3])
    assert told is not None, line
    return told[1].split(", ")[int(told[2])] if kind == "extractvalue" else told[1]


def _layout(types: dict[str, str]) -> tuple[dict[str, int], int]:
    """Where each value is between the parts, the largest first, and how many bytes all take."""
    offsets: dict[str, int] = {}
    end = 0
    sizes = {value: _bytes(kind) for value, kind in types.items()}
    for value in sorted(types, key=lambda v: (-sizes[v], int(v[1:]))):
        offsets[value] = end
        end += sizes[value]
    return offsets, max(end, 1)


def _bytes(kind: str) -> int:
    """As many as a number takes, a power of two."""
    bits = 64 if kind == "ptr" else int(kind[1:])
    return 1 << max(0, (bits - 1).bit_length() - 3)
