# SPDX-License-Identifier: Apache-2.0
"""What passes have done to the loops of the C, told to whoever asks what became of one.

A pass that makes something else of a loop says so with a deed; what it makes beside the loop of the
C has a `part` (`ir.kernel.Block`). `report.changes` has the words for both.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.lines import NO_LOOP, LoopId


@dataclass(frozen=True)
class Deed:
    """What the pass of a `slug` has done to a loop, and to the `other` one where it is about two.
    `memories`: those that it has made for it; `count`: how many iterations take turns, or are
    kept; `gain`: what that has given and cost, in words, where it was tried alone."""

    slug: str
    loop: LoopId
    other: LoopId = NO_LOOP
    memories: tuple[str, ...] = ()
    count: int = 0
    gain: str = ""
