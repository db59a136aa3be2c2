# SPDX-License-Identifier: Apache-2.0
"""One line of the C in the hardware: when each of its operations runs, in what, and waiting for
what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from rich.console import Console
from rich.table import Table

from tandem.diagnostics import lines_text, user_error
from tandem.ir.functions import calls
from tandem.ir.kernel import Op
from tandem.ir.operations import STREAM
from tandem.ir.wiring import makers_of
from tandem.report.page import show_table
from tandem.schedule.constraints import LASTING
from tandem.schedule.cures import advice
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule


def line_json(schedule: KernelSchedule, line: int) -> list[dict[str, Any]]:
    """Every operation of a line, block by block, by cycle.

    Raises UserError where the line has none, with those that have."""
    rows = [
        _row(schedule, s, op)
        for s in schedule.blocks.values()
        for op in sorted(s.start, key=s.start.__getitem__)
        if int(op.line) == line
    ]
    rows += [_call(schedule, s) for s in schedule.blocks.values() if _calls_at(s, line)]
    if not rows:
        raise _nothing(schedule, line)
    return rows


def show_line(rows: list[dict[str, Any]], line: int, console: Console) -> None:
    """The rows as a table, and what limits the loops that they are in."""
    table = Table(box=None, pad_edge=False)
    for title in (f"line {line}", "bits", "loop", "cycle", "in", "waits for"):
        table.add_column(title)
    loops = {_loop(row) for row in rows}
    for cells, count in Counter(_cells(row, loops) for row in rows).items():
        table.add_row(f"{count} {cells[0]}" if count > 1 else cells[0], *cells[1:])
    show_table(table, console)
    for limit in dict.fromkeys(row["limit"] for row in rows if row["limit"]):
        console.print(f"its loop: {limit}")


_Loop = tuple[int | None, int | None]
"""Line and column of a pipeline; nothing for what is in none."""


def _loop(row: dict[str, Any]) -> _Loop:
    return row["loop_line"], row["loop_column"]


def _cells(row: dict[str, Any], loops: Collection[_Loop]) -> tuple[str, ...]:
    """What is told of an operation; of its loop the column too where its line has several."""
    loop = "-" if row["loop_line"] is None else f"line {row['loop_line']}"
    if sum(line == row["loop_line"] for line, _ in loops) > 1:
        loop += f", column {row['loop_column']}"
    numbers = str(row["bits"]), loop, str(row["cycle"])
    return row["operation"], *numbers, row["unit"], row["waits_for"]


def _row(schedule: KernelSchedule, s: BlockSchedule, op: Op) -> dict[str, Any]:
    binding = s.limits.binding
    return {
        "operation": op.kind,
        "bits": op.stored.width if op.kind == "store" else op.width,
        "loop_line": s.block.loop.line if s.ii else None,
        "loop_column": s.block.loop.column if s.ii else None,
        "ii": s.ii or None,
        "cycle": s.start[op],
        "latency_cycles": s.latency.get(op, 0),
        "unit": _unit(schedule, s, op),
        "waits_for": _waits_for(s, op),
        "limit": advice(schedule.kernel, s) if binding and op.line in binding.lines else "",
    }


def _calls_at(s: BlockSchedule, line: int) -> bool:
    return s.block.calls and int(s.block.end.line) == line


def _call(schedule: KernelSchedule, s: BlockSchedule) -> dict[str, Any]:
    """A call, which ends its block."""
    callee, is_start = s.block.end.callee, s.block.end.kind == "start"
    count = calls(schedule.kernel)[callee]
    return {
        "operation": s.block.end.kind,
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


def _unit(schedule: KernelSchedule, s: BlockSchedule, op: Op) -> str:
    if op.is_access:
        side = "reading" if op.kind == "load" else "writing"
        return f"{side} port {s.ports.get(op, 0)} of {op.memory}"
    if op.kind in STREAM:
        return f"stream {op.memory}"
    if op.kind == "result":
        return f"the result's register of `{op.attributes['function']}`"
    if op.kind == "rom":
        return f"a copy of table {op.memory}"
    if op.kind == "divide":
        return f"a divider, {s.latency[op] - 1} cycles for {op.operands[0].width} bits"
    if op.core:
        return f"core {s.ports[op]} of {op.core}"
    if op in s.ports:
        return f"multiplier {s.ports[op]} of {schedule.kernel.multipliers}, which products share"
    return "a multiplier block" if op.kind == "mul" else "look-up tables of its own"


def _waits_for(s: BlockSchedule, op: Op) -> str:
    """What holds an operation back: the last of its inputs, the loop's exit or its port; nothing
    where it is later than it could be."""
    cycle = s.start[op]
    inputs = [v for v in makers_of(op.operands) if v in s.start or v in s.block.parameters]
    ready = max((s.ready(value) for value in inputs), default=0)
    last = [value for value in inputs if s.ready(value) == ready]
    if s.ii and op.kind in LASTING and cycle == s.decide + 1 - s.ii:
        return f"the exit of the iteration before, known in cycle {s.decide - s.ii}"
    if inputs and ready == cycle:
        return " and ".join(dict.fromkeys(_told(s, value) for value in last))
    if op.is_access:
        lines = _before_it(s, op, ready)
        if lines:
            return f"its port, which serves {lines_text(lines)} first"
    if cycle == 0:
        return "nothing"
    return f"nothing from cycle {ready} on: later, fewer bits wait in registers"


def _told(s: BlockSchedule, value: Op) -> str:
    if value.kind == "parameter":
        what = f"`{value.name}`" if value.name else "a value"
        return f"{what} of the iteration before" if s.ii else f"{what} that the block starts with"
    where = f" of line {value.line}" if value.line else ""
    return f"the {value.kind}{where}"


def _before_it(s: BlockSchedule, op: Op, ready: int) -> list[int]:
    """Lines of the accesses that have the port in all cycles in which this one could have been."""
    others = {
        _slot(s, s.start[other]): other.line
        for other in s.start
        if other is not op
        and other.is_access
        and (other.memory, other.kind) == (op.memory, op.kind)
        and s.ports.get(other) == s.ports.get(op)
    }
    slots = [_slot(s, cycle) for cycle in range(ready, s.start[op])]
    return sorted({others[slot] for slot in slots}) if all(x in others for x in slots) else []


def _slot(s: BlockSchedule, cycle: int) -> int:
    return cycle % s.ii if s.ii else cycle


def _nothing(schedule: KernelSchedule, line: int) -> Exception:
    lines = {op.line for _, op in schedule.kernel.ops() if op.line}
    lines = sorted(lines | {b.end.line for b in schedule.kernel.blocks if b.calls})
    return user_error(
        "line",
        f"line {line} has no operation in the hardware of `{schedule.kernel.name}`",
        schedule.kernel.place(line),
        f"it is folded away, wiring, or no part of it; operations are in {lines_text(lines)}",
    )
