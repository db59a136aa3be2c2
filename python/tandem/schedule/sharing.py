# SPDX-License-Identifier: Apache-2.0
"""What a kernel could gain at most from one copy of a function for all of its calls, known from
the kernel that has a copy for each."""

from __future__ import annotations

from collections.abc import Collection

from tandem.ir.kernel import Kernel
from tandem.ir.lines import file_of
from tandem.ir.ops import WIRING, Op
from tandem.schedule.expected import cycles_of_blocks
from tandem.schedule.scheduled import KernelSchedule

CALL_CYCLES = 2
"""A call's block and the function's take a cycle each at least, and no two calls are under way at a
time."""


def may_be_shared(
    schedule: KernelSchedule, lines: Collection[tuple[str, int]], time: float, area: float
) -> bool:
    """Whether a kernel in which all calls of a function of these lines share it may have a smaller
    product of time^`time` and area^`area` at the same clock. False is certain: its copies are
    nothing but wires, or all are in one pipeline that starts an iteration every cycle or so. k
    copies are k times as large as one at most, but one takes `CALL_CYCLES` k cycles for what k do
    in `ii`."""
    kernel = schedule.kernel
    copies = [(block, op) for block, op in kernel.ops() if _is_of(op, kernel, lines)]
    if all(isinstance(op, WIRING) for _, op in copies) and not _any_unknown(kernel):
        return False
    inside = {block for block, _ in copies}
    pipeline = schedule.blocks[inside.pop()] if len(inside) == 1 else None
    if pipeline is None or not pipeline.ii or not area:
        return True
    spent = cycles_of_blocks(schedule)
    within = spent[pipeline.block] / sum(spent.values())
    return any(
        (1 - within + within * max(1, CALL_CYCLES * k / pipeline.ii)) ** time < k**area
        for k in range(2, len(copies) + 1)
    )


def _is_of(op: Op, kernel: Kernel, lines: Collection[tuple[str, int]]) -> bool:
    return (file_of(op.line, kernel.source), int(op.line)) in lines


def _any_unknown(kernel: Kernel) -> bool:
    """Whether an operation that takes room may be of any line."""
    return any(not op.line and not isinstance(op, WIRING) for _, op in kernel.ops())
