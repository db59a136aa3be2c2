# SPDX-License-Identifier: Apache-2.0
"""A schedule as data: timing.json of a package, and what `tandem build` tells."""

from __future__ import annotations

from typing import Any

from tandem.schedule.scheduler import BlockSchedule, KernelSchedule


def schedule_json(schedule: KernelSchedule) -> dict[str, Any]:
    """Each block with its `ii` and length, and each operation's cycle and C line."""
    return {
        "kernel": schedule.kernel.name,
        "target": schedule.target.name,
        "clock_ps": schedule.clock_ps,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "blocks": [_block(s) for s in schedule.blocks.values()],
    }


def _block(s: BlockSchedule) -> dict[str, Any]:
    return {
        "block": s.block.name,
        "line": s.block.line,
        "ii": s.ii or None,
        "length_cycles": s.length,
        "res_mii": s.res_mii,
        "rec_mii": s.rec_mii,
        "limit": s.limit,
        "operations": [
            {"kind": op.kind, "width": op.width, "line": op.line, "cycle": cycle}
            for op, cycle in s.start.items()
        ],
    }


def loops_json(schedule: KernelSchedule) -> list[dict[str, Any]]:
    """The pipelined loops without their operations."""
    rows = (_block(s) for s in schedule.blocks.values() if s.ii)
    return [{k: v for k, v in row.items() if k != "operations"} for row in rows]
