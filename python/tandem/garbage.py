# SPDX-License-Identifier: Apache-2.0
"""When Python looks for cycles of garbage, of which the compiler makes few."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY_OBJECTS = 1_000_000
"""More than a kernel of some thousand operations leaves for Python's collector."""


def collect_seldom() -> None:
    """For a process that ends soon: what it leaves is mostly less than many objects, and looking
    through it takes as long as a twentieth of compiling."""
    gc.set_threshold(MANY_OBJECTS)


@contextmanager
def uncollected() -> Iterator[None]:
    """The search is off: it takes longer than the compiler itself."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_count()[0] > MANY_OBJECTS:
                _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Has Python take all that was made for old: it would look through it at once otherwise, which
    takes seconds where a kernel is large. Where many kernels are made one after the other, what is
    left of small ones goes."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
