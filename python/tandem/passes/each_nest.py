# SPDX-License-Identifier: Apache-2.0
"""What passes over nests of two loops have in common: which nests are changed, and which noted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from tandem.analysis.nest_of_two import NestOfTwo, nest_of
from tandem.analysis.nests import Nests
from tandem.analysis.ranges import ranges_of
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.loops import nests_of_two
from tandem.passes.simplify import tidy

Found = TypeVar("Found")
"""How a nest can be changed."""


def change_nests(
    kernel: Kernel,
    wanted: Collection[LoopId],
    noted: set[LoopId],
    find: Callable[[Nests, NestOfTwo], Found | None],
    change: Callable[[Kernel, Found], object],
) -> bool:
    """Changes the nests whose inner loop is `wanted` as `find` says that they can be, and notes the
    inner loops of all that can. Whether any was changed."""
    changed, nests = False, None
    all_nests = [nest_of(header, body, inner) for header, body, inner in nests_of_two(kernel)]
    for nest in (nest for nest in all_nests if nest is not None):
        nests = nests or Nests.of(kernel, ranges_of(kernel))
        found = find(nests, nest)
        if found is not None:
            noted.add(nest.inner.loop)
            if nest.inner.loop in wanted:
                change(kernel, found)
                kernel.facts.clear()
                changed, nests = True, None
    if changed:
        tidy(kernel)
    return changed
