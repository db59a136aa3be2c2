# SPDX-License-Identifier: Apache-2.0
"""What has become of each loop of the C, in words: what passes have done to it (`ir.deeds`), and
what the loops are for that they have made beside it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tandem.ir.deeds import Deed
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.passes import (
    expand_division,
    flatten_nests,
    fuse_loops,
    interchange,
    interleave,
    keep_pivots,
    line_buffers,
    make_rows,
    open_borders,
    part_sums,
    plane_buffers,
    reload,
    scalar_replacement,
    skew,
    split_borders,
    split_loops,
    store_forwarding,
    trim_loops,
)

TEXTS = {
    interleave.TURNS: "{count} iterations of its outer loop take turns in the inner one",
    trim_loops.SLUG: "its first or last iterations do nothing and are not run, {count} of them",
    split_borders.SLUG: "its first or last iterations go another way and are made apart, {count} "
    "of them",
    make_rows.SLUG: "it has become a loop over rows around one over columns",
    skew.SLUG: "it runs along the diagonals of its nest with {other}: there no iteration waits for "
    "the one before",
    interchange.SLUG: "it has changed places with {other}: terms are added to many sums in turn"
    "{kept}",
    line_buffers.SLUG: "what later rows read again is kept{kept}",
    plane_buffers.SLUG: "what later planes read again is kept{kept}",
    keep_pivots.SLUG: "the row with which all rows are computed is read once before {other}, and "
    "kept{kept}",
    split_loops.SLUG: "it has become two loops, the second of which begins when the first one has "
    "ended{kept}",
    part_sums.SLUG: "its sums have got a loop of their own behind it",
    reload.SLUG: "what one iteration writes and all read of `{memory}` is read before it, and once "
    "more behind that iteration",
    flatten_nests.SLUG: "{loop} and {other} have become one loop",
    fuse_loops.SLUG: "{loop} has become one loop with it",
    store_forwarding.SLUG: "what its last {iterations} stored is taken from registers",
    scalar_replacement.SLUG: "it reads again what earlier iterations have read: to keep that was "
    "not worth it",
    expand_division.SLUG: "its divisions take a cycle a bit, in one divider",
}
"""What a pass has done to a loop."""


@dataclass(frozen=True)
class Part:
    """What a loop is for that a pass has made. `is_aside`: it only copies what another loop needs,
    or runs what little another one leaves, so that nothing need be done about it in the C."""

    text: str
    is_aside: bool = False


PARTS = {
    line_buffers.FILLS_ROWS: Part("fills kept rows", is_aside=True),
    line_buffers.LONG_ROWS: Part("takes long rows in parts", is_aside=True),
    plane_buffers.FILLS_PLANES: Part("fills kept planes", is_aside=True),
    keep_pivots.FILLS_PIVOT: Part("reads the kept row", is_aside=True),
    interchange.BEGINS_SUMS: Part("begins sums"),
    interchange.USES_SUMS: Part("uses sums"),
    split_loops.SECOND: Part("second part"),
    part_sums.SUMS: Part("sums"),
    make_rows.ROWS: Part("rows"),
    make_rows.FLAT: Part("for sides whose product may wrap", is_aside=True),
    open_borders.AROUND: Part("leads to borders and back", is_aside=True),
    open_borders.REST: Part("borders, and all of small calls", is_aside=True),
    reload.READS_AGAIN: Part("begins it again", is_aside=True),
}
"""What a loop is for, by its `part`."""


def changes_of(kernel: Kernel, there: Collection[LoopId]) -> dict[LoopId, list[str]]:
    """What has been done to loops, sentences under those that are `there`: what was done to one
    that has become part of another loop stands with that."""
    into = {
        deed.loop: deed.other
        for deed in kernel.deeds
        if deed.slug in (flatten_nests.SLUG, interleave.TURNS, fuse_loops.SLUG)
    }
    found: dict[LoopId, list[str]] = {}
    for deed in (deed for deed in kernel.deeds if deed.loop != NO_LOOP):
        loop = deed.loop
        while loop not in there and loop in into:
            loop = into[loop]
        text = TEXTS[deed.slug].format(
            loop=_named(deed.loop),
            other=_named(deed.other),
            count=deed.count,
            iterations="iteration has" if deed.count == 1 else f"{deed.count} iterations have",
            memory=next(iter(deed.memories), ""),
            kept=_kept(kernel, deed),
        )
        text += f" ({deed.gain}; estimated)" if deed.gain else ""
        if text not in found.setdefault(loop, []):
            found[loop].append(text)
    return found


def _named(loop: LoopId) -> str:
    return "the loop around it" if loop == NO_LOOP else f"the loop at line {loop.line}"


def _kept(kernel: Kernel, deed: Deed) -> str:
    """In how much memory something is kept, where that is still as the pass has made it."""
    if not deed.memories or any(name not in kernel.memories for name in deed.memories):
        return ""
    memories = [kernel.memories[name] for name in deed.memories]
    bits = sum(memory.element_bits * (memory.depth or 0) for memory in memories)
    many = "a memory" if len(memories) == 1 else f"{len(memories)} memories"
    return f", in {many} of {bits:,} bits{' in all' if len(memories) > 1 else ''}"
