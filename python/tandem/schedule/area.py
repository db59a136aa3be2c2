# SPDX-License-Identifier: Apache-2.0
"""Area before synthesis: what the target's measured operators and the schedule's registers add up
to. An estimate; `tandem build --place` gives what synthesis really makes."""

from __future__ import annotations

from typing import Any

from tandem.ir.kernel import Kernel, Op
from tandem.ir.wiring import bits_of
from tandem.schedule.scheduler import BlockSchedule, KernelSchedule


def estimate_area(schedule: KernelSchedule) -> dict[str, Any]:
    """LUT4s of the operators, flip-flops between their cycles, bits of tables and memories."""
    kernel = schedule.kernel
    lut4 = sum(schedule.target.area_lut4(op) for _, op in kernel.ops())
    ff = sum(_pipeline_bits(s) if s.ii else _kept_bits(s) for s in schedule.blocks.values())
    return {
        "estimated": True,
        "lut4": round(lut4),
        "ff": ff,
        "rom_bits": _memory_bits(kernel, "rom"),
        "ram_bits": _memory_bits(kernel, "ram"),
        "operations": _counts(kernel),
    }


def _memory_bits(kernel: Kernel, kind: str) -> int:
    return sum(m.element_bits * (m.depth or 0) for m in kernel.memories.values() if m.kind == kind)


def _counts(kernel: Kernel) -> dict[str, int]:
    counts: dict[str, int] = {}
    for _, op in kernel.ops():
        if op.kind not in ("extract", "concat"):
            counts[op.kind] = counts.get(op.kind, 0) + 1
    return dict(sorted(counts.items()))


def _pipeline_bits(schedule: BlockSchedule) -> int:
    """Each bit is registered once for each cycle it waits for its last reader."""
    last: dict[tuple[Op, int], int] = {}
    block = schedule.block
    for op, cycle in schedule.start.items():
        for operand in op.operands:
            for bit in bits_of(operand):
                if type(bit) is not int:
                    last[bit] = max(cycle, last.get(bit, 0))
    born = {**schedule.start, **schedule.reads}
    waiting = sum(max(0, cycle - born[bit[0]]) for bit, cycle in last.items() if bit[0] in born)
    return waiting + sum(p.width for p in block.parameters) + schedule.length


def _kept_bits(schedule: BlockSchedule) -> int:
    """In a block that is no pipeline a value that outlives its cycle is kept once."""
    kept = sum(op.width for op in schedule.start if op.kind not in ("store", "push"))
    return (kept if schedule.length > 1 else 0) + schedule.length
