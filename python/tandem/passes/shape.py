# SPDX-License-Identifier: Apache-2.0
"""What the passes are to make of a kernel where there are several ways."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from tandem.ir.lines import LoopId


@dataclass(frozen=True)
class Shape:
    """Names of functions, and loops, that are made otherwise than by default."""

    apart: frozenset[str] = frozenset()
    """Functions of which there is one piece of hardware for all calls (`ir.functions`)."""
    copied: frozenset[LoopId] = frozenset()
    """Loops that become copies even where these are many operations."""
    rolled: frozenset[LoopId] = frozenset()
    """Loops that stay loops, whatever copies of them would gain."""
    bordered: frozenset[LoopId] = frozenset()
    """Loops whose first and last iterations are apart from them."""
    flattened: frozenset[LoopId] = frozenset()
    """Counted loops that become one with the loop around them."""
    kept_apart: frozenset[LoopId] = frozenset()
    """Loops that are not counted and do not become one with the loop around them."""
    split: frozenset[LoopId] = frozenset()
    """Loops with two loops in them that become two loops."""
    parted: frozenset[LoopId] = frozenset()
    """Loops whose sums get a loop of their own."""
    keeping_pivots: frozenset[LoopId] = frozenset()
    """Loops over columns whose pivot rows are kept."""
    skewed: frozenset[LoopId] = frozenset()
    """Loops that run along the diagonals of their nest."""
    interchanged: frozenset[LoopId] = frozenset()
    """Loops that change places with the loop around them."""
    interleaved: frozenset[tuple[LoopId, int]] = frozenset()
    """Loops in which iterations of the loop around them take turns, and how many of these."""
    keeping_rows: frozenset[LoopId] = frozenset()
    """Loops over columns whose rows are kept for later ones."""
    reading_ahead: frozenset[LoopId] = frozenset()
    """Those of them that read a column further of such rows too."""
    keeping_planes: frozenset[LoopId] = frozenset()
    """Loops over columns whose planes are kept for later ones."""
    reread: frozenset[LoopId] = frozenset()
    """Loops that read from memory again what much space would be needed to keep."""
    forwarded: frozenset[tuple[LoopId, int]] = frozenset()
    """Loops that take from registers what they have just stored, and in how many iterations."""
    divided: frozenset[LoopId] = frozenset()
    """Loops whose divisions take a cycle a bit."""
    multipliers: int | None = None
    """How many multipliers all products share; None where each has its own."""
    least_ii: int = 1
    """Cycles between iterations of a pipeline at least."""
    unroll_limit: int | None = None
    """Weighed operations that copies of one loop may be; None for the usual number."""

    def also(self, what: str, *loops: LoopId) -> Shape:
        """The shape in which what one of `SETS` says is true of some loops too."""
        return replace(self, **{what: getattr(self, what) | {*loops}})

    def without_turns(self, loop: LoopId) -> Shape:
        """The shape in which no iterations take turns in a loop."""
        return replace(self, interleaved=frozenset(t for t in self.interleaved if t[0] != loop))

    def with_copies(self, loops: Collection[LoopId]) -> Shape:
        """The shape in which what is said of a loop is also said of those of `loops` that it
        becomes where its function is part of its callers."""
        said = {name: getattr(self, name) for name in (*SETS, *COUNTED)}
        for name in SETS:
            said[name] |= {c for loop in said[name] for c in loops if c.is_copy_of(loop)}
        for name in COUNTED:
            said[name] |= {(c, n) for loop, n in said[name] for c in loops if c.is_copy_of(loop)}
        return replace(self, **said)


SETS = (
    "copied",
    "rolled",
    "bordered",
    "flattened",
    "kept_apart",
    "split",
    "parted",
    "interchanged",
    "keeping_pivots",
    "skewed",
    "keeping_rows",
    "reading_ahead",
    "keeping_planes",
    "reread",
    "divided",
)
"""What a shape has that are loops."""
COUNTED = ("interleaved", "forwarded")
"""... and loops with a number each."""
