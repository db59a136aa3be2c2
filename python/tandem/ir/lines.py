# SPDX-License-Identifier: Apache-2.0
"""Lines of the C in a kernel. Those of the file that defines it are plain numbers; a line of
another file, out of which a function was taken in, knows that file. Generated C and the text of the
IR take the number, `{line:d}`."""

from __future__ import annotations

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
