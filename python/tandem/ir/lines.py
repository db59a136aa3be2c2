# SPDX-License-Identifier: Apache-2.0
"""Lines of the C in a kernel, and its loops. Lines of the file that defines it are plain numbers; a
line of another file, out of which a function was taken in, knows that file. Generated C and the
text of the IR take the number, `{line:d}`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import total_ordering
from pathlib import Path


class Line(int):
    """A line of another file than the kernel's own. As text it names the file, as a number (`:d`,
    JSON) it does not; lines of different files are different."""

    file: str

    def __new__(cls, number: int, file: str) -> Line:
        line = super().__new__(cls, number)
        line.file = file
        return line

    def __getnewargs__(self) -> tuple[int, str]:
        return int(self), self.file

    def __eq__(self, other: object) -> bool:
        return int.__eq__(self, other) is True and file_of(other, "") == self.file

    def __hash__(self) -> int:
        return hash((int(self), self.file))

    def __str__(self) -> str:
        return f"{int(self)} of {Path(self.file).name}"

    def __format__(self, form: str) -> str:
        return format(int(self), form) if form else str(self)


def line_of(number: int, file: str, own: str) -> int:
    """A line of a file in a kernel whose own file is `own`."""
    return number if file == own else Line(number, file)


def file_of(line: object, own: str) -> str:
    """The file of a line in a kernel whose own file is `own`."""
    return line.file if isinstance(line, Line) else own


@total_ordering
@dataclass(frozen=True)
class LoopId:
    """Which loop of the C one is, whatever has become of it: where it stands, and through which
    calls (their lines and columns, the innermost first) its function was taken in. `ordinal` tells
    those apart that have all of this in common, as loops of one macro; of a loop that was made of
    another one it is negative.

    As text `LINE:COLUMN@LINE:COLUMN#ORDINAL`, without what is 0 or not there."""

    line: int
    column: int = 0
    sites: tuple[tuple[int, int], ...] = ()
    ordinal: int = 0

    @classmethod
    def of(cls, text: str) -> LoopId:
        """The loop of a text. Raises ValueError for one that is not a loop's."""
        found = _LOOP.fullmatch(text)
        if not found:
            raise ValueError(f"not a loop: `{text}`")
        line, column, sites, ordinal = found.groups()
        pairs = (site.split(":") for site in sites.split("@")[1:])
        through = tuple((int(at), int(before)) for at, before in pairs)
        return cls(int(line), int(column or 0), through, int(ordinal or 0))

    def is_copy_of(self, other: LoopId) -> bool:
        """Whether it is what becomes of the other one where its function is part of a caller."""
        own = self.sites[: len(other.sites)]
        return replace(self, sites=own) == other and self.sites != own

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        sites = "".join(f"@{at}:{before}" for at, before in self.sites)
        return f"{self.line:d}{column}{sites}" + (f"#{self.ordinal}" if self.ordinal else "")

    def __lt__(self, other: LoopId) -> bool:
        return self._key < other._key

    @property
    def _key(self) -> tuple[int, str, int, tuple[tuple[int, int], ...], int]:
        """Lines of one number in different files are different, but none of them is less."""
        return int(self.line), file_of(self.line, ""), self.column, self.sites, self.ordinal


LOOP = r"\d+(?::\d+)?(?:@\d+:\d+)*(?:#-?\d+)?"
"""What the text of a loop looks like."""
_LOOP = re.compile(r"(\d+)(?::(\d+))?((?:@\d+:\d+)*)(?:#(-?\d+))?")
NO_LOOP = LoopId(0)
"""Of what is no loop, or one of which nobody knows where it stands."""
