# SPDX-License-Identifier: Apache-2.0
"""drop-signs: what is never negative is extended by zeros.

A `short` that counts from 1 to 24 is extended with its sign where it is an index, and what is made
of copies of a bit is no sum. That the bit is always 0 its range tells: then extents are found, and
when accesses meet.

Requires: count-loops (a counter's range is known by how often its loop runs).
"""

from __future__ import annotations

from collections.abc import Iterator

from tandem.analysis.ranges import ranges_of
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Concat, Extract, Op, constant
from tandem.passes.simplify import substitute, tidy

SLUG = "drop-signs"
SUMMARY = "extend by zeros what is never negative"


def run(kernel: Kernel) -> bool:
    """Whether there was a sign that is always 0."""
    signs = set(_signs(kernel))
    ranges = ranges_of(kernel) if signs else {}
    zeros = {sign: constant(0, 1) for sign in signs if ranges.get(sign) == (0, 0)}
    if zeros:
        substitute(kernel, zeros)
        tidy(kernel)
    return bool(zeros)


def _signs(kernel: Kernel) -> Iterator[Op]:
    """Bits of which numbers have several copies at their top."""
    for _, op in kernel.ops():
        if isinstance(op, Concat) and op.operands[0] is op.operands[1]:
            top = op.operands[0]
            if isinstance(top, Extract) and top.width == 1:
                yield top
