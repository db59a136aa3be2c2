# SPDX-License-Identifier: Apache-2.0
"""Which loads of a nest read what an earlier iteration of the outer loop has read.

In a loop over rows around one over columns, a load may read in its row what another load, its lead,
has read so many rows before, in the same column or in the next one. That is seen in the forms of
their indices: they differ by that many steps of the outer loop, whatever a step is (`y * width + x`
steps by `width`), and by one of the inner loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tandem import policy
from tandem.analysis.affine import AffineLoop
from tandem.analysis.linear import Linear, Sums
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of
from tandem.analysis.readers import made_of
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.functions import stored_in
from tandem.ir.kernel import Kernel
from tandem.ir.loops import loop_around, natural_loops, turning
from tandem.ir.ops import Load, Op, mask


@dataclass(eq=False)
class Lead:
    """A load, and those that read what it has read: how many rows before -> the load. Those of
    `ahead` read the column behind: with each, what its own iteration's column holds then, where
    `scalar-replacement` has kept that."""

    load: Op
    later: dict[int, Op]
    ahead: dict[Op, Op | None] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """How many rows have to be kept."""
        return max(self.later)

    @property
    def gap(self) -> int:
        """How many rows pass, at most, until what one load has read is read by the next."""
        rows = [0, *sorted(self.later)]
        return max(after - before for before, after in pairwise(rows))


@dataclass
class Nest:
    """The header of the loop over rows, and the loop of one block over columns. Its iterations are
    as many in every row."""

    outer: Block
    inner: Block
    leads: list[Lead]

    def in_place(self) -> Nest:
        """The nest without what reads another column."""
        leads = [
            Lead(
                lead.load, {row: load for row, load in lead.later.items() if load not in lead.ahead}
            )
            for lead in self.leads
        ]
        return Nest(self.outer, self.inner, [lead for lead in leads if lead.later])

    @property
    def later(self) -> list[Op]:
        """All loads of what has been read before."""
        return [load for lead in self.leads for load in lead.later.values()]


def find_nests(kernel: Kernel) -> list[Nest]:
    """Every nest in which some load reads what an earlier row's lead has read."""
    loops = natural_loops(kernel)
    finder: Finder | None = None
    found: list[Nest] = []
    for inner in kernel.blocks:
        outer = _rows_around(inner, loops)
        if outer is None:
            continue
        groups = list(_loads_alike(inner, stored_in(kernel, loops[outer])))
        if not groups:
            continue
        finder = finder or Finder(kernel)
        leads = [lead for loads in groups for lead in finder.leads(outer, inner, loads)]
        if leads:
            found.append(Nest(outer, inner, leads))
    return found


def _rows_around(inner: Block, loops: dict[Block, set[Block]]) -> Block | None:
    """The header of the loop over rows, around a counted one of one block."""
    if not inner.is_loop or inner.trip_count is None or len(loops[inner]) > 1:
        return None
    return loop_around(inner, turning(loops))


def _loads_alike(inner: Block, written: set[str]) -> Iterator[Sequence[Op]]:
    """The loads that every iteration makes of one memory, where there are several and the nest
    does not write it."""
    loads = [op for op in inner.ops if isinstance(op, Load) and op.enable is None]
    for memory in dict.fromkeys(op.memory.name for op in loads):
        alike = [op for op in loads if op.memory.name == memory]
        if memory not in written and len(alike) > 1:
            yield alike


@dataclass
class Place:
    """Where a load is: base + sum(steps[loop] * iteration), modulo 2^width, as sums of what the
    call tells."""

    base: Linear
    steps: dict[Block, Linear]


class Finder:
    """Compares where loads of a kernel are."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.builder = Builder(kernel, Block("rows"))  # what is made there is no part of the kernel
        ranges = ranges_of(kernel)
        self.nests = Nests(kernel, self.builder, ranges)
        self.sums = Sums(ranges)

    def leads(self, outer: Block, inner: Block, loads: Sequence[Op]) -> list[Lead]:
        """The loads of one memory whose values are read again, each with those that do."""
        if outer not in self.nests.loops or inner not in self.nests.loops:
            return []
        if not self._same_in_every_row(outer, inner):
            return []
        pairs = [(a, b) for a in loads for b in loads if a is not b]
        rows = {pair: n for pair in pairs if (n := self.rows_between(outer, inner, *pair, 0))}
        first = [load for load in loads if not any(b is load for _, b in rows)]
        found = {load: Lead(load, {}) for load in first}
        for load in loads:
            ways = [(count, a) for (a, b), count in rows.items() if b is load and a in found]
            if ways:
                count, lead = max(ways, key=lambda way: way[0])
                found[lead].later[count] = load
        for load in first:
            if not found[load].later:
                self._put_ahead(outer, inner, load, found)
        return [lead for lead in found.values() if lead.later]

    def _put_ahead(self, outer: Block, inner: Block, load: Op, found: dict[Op, Lead]) -> None:
        """Puts a load that reads a column further than a lead has with that lead, if there is one
        that no other load is so far behind."""
        here = _kept_of(inner, load)
        for lead in found.values():
            count = self.rows_between(outer, inner, lead.load, load, 1)
            is_last = count is not None and count >= max(lead.later, default=0)
            is_kept = here is not None or is_last
            if count and count not in lead.later and is_kept and _counts(inner, load):
                lead.later[count] = load
                lead.ahead[load] = here
                return

    def _same_in_every_row(self, outer: Block, inner: Block) -> bool:
        """Whether the inner loop has as many iterations whichever the outer one's is."""
        assert inner.trip_count is not None
        form = self.nests.form(inner.trip_count)
        return form is not None and not form.narrow and outer not in form.steps

    def rows_between(
        self, outer: Block, inner: Block, lead: Op, load: Op, ahead: int
    ) -> int | None:
        """After how many iterations of the outer loop `load` is where `lead` was, in every
        iteration of an inner one, or is so many of these later; None for never."""
        a, b = self.place(lead), self.place(load)
        if a is None or b is None or a.base.width != b.base.width:
            return None
        nothing = Linear(a.base.width)
        if any(
            not _equal(a.steps.get(h, nothing), b.steps.get(h, nothing)) for h in a.steps | b.steps
        ):
            return None
        step, gap = a.steps.get(outer, nothing), a.base.plus(b.base, -1)
        gap = gap.plus(a.steps.get(inner, nothing), ahead)
        if _equal(step, nothing):
            return None
        most = self.nests.most_trips(outer) or policy.KEPT_ROWS + 1
        counts = range(1, min(policy.KEPT_ROWS + 1, most))
        return next((n for n in counts if _equal(gap, step.scaled(n, gap.width))), None)

    def place(self, load: Op) -> Place | None:
        """Where a load is, in the bits of its index that the memory looks at; None where that has
        no form."""
        form = self.nests.form(load.index)
        width = min(load.index.width, self.kernel.index_bits(load))
        if form is None or 0 < form.narrow < width:
            return None
        base = self._sum(form.base, width)
        steps = {header: self._sum(step, width) for header, step in form.steps.items()}
        return Place(base, steps)

    def _sum(self, op: Op, width: int) -> Linear:
        """The low bits of a value as a sum of values of no more bits, so that two that are made
        differently, or are extended to differently many bits, are seen to be one."""
        form = self.sums.form(op) or Linear(op.width, terms={op: 1})
        total = Linear(width, form.constant)
        for term, factor in form.terms.items():
            low = self.builder.extract(term, 0, width) if term.width > width else term
            part = self.sums.form(low) if low.width == width else None
            total = total.plus(part or Linear(width, terms={low: 1}), factor)
        return total


def _counts(inner: Block, load: Op) -> bool:
    """Whether all that moves in a load's index steps by a number in each iteration."""
    steps = AffineLoop(inner, [None] * len(inner.parameters)).increments
    needed = made_of([load.index], {*inner.parameters, *inner.ops})
    return all(op.pure for op in needed if op not in steps) and all(
        steps[parameter] is not None for parameter in inner.parameters if parameter in needed
    )


def _kept_of(inner: Block, load: Op) -> Op | None:
    """The parameter of a loop that is what a load has read an iteration before."""
    following = inner.back_edge.given
    return next((parameter for parameter, value in following.items() if value is load), None)


def _equal(a: Linear, b: Linear) -> bool:
    rest = a.plus(b, -1)
    return not any(n & mask(a.width) for n in (rest.constant, *rest.terms.values()))
