# SPDX-License-Identifier: Apache-2.0
"""C files as they are: where loops and functions begin in them, and which loop of a kernel stands
where."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path

from tandem.compiler.point import Spot
from tandem.frontend.directives.scopes import Scopes
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId, file_of

LOSSLESS = "utf-8", "surrogateescape"
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:.*\\\r?\n)*.*$", re.M)
_VISIBLE = re.compile(r"[^\r\n]")


@dataclass(frozen=True)
class Insertion:
    """Lines in front of what begins at an offset of a file."""

    path: Path
    at: int
    text: str


class Source:
    """A C file as it is, and where in it functions and loops begin."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_bytes().decode(*LOSSLESS)
        self.newline = "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def scopes(self) -> Scopes:
        plain = _PREPROCESSOR.sub(lambda m: _VISIBLE.sub(" ", m[0]), self.text)
        return Scopes(plain)

    def function(self, name: str) -> int | None:
        """The offset of a function's declaration; None where none is defined here."""
        found = next(self.scopes.functions(name), None)
        return None if found is None else found.begin

    @cached_property
    def loops(self) -> dict[Spot, int]:
        """Where loops begin, and the offsets of these."""
        return {self._spot(at): at for at in self.scopes.loops()}

    def loop_at(self, spot: Spot) -> int | None:
        """The offset of a loop; None where none begins there, as of one that a macro makes."""
        return self.loops.get(spot)

    def loop_of(self, spot: Spot) -> Spot | None:
        """Where the last loop begins before a place."""
        return max((s for s in self.loops if s <= spot), default=None)

    def _spot(self, at: int) -> Spot:
        begin = self.text.rfind("\n", 0, at) + 1
        column = len(self.text[begin:at].encode(*LOSSLESS)) + 1
        return Spot(self.path.name, self.text.count("\n", 0, at) + 1, column)

    def in_front(self, at: int, words: str) -> Insertion:
        """The insertion of a line in front of an offset."""
        begin = self.text.rfind("\n", 0, at) + 1
        indent = re.match(r"[ \t]*", self.text[begin:at])
        blank = indent[0] if indent else ""
        if begin + len(blank) == at:
            return Insertion(self.path, begin, f"{blank}{words}{self.newline}")
        return Insertion(self.path, at, f"{self.newline}{blank}{words}{self.newline}{blank}")


class Spots:
    """Where the loops of a kernel stand. What a debugger is told of a loop may be a place in its
    body: then the loop before that is meant, if no other loop of the kernel is that one."""

    def __init__(self, kernel: Kernel) -> None:
        self.file = kernel.source
        raw = {self._raw(loop): loop for loop in kernel.loops}
        self._spots = {spot: self._begin(spot, loop, raw) for spot, loop in raw.items()}

    def of(self, loop: LoopId) -> Spot:
        """That of a loop."""
        raw = self._raw(loop)
        return self._spots.get(raw, raw)

    def of_all(self, loops: Collection[LoopId]) -> set[Spot]:
        """Those of some."""
        return {self.of(loop) for loop in loops if loop != NO_LOOP}

    def is_told(self, spot: Spot) -> bool:
        """Whether a debugger is told of the place itself: elsewhere LLVM has made another branch
        lead back, and has not carried there what directives have said."""
        return spot in self._spots

    @property
    def all(self) -> set[Spot]:
        return set(self._spots.values())

    def _raw(self, loop: LoopId) -> Spot:
        return Spot(Path(file_of(loop.line, self.file)).name, int(loop.line), loop.column)

    def _begin(self, spot: Spot, loop: LoopId, others: Collection[Spot]) -> Spot:
        path = Path(file_of(loop.line, self.file))
        source = Source(path) if path.is_file() else None
        if source is None or spot in source.loops:
            return spot
        begin = source.loop_of(spot)
        return spot if begin is None or begin in others else begin


def lines_of(text: str) -> list[str]:
    """Its lines with their ends, as `patch` counts them."""
    return list(StringIO(text, newline="\n"))
