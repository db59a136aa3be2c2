# SPDX-License-Identifier: Apache-2.0
"""A kernel's loops, functions, processes and FIFOs as data."""

from __future__ import annotations

from typing import Any

from tandem.describe.changes import PARTS, changes_of
from tandem.ir.blocks import Block, Start, reverse_postorder
from tandem.ir.functions import calls, reached_by
from tandem.ir.kernel import Kernel
from tandem.ir.lines import Line, file_of
from tandem.ir.loops import natural_loops
from tandem.ir.ops import GIVING, Poll, Push, Take
from tandem.ir.processes import fifos, processes, stream_ops
from tandem.rtl.text import told_name
from tandem.schedule.cures import advice
from tandem.schedule.expected import seldom_entered
from tandem.schedule.scheduled import KernelSchedule


def loops_json(schedule: KernelSchedule) -> list[dict[str, Any]]:
    """Every loop, in the order of its header's block. One that is no pipeline has neither `ii` nor
    length; `depth` is 1 for a loop that is in no other. Where a loop is seldom entered, or copies
    what another one needs, what limits it is nobody's concern."""
    loops = natural_loops(schedule.kernel)
    seldom = seldom_entered(schedule.kernel)
    changes = changes_of(schedule.kernel, {header.loop for header in loops if not header.part})
    rows = []
    for header in loops:
        s, line = schedule.blocks[header], header.loop.line or header.line
        rows.append(
            {
                "file": told_name(file_of(line, schedule.kernel.source)),
                "line": line,
                "column": header.loop.column,
                "elsewhere": isinstance(line, Line),
                "depth": sum(header in others for others in loops.values()),
                "ii": s.ii or None,
                "length_cycles": s.length if s.ii else None,
                "part": PARTS[header.part].text if header.part else "",
                "changes": [] if header.part else changes.pop(header.loop, []),
                "interleaved": header.interleaved,
                "res_mii": s.limits.res_mii if s.ii else None,
                "rec_mii": s.limits.rec_mii if s.ii else None,
                "limit": _limit(schedule, header, loops) if header not in seldom else "",
            }
        )
    return rows


def functions_json(schedule: KernelSchedule) -> list[dict[str, Any]]:
    """The functions that are kept apart, with how many calls share each."""
    return [{"name": name, "calls": count} for name, count in calls(schedule.kernel).items()]


def processes_json(schedule: KernelSchedule) -> list[dict[str, Any]]:
    """The processes, each with the FIFOs that it takes from and gives to."""
    found = []
    for name, entry in processes(schedule.kernel).items():
        ops = [op for block in reverse_postorder(entry) for op in stream_ops(block)]
        takes = dict.fromkeys(op.memory.name for op in ops if not isinstance(op, GIVING))
        gives = dict.fromkeys(op.memory.name for op in ops if isinstance(op, GIVING))
        found.append({"name": name, "takes": list(takes), "gives": list(gives)})
    return found


def fifos_json(schedule: KernelSchedule) -> list[dict[str, Any]]:
    """The FIFOs between processes, as a package's manifest has them."""
    depths, memories = schedule.fifo_depths, fifos(schedule.kernel)
    return [
        {"name": m.name, "record_bits": m.element_bits, "depth": depths[m.name]} for m in memories
    ]


def _limit(schedule: KernelSchedule, header: Block, loops: dict[Block, set[Block]]) -> str:
    s = schedule.blocks[header]
    if header.part and (PARTS[header.part].is_aside or not s.ii):
        return ""
    return advice(schedule.kernel, s) if s.ii else _no_pipeline(schedule.kernel, header, loops)


def _in_another_turn(header: Block, body: set[Block]) -> str:
    """Why the records of an iteration are no one turn; empty if they are."""
    later = [op for block in body - {header} for op in stream_ops(block)]
    for op in sorted(later, key=lambda op: (isinstance(op, Push), op.line)):
        if isinstance(op, Poll):
            return (
                f"no pipeline: `{op.memory.name}` is asked (line {op.line}) behind another record "
                "that was asked for, taken or given, or where a branch decides; ask all streams at "
                "the head of the loop"
            )
        if isinstance(op, Take):
            return (
                f"no pipeline: a record of `{op.memory.name}` is taken (line {op.line}) behind "
                "another one that was taken or given, or where a branch decides; take one of each "
                "stream at the head of the loop"
            )
        return (
            f"no pipeline: `{op.memory.name}` is given a second record (line {op.line}) by one "
            "iteration; give one, of a struct of both"
        )
    return ""


def _no_pipeline(kernel: Kernel, header: Block, loops: dict[Block, set[Block]]) -> str:
    if starts := sorted(b.end.line for b in loops[header] if isinstance(b.end, Start)):
        return (
            f"no pipeline: what it starts (line {starts[0]}) runs beside each other, and a turn "
            "takes as long as what takes longest"
        )
    if any(inner is not header and inner in loops[header] for inner in loops):
        return "no pipeline: it contains a loop"
    if called := sorted((b.end.line, b.end.callee) for b in loops[header] if b.calls):
        looping = [row for row in called if loops.keys() & reached_by(kernel, row[1])]
        line, callee = (looping or called)[0]
        why = (
            "in which there is a loop"
            if looping
            else "which other calls use too; `#pragma tandem inline` before it gives each one of "
            "its own"
        )
        return f"no pipeline: it calls `{callee}` (line {line}), {why}"
    if records := _in_another_turn(header, loops[header]):
        return records
    return "no pipeline: its body has branches or a second exit"
