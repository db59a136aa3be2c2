# SPDX-License-Identifier: Apache-2.0
"""A ladder as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tandem.compiler import Compiled
from tandem.diagnostics import diagnostic_json
from tandem.explore.edits import Edits
from tandem.explore.ladder import Figures, Item, Ladder
from tandem.synthesis.slices import Slices


def ladder_json(
    compiled: Compiled, ladder: Ladder, folder: Path, slices: Sequence[Slices] | None
) -> dict[str, Any]:
    """What docs/schemas/ladder.json describes. `slices`: of each rung, if they were counted."""
    schedule = compiled.schedule
    edits = Edits(compiled.kernel, compiled.program.paths, ladder.plainly)
    first, before, steps = ladder.rungs[0], ladder.rungs[0], list[dict[str, Any]]()
    for number, rung in enumerate(ladder.rungs):
        figures = rung.figures
        steps.append(
            {
                "taken": [r.json() for r in rung.taken],
                "summaries": [r.row.summary for r in rung.taken],
                **_figures(figures, ladder.item),
                "gain": _times(before.figures, figures),
                "speedup": _times(first.figures, figures),
                "slices": None if slices is None else asdict(slices[number]),
                "edit": edits.step(before.point, rung.taken),
                "point": rung.point.json(),
            }
        )
        before = rung
    return {
        "format": "tandem-ladder-result",
        "format_version": 1,
        "kernel": compiled.kernel.name,
        "target": schedule.target.name,
        "clock_ns": schedule.clock_ps / 1000,
        "item": _item(ladder.item),
        "steps": steps,
        "own": _figures(ladder.own, ladder.item),
        "without_effect": [r.json() for r in ladder.dropped],
        "folder": str(folder),
        "notes": [diagnostic_json(note) for note in compiled.notes],
    }


def _item(item: Item) -> dict[str, Any]:
    if item.spot is None:
        return {"of": "call"}
    return {"of": "iteration", **asdict(item.spot)}


def _figures(figures: Figures, item: Item) -> dict[str, Any]:
    names = ("ii", "latency_cycles", "lut4", "ff", "dsp", "bram", "rom_bits", "ram_bits")
    return {
        "cycles_an_item": round(figures.cycles / item.count, 4),
        **{name: getattr(figures, name) for name in names},
        "fmax_mhz": round(1e6 / figures.reachable_ps, 1),
    }


def _times(before: Figures, after: Figures) -> float:
    """How many times as fast one kernel is as another one."""
    return round(before.cycles * before.clock_ps / (after.cycles * after.clock_ps), 4)
