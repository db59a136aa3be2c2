# SPDX-License-Identifier: Apache-2.0
"""Who reads a value."""

from __future__ import annotations

from collections import Counter

from tandem.ir.kernel import Kernel, Op


def count_readers(kernel: Kernel) -> Counter[Op]:
    """How often each operation is read."""
    values = [o for _, op in kernel.ops() for o in op.operands]
    for block in kernel.blocks:
        values += block.end.inputs()
        values += [block.trip_count] if block.trip_count is not None else []
    return Counter(values)
