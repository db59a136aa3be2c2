# SPDX-License-Identifier: Apache-2.0
"""Which loads of a nest of three loops read what an earlier iteration of the outermost one has
read: in its plane, where another load, the lead, has been so many planes before, or a row further.

All that is compared are numbers: how often the loops run, and by how much indices grow with each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tandem import policy
from tandem.analysis.nests import Nests
from tandem.analysis.readers import made_of
from tandem.analysis.rows import Finder, Place
from tandem.ir.blocks import Block
from tandem.ir.functions import stored_in
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.loops import loop_around, natural_loops
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Constant, Load, Op


@dataclass(frozen=True)
class Kept:
    """A load of the plane that is `planes` before the lead's, at its place or a row `below`."""

    load: Op
    planes: int
    is_below: bool


@dataclass(frozen=True)
class Planes:
    """Headers of the loops over planes and rows, and the loop of one block over columns; how often
    the last two run in each plane; by how much the lead's index grows with an iteration of each."""

    outer: Block
    middle: Block
    inner: Block
    rows: int
    columns: int
    lead: Op
    kept: list[Kept]
    steps: tuple[int, int, int]

    @property
    def most(self) -> int:
        """How many planes are kept."""
        return max(one.planes for one in self.kept)


def find_planes(kernel: Kernel) -> Iterator[Planes]:
    """Every nest in which some load reads what an earlier plane's lead has read, with the lead of
    most such loads."""
    loops = natural_loops(kernel)
    finder = cache(lambda: Finder(kernel))
    for inner in kernel.blocks:
        middle = loop_around(inner, loops) if inner.is_loop and inner.loop != NO_LOOP else None
        outer = loop_around(middle, loops) if middle is not None else None
        if middle is None or outer is None or middle.loop == NO_LOOP or not inner.known_trips:
            continue
        written = stored_in(kernel, loops[outer])
        loads = [op for op in inner.ops if isinstance(op, Load) and op.enable is None]
        names = sorted({op.memory.name for op in loads} - written)
        for memory in (m for m in names if kernel.memories[m].kind is MemoryKind.EXTERNAL):
            alike = [op for op in loads if op.memory.name == memory]
            planes = _planes(finder(), (outer, middle, inner), alike) if len(alike) > 1 else None
            yield from [planes] if planes is not None else ()


def _planes(finder: Finder, nest: tuple[Block, Block, Block], loads: Sequence[Op]) -> Planes | None:
    outer, middle, inner = nest
    rows, planes = (_known_trips(finder.nests, header) for header in (middle, outer))
    columns = inner.known_trips
    if (
        not rows
        or not _runs_always(finder.nests, nest)
        or (rows + 1) * columns > policy.PLANE_ELEMENTS
    ):
        return None
    found = {lead: list(_kept(finder, nest, lead, loads)) for lead in loads}
    lead = max(found, key=lambda load: len(found[load]))
    place = finder.place(lead)
    steps = None if place is None else _steps(place, nest)
    if not found[lead] or steps is None or not _is_counted(finder.kernel, lead):
        return None
    result = Planes(outer, middle, inner, rows, columns, lead, found[lead], steps)
    return result if planes > result.most else None


def _known_trips(nests: Nests, header: Block) -> int:
    loop = nests.loops.get(header)
    is_known = loop is not None and loop.trips is not None and isinstance(loop.trips, Constant)
    return loop.trips.value if loop is not None and loop.trips is not None and is_known else 0


def _runs_always(nests: Nests, nest: tuple[Block, Block, Block]) -> bool:
    """Whether each loop runs in every iteration of the one around it."""
    outer, middle, inner = nest
    return middle in nests.loops[outer].every and inner in nests.loops[middle].every


def _kept(
    finder: Finder, nest: tuple[Block, Block, Block], lead: Op, loads: Sequence[Op]
) -> Iterator[Kept]:
    outer, middle, _ = nest
    for load in loads:
        for is_below in (False, True):
            planes = finder.rows_between(outer, middle, lead, load, int(is_below))
            if load is not lead and planes and planes <= policy.KEPT_PLANES:
                yield Kept(load, planes, is_below)
                break


def _steps(place: Place, nest: tuple[Block, Block, Block]) -> tuple[int, int, int] | None:
    """By how much an index grows with an iteration of each loop, if these are numbers."""
    found = [place.steps.get(header) for header in nest]
    outer, middle, inner = (step.centred() if step and not step.terms else None for step in found)
    if outer is None or middle is None or inner is None:
        return None
    return outer.constant, middle.constant, inner.constant


def _is_counted(kernel: Kernel, lead: Op) -> bool:
    """Whether a lead's index is made of counters and of what does not change, not of data."""
    own = {op for block in kernel.blocks for op in block.ops}
    return all(op.pure for op in made_of([lead.index], own))
