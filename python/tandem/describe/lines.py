# SPDX-License-Identifier: Apache-2.0
"""One line of the C in the hardware: when each of its operations runs, in what, and waiting for
what."""

from __future__ import annotations

from typing import Any

from tandem.describe.held import Holds
from tandem.diagnostics import lines_text, user_error
from tandem.ir.blocks import Start
from tandem.ir.functions import calls
from tandem.ir.ops import Access, Divide, Load, Mul, Op, ResultOp, Rom, Store, StreamOp
from tandem.schedule.cures import advice
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def line_json(schedule: KernelSchedule, line: int) -> list[dict[str, Any]]:
    """Every operation of a line, block by block, by cycle.

    Raises UserError where the line has none, with those that have."""
    rows = []
    for s in schedule.blocks.values():
        holds = Holds(s)
        ops = sorted((op for op in s.start if int(op.line) == line), key=s.start.__getitem__)
        rows += [_row(schedule, s, holds, op) for op in ops]
    rows += [_call(schedule, s) for s in schedule.blocks.values() if _calls_at(s, line)]
    if not rows:
        raise _nothing(schedule, line)
    return rows


def _row(schedule: KernelSchedule, s: BlockSchedule, holds: Holds, op: Op) -> dict[str, Any]:
    binding = s.limits.binding
    return {
        "operation": op.slug,
        "bits": op.stored.width if isinstance(op, Store) else op.width,
        "loop_line": s.block.loop.line if s.ii else None,
        "loop_column": s.block.loop.column if s.ii else None,
        "ii": s.ii or None,
        "cycle": s.start[op],
        "latency_cycles": s.latency.get(op, 0),
        "unit": unit_of(schedule, s, op),
        "waits_for": holds.of(op).text,
        "limit": advice(schedule.kernel, s) if binding and op.line in binding.lines else "",
    }


def _calls_at(s: BlockSchedule, line: int) -> bool:
    return s.block.calls and int(s.block.end.line) == line


def _call(schedule: KernelSchedule, s: BlockSchedule) -> dict[str, Any]:
    """A call, which ends its block."""
    callee, is_start = s.block.end.callee, isinstance(s.block.end, Start)
    count = calls(schedule.kernel)[callee]
    return {
        "operation": s.block.end.slug,
        "bits": 0,
        "loop_line": None,
        "loop_column": None,
        "ii": None,
        "cycle": s.length - 1,
        "latency_cycles": 0,
        "unit": f"`{callee}`" if is_start else f"`{callee}`, one for {count} calls",
        "waits_for": "the end of what is before it",
        "limit": "",
    }


def unit_of(schedule: KernelSchedule, s: BlockSchedule, op: Op) -> str:
    if isinstance(op, Access):
        side = "reading" if isinstance(op, Load) else "writing"
        return f"{side} port {s.ports.get(op, 0)} of {op.memory.name}"
    if isinstance(op, StreamOp):
        return f"stream {op.memory.name}"
    if isinstance(op, ResultOp):
        return f"the result's register of `{op.function}`"
    if isinstance(op, Rom):
        return f"a copy of table {op.memory.name}"
    if isinstance(op, Divide):
        return f"a divider, {s.latency[op] - 1} cycles for {op.operands[0].width} bits"
    if op.core:
        return f"core {s.ports[op]} of {op.core}"
    if op in s.ports:
        return f"multiplier {s.ports[op]} of {schedule.kernel.multipliers}, which products share"
    return "a multiplier block" if isinstance(op, Mul) else "look-up tables of its own"


def _nothing(schedule: KernelSchedule, line: int) -> Exception:
    lines = {op.line for _, op in schedule.kernel.ops() if op.line}
    lines = sorted(lines | {b.end.line for b in schedule.kernel.blocks if b.calls})
    return user_error(
        "line",
        f"line {line} has no operation in the hardware of `{schedule.kernel.name}`",
        schedule.kernel.place(line),
        f"it is folded away, wiring, or no part of it; operations are in {lines_text(lines)}",
    )
