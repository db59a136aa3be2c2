# SPDX-License-Identifier: Apache-2.0
"""A whole schedule as data: `schedule.json` of a package (docs/schemas/schedule.json)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tandem.describe.held import Cause, Held, Holds
from tandem.describe.lines import unit_of
from tandem.describe.memories import memories_json
from tandem.ir.lines import file_of
from tandem.ir.names import shown_name
from tandem.ir.ops import Op, Store
from tandem.ir.wiring import makers_of
from tandem.rtl.text import told_name
from tandem.schedule.area import estimate_area
from tandem.schedule.cures import advice
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

COLUMNS = (
    "operation",
    "bits",
    "file",
    "line",
    "cycle",
    "latency_cycles",
    "cause",
    "waits_for",
    "unit",
    "lut4",
    "ff",
    "inputs",
)
"""What each row of `operations` tells, in this order. `file`, `waits_for` and `unit` are places in
`files` and `texts`, `inputs` places in `operations`."""


def schedule_json(schedule: KernelSchedule) -> dict[str, Any]:
    """Every block, operation and memory of a kernel, with the C that they are from."""
    rows = _Rows(schedule)
    blocks = [rows.block(s) for s in schedule.blocks.values()]
    return {
        "format": "tandem-schedule",
        "format_version": 1,
        "kernel": schedule.kernel.name,
        "target": schedule.target.name,
        "clock_ps": schedule.clock_ps,
        "reachable_clock_ps": schedule.reachable_clock_ps,
        "ii": schedule.ii,
        "latency_cycles": schedule.latency_cycles,
        "area": estimate_area(schedule),
        "blocks": blocks,
        "columns": list(COLUMNS),
        "operations": rows.operations,
        "memories": memories_json(schedule),
        "texts": list(rows.texts),
        "files": [{"name": told_name(path), "text": _text_of(path)} for path in rows.files],
    }


def _text_of(path: str) -> str | None:
    """The C of a file; None of one that is not there any more."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return None


class _Rows:
    """The operations of a schedule, each of which has a number. Texts that many have in common are
    told once."""

    def __init__(self, schedule: KernelSchedule) -> None:
        estimate_area(schedule)
        self.schedule = schedule
        self.operations: list[list[Any]] = []
        self.texts: dict[str, int] = {}
        self.files: dict[str, int] = {}
        self.before = schedule.kernel.predecessors()
        ops = (op for s in schedule.blocks.values() for op in _in_order(s))
        self.numbers = {op: number for number, op in enumerate(ops)}

    def block(self, s: BlockSchedule) -> dict[str, Any]:
        """A block, whose operations have the numbers from `first` on."""
        first, holds = len(self.operations), Holds(s)
        for op in _in_order(s):
            if op in s.start:
                self._operation(s, op, holds)
            else:
                self._parameter(s, op)
        line = s.block.loop.line or s.block.line
        return {
            "block": s.block.name,
            "file": self._file(line),
            "line": int(line),
            "column": s.block.loop.column,
            "ii": s.ii or None,
            "length_cycles": s.length,
            "longest_ps": s.longest_ps,
            "res_mii": s.limits.res_mii,
            "rec_mii": s.limits.rec_mii,
            "limit": advice(self.schedule.kernel, s) if s.ii else "",
            "first": first,
            "operations": len(self.operations) - first,
        }

    def _parameter(self, s: BlockSchedule, op: Op) -> None:
        """What an iteration takes over from the one before, or a block from those before it."""
        place = s.block.parameters.index(op)
        values = [edge.arguments[place] for _, edge in self.before[s.block]]
        name = f"`{shown_name(op.name)}`" if op.name else "a value"
        held = Held(Cause.NOTHING, f"{name} {_FROM[bool(s.ii)]}")
        self._add(op, op.width, (s.reads.get(op, 0), 0), held, "a register", values)

    def _operation(self, s: BlockSchedule, op: Op, holds: Holds) -> None:
        bits = op.stored.width if isinstance(op, Store) else op.width
        times = s.start[op], s.latency.get(op, 0)
        self._add(op, bits, times, holds.of(op), unit_of(self.schedule, s, op), op.operands)

    def _add(
        self, op: Op, bits: int, times: tuple[int, int], held: Held, unit: str, values: Iterable[Op]
    ) -> None:
        own = self.schedule.own_area
        inputs = {self.numbers[v] for v in makers_of(values) if v in self.numbers}
        place = self._file(op.line), int(op.line)
        told = str(held.cause), self._text(held.text), self._text(unit)
        area = round(own.lut4.get(op, 0), 1), own.ff.get(op, 0)
        self.operations.append([op.slug, bits, *place, *times, *told, *area, sorted(inputs)])

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _file(self, line: int) -> int:
        path = file_of(line, self.schedule.kernel.source)
        return self.files.setdefault(path, len(self.files))


_FROM = {True: "of the iteration before", False: "of the blocks before"}


def _in_order(s: BlockSchedule) -> list[Op]:
    """Parameters, and then operations as they start."""
    return [*s.block.parameters, *sorted(s.start, key=s.start.__getitem__)]
