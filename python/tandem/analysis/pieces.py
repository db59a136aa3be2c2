# SPDX-License-Identifier: Apache-2.0
"""Accesses side by side: the pieces of what a memory with wider elements would have as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from tandem.ir.wiring import Bits

T = TypeVar("T")


def side_by_side(accesses: Mapping[T, tuple[int, Bits]], low_bits: int) -> list[dict[int, T]]:
    """Those of one line each that come to all 2^`low_bits` elements of an aligned place, by which
    of these they come to. `accesses`: each with its line and the bits of its index."""
    found: dict[tuple[int, Bits], dict[int, T]] = {}
    for access, (line, bits) in accesses.items():
        low = bits[:low_bits]
        if len(low) == low_bits and all(type(bit) is int for bit in low):
            place = sum(bit << i for i, bit in enumerate(low))
            found.setdefault((line, bits[low_bits:]), {})[place] = access
    return [one for one in found.values() if len(one) == 1 << low_bits]
