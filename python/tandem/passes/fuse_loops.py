# SPDX-License-Identifier: Apache-2.0
"""fuse-loops: loops that follow each other and run as often are one loop.

A function over an array, then another one over what it has left (`dataflow` of Vitis HLS): the
second one's iteration comes right behind the first one's, in one pipeline. Of an array between them
that is read as it was written nothing is left once `scalar-replacement` has seen it.

No iteration of the second loop may touch what a later one of the first one stores, or store what a
later one reads; and it may need nothing that the first one leaves when it ends. Loops with FIFOs
keep their order, for which another process may wait, and those with directives what they were
told.

Requires: count-loops, bind-arguments, narrow-widths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from tandem.analysis.affine import AffineLoop, Distance, dependence_distance
from tandem.analysis.readers import changing, made_of, read_by
from tandem.ir.blocks import Block, Edge, Jump
from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Access, Constant, Op, Store, StreamOp, mask
from tandem.ir.wiring import bits_of, leading_zeros
from tandem.passes.part_sums import SLUG as PART_SUMS
from tandem.passes.part_sums import SUMS
from tandem.passes.preheaders import preheader
from tandem.passes.simplify import substitute, tidy

SLUG = "fuse-loops"
SUMMARY = "make one loop of loops that follow each other and run as often"

_Predecessors = Mapping[Block, list[tuple[Block, Edge]]]


def run(kernel: Kernel) -> bool:
    """Whether any two loops have become one."""
    changed = False
    while _fuse_first(kernel):
        changed = True
    if changed:
        tidy(kernel)
    return changed


def _fuse_first(kernel: Kernel) -> bool:
    predecessors = kernel.predecessors()
    return any(_fuse(kernel, block, predecessors) for block in kernel.blocks)


@dataclass
class _Pair:
    """Two loops, and the `between` block that leads from one to the other, if there is one; `into`
    the edges into each, the first from `source`; the values of both as `forms`."""

    first: Block
    second: Block
    between: Block | None
    source: Block
    into: tuple[Edge, Edge]

    @cached_property
    def forms(self) -> tuple[AffineLoop, AffineLoop]:
        loops = zip((self.first, self.second), self.into, strict=True)
        first, second = (AffineLoop(loop, list(edge.arguments)) for loop, edge in loops)
        return first, second


def _fuse(kernel: Kernel, first: Block, predecessors: _Predecessors) -> bool:
    """Makes one loop of a loop and the one behind it; whether that can be."""
    pair = _pair(first, predecessors)
    if pair is None or not _alike(first, pair.second):
        return False
    moved = _before(pair)
    if moved is None or not _keep_order(kernel, pair):
        return False
    for op in [*first.ops, *pair.second.ops]:
        for known in ("apart", "in_step", "alone"):  # that was about one of the loops
            op.attributes.pop(known, None)
    _join(kernel, pair, moved)
    return True


def _before(pair: _Pair) -> set[Op] | None:
    """What the second loop needs and is made before the first one: what stands between them, and
    what the first one makes anew in each iteration. None where it needs what the first one leaves,
    or something happens between them."""
    between = pair.between.ops if pair.between else []
    needed = [*pair.into[1].arguments, *read_by(pair.second)]
    needed += [operand for op in between for operand in op.operands]
    left = changing(pair.first)
    if not all(op.pure for op in between) or not left.isdisjoint(needed):
        return None
    return made_of(needed, set(pair.first.ops) - left).union(between)


def _pair(first: Block, predecessors: _Predecessors) -> _Pair | None:
    if not first.is_loop or first.trip_count is None:
        return None
    entries = [(b, e) for b, e in predecessors[first] if b is not first]
    following, into, between = first.exit_edge.block, first.exit_edge, None
    if not following.is_loop:
        if (
            not isinstance(following.end, Jump)
            or following.parameters
            or len(predecessors[following]) > 1
        ):
            return None
        between, into = following, following.end.edges[0]
        following = into.block
    ways = [b for b, _ in predecessors[following] if b is not following]
    if len(entries) != 1 or len(ways) != 1 or not following.is_loop or following is first:
        return None
    return _Pair(first, following, between, entries[0][0], (entries[0][1], into))


def _alike(first: Block, second: Block) -> bool:
    """Whether two loops run as often, and nothing has been asked of either."""
    if second.trip_count is None or first.trip_count is None:
        return False
    counts = [bits_of(trips) for trips in (first.trip_count, second.trip_count)]
    counts = [bits[: len(bits) - leading_zeros(bits)] for bits in counts]
    plain = all(
        (block.wanted_ii, block.copies, block.turns, block.uncounted, block.interleaved)
        == (None, None, 1, 0, 1)
        for block in (first, second)
    )
    return plain and counts[0] == counts[1]


def _keep_order(kernel: Kernel, pair: _Pair) -> bool:
    """Whether accesses to one place come in the order that they have one loop after the other."""
    accesses = [[op for op in loop.ops if not op.pure] for loop in (pair.first, pair.second)]
    most = _most_trips(pair.first)
    for a, b in product(*accesses):
        if not _are_accesses(kernel, a, b):
            return False
        if a.memory is b.memory and (isinstance(a, Store) or isinstance(b, Store)):
            first, second = pair.forms[0].form(a.index), pair.forms[1].form(b.index)
            if not _is_behind(dependence_distance(second, first, most), most):
                return False
    return True


def _are_accesses(kernel: Kernel, *ops: Op) -> bool:
    """Whether all are accesses that may come in between each other: streams have one order."""
    if any(not isinstance(op, (Access, StreamOp)) for op in ops):
        return False
    if any(op.memory.kind is MemoryKind.FIFO for op in ops):
        return False
    return ops[0].memory is not ops[1].memory or not any(isinstance(op, StreamOp) for op in ops)


def _most_trips(loop: Block) -> int:
    assert loop.trip_count is not None, "both are counted"
    if isinstance(loop.trip_count, Constant):
        return loop.trip_count.value
    return mask(loop.trip_count.width - leading_zeros(bits_of(loop.trip_count)))


def _is_behind(distance: Distance | int | None, trips: int) -> bool:
    """Whether the first loop's access comes to no place later than the second one's."""
    if not isinstance(distance, Distance):
        return distance is None
    later = distance.first or distance.period
    return not later or later >= trips


def _join(kernel: Kernel, pair: _Pair, moved: set[Op]) -> None:
    first, second, same = pair.first, pair.second, _same_counters(pair)
    _tell(kernel, first, second)
    source, into = preheader(kernel, pair.source, pair.into[0])
    between = pair.between.ops if pair.between else []
    source.ops += [op for op in [*first.ops, *between] if op in moved]
    into.arguments = [*into.arguments, *pair.into[1].arguments]
    back, leave, others = first.back_edge, first.exit_edge, second.back_edge.arguments
    back.arguments = [*back.arguments, *others]
    first.parameters += second.parameters
    first.ops = [op for op in [*first.ops, *second.ops] if op not in moved]
    leave.block, leave.arguments = second.exit_edge.block, second.exit_edge.arguments
    kernel.blocks = [b for b in kernel.blocks if b is not second and b is not pair.between]
    substitute(kernel, same)


def _tell(kernel: Kernel, first: Block, second: Block) -> None:
    """Notes which loops have become one. One that has got its own sums back is as it was."""
    if not (first.part or second.part):
        kernel.deeds.append(Deed(SLUG, second.loop, first.loop))
    elif first.loop == second.loop and second.part == SUMS:
        parted = Deed(PART_SUMS, first.loop)
        kernel.deeds = [deed for deed in kernel.deeds if deed != parted]
    elif not second.part:
        first.loop, first.part = second.loop, ""


def _same_counters(pair: _Pair) -> dict[Op, Op]:
    """Parameters of the second loop that are in each iteration what one of the first one is."""
    counters = [
        {(bits_of(start), p.width, step): p for p, start, step in _counters(forms, edge)}
        for forms, edge in zip(pair.forms, pair.into, strict=True)
    ]
    return {p: counters[0][key] for key, p in counters[1].items() if key in counters[0]}


def _counters(forms: AffineLoop, into: Edge) -> Iterator[tuple[Op, Op, int]]:
    """Parameters with their first values, and by how much they grow."""
    for parameter, start in zip(forms.block.parameters, into.arguments, strict=True):
        step = forms.increments[parameter]
        if step is not None:
            yield parameter, start, step
