# SPDX-License-Identifier: Apache-2.0
"""What an engineer would write for each refinement: a directive in front of the loop or the
function that it is about, as unified diffs that `patch -p1` takes in the folder of the C file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import cached_property
from pathlib import Path

from tandem.compiler.point import Point, Refinement
from tandem.compiler.source import Insertion, Source, lines_of
from tandem.ir.kernel import Kernel
from tandem.ir.lines import file_of
from tandem.languages.known import language_of
from tandem.passes.refinements import APART, FUNCTION, KERNEL, TABLE


@dataclass
class Edits:
    """The edits of a kernel's points. `files`: those of the program, the kernel's own first;
    `plainly`: refinements that a directive of an older name asks for as well."""

    kernel: Kernel
    files: Sequence[Path]
    plainly: Collection[Refinement] = ()

    @cached_property
    def folder(self) -> Path:
        """In which the diffs are to be applied."""
        return Path(os.path.abspath(self.kernel.source)).parent

    def step(self, before: Point, taken: Sequence[Refinement]) -> str | None:
        """The diff of a step; None where a loop stands in no text of its own."""
        new = [self._insertion(r) for r in taken]
        if any(insertion is None for insertion in new):
            return None
        old = [i for r in before.refinements if (i := self._insertion(r)) is not None]
        every = [*old, *(i for i in new if i is not None)]
        paths = sorted({i.path for i in new if i is not None})
        return "".join(self._diff(path, old, every) for path in paths)

    def words(self, one: Refinement) -> str:
        """The directive that asks for a refinement."""
        if one.kind == APART:
            return self._directive("inline off")
        if one in self.plainly:
            return self._directive(one.kind)
        more = one.name or (str(one.count) if one.row.counts else "")
        return self._directive(f"refine({', '.join(filter(None, (one.kind, more)))})")

    def _directive(self, words: str) -> str:
        return language_of(Path(self.kernel.source)).directive(words)

    @cached_property
    def _sources(self) -> dict[Path, Source]:
        loops = (Path(file_of(loop.line, self.kernel.source)) for loop in self.kernel.loops)
        paths = dict.fromkeys([Path(self.kernel.source), *self.files, *loops])
        return {path: Source(path) for path in paths if path.is_file()}

    def _insertion(self, one: Refinement) -> Insertion | None:
        return next(self._insertions(one), None)

    def _insertions(self, one: Refinement) -> Iterator[Insertion]:
        for path, source in self._sources.items():
            if one.row.about in (KERNEL, TABLE):
                at = source.function(self.kernel.name)
            elif one.row.about == FUNCTION:
                at = source.function(one.name)
            else:
                spot = one.spot
                is_here = spot is not None and spot.file == path.name
                at = source.loop_at(spot) if spot and is_here else None
            if at is not None:
                yield source.in_front(at, self.words(one))

    def _diff(self, path: Path, old: Sequence[Insertion], new: Sequence[Insertion]) -> str:
        text = self._sources[path].text
        name = Path(os.path.relpath(os.path.abspath(path), self.folder)).as_posix()
        versions = (_with(text, [i for i in rows if i.path == path]) for rows in (old, new))
        before, after = (lines_of(version) for version in versions)
        return "".join(_whole(unified_diff(before, after, f"a/{name}", f"b/{name}")))


def _with(text: str, insertions: Sequence[Insertion]) -> str:
    """A text with the insertions; of several in one place in their order."""
    for at in sorted({i.at for i in insertions}, reverse=True):
        here = [i.text for i in insertions if i.at == at]
        text = text[:at] + _in_one_place(here) + text[at:]
    return text


def _in_one_place(texts: Sequence[str]) -> str:
    """Lines in front of one thing; a line that they break is broken once."""
    first, *others = texts
    breaks = first[0] in "\r\n"
    return first + "".join(text.lstrip() if breaks else text for text in others)


def _whole(lines: Iterator[str]) -> Iterator[str]:
    """Lines of a diff, of which the last one of a file may have no end."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
