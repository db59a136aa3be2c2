# SPDX-License-Identifier: Apache-2.0
"""Which of many inputs that ask the same the tests try."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

ALL = os.environ.get("TANDEM_TESTS") == "all"
"""Whether they try all, as in `make test-all`, and not a sample."""


def seeds(count: int) -> range:
    """Every third one below a number, or `ALL`; where $TANDEM_FUZZ is set, so many from
    $TANDEM_FUZZ_FIRST on."""
    if "TANDEM_FUZZ" in os.environ:
        first = int(os.environ.get("TANDEM_FUZZ_FIRST", "0"))
        return range(first, first + int(os.environ["TANDEM_FUZZ"]))
    return range(count) if ALL else range(1, count, 3)


def in_turn(items: Sequence[Item], turn: int) -> Sequence[Item]:
    """One of what a test tries alike, another one each turn, or `ALL`."""
    return items if ALL else [items[turn % len(items)]]


def sampled(items: Sequence[Item], every: int = 2) -> Sequence[Item]:
    """One of so many of what takes long, or `ALL`."""
    return items if ALL else items[every - 1 :: every]
