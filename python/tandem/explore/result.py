# SPDX-License-Identifier: Apache-2.0
"""A ladder as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tandem.compiler.compile import Compiled
from tandem.diagnostics import Place, diagnostic_json, user_error
from tandem.explore.edits import Edits
from tandem.explore.ladder import Figures, Item, Ladder
from tandem.synthesis.slices import Slices

PS = 10**12
"""Picoseconds of a second."""


@dataclass(frozen=True)
class Software:
    """What the calls of an application take: `calls` on the compiler's own kernel `own_s`, the C
    function beside them on this machine, and on the core of a chip."""

    platform: str
    calls: int
    own_s: float
    host_s: float
    core_s: float

    @classmethod
    def of(cls, beside: dict[str, Any], on_core: dict[str, Any], source: str) -> Software:
        """By a run on a platform beside this machine, and one on a chip. Raises UserError where the
        hardware has served no call of either."""
        kernel = next(iter(beside["kernels"]), {"calls": 0})
        core = next(iter(on_core["kernels"]), {"calls": 0})
        if not (kernel["calls"] and core["calls"] and kernel["cycles"]):
            raise user_error(
                "no-call",
                "no call was served by the hardware, so there is nothing to compare software with",
                Place(source),
                "give the arguments that make it do its work, after `--`",
            )
        own_s = kernel["cycles"] * kernel["clock_ps"] / PS
        core_s = core["software_cycles"] * on_core["clock_ps"] / PS
        calls = kernel["calls"]
        return cls(on_core["platform"], calls, own_s, beside["software_s"], core_s)


def ladder_json(
    compiled: Compiled,
    ladder: Ladder,
    folder: Path,
    slices: Sequence[Slices] | None,
    software: Software | None,
) -> dict[str, Any]:
    """What docs/schemas/ladder.json describes. `slices`: of each rung, if they were counted;
    `software`: what the same takes in C, if that was asked for."""
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
                "over_core": _over(software, "core_s", ladder.own, figures),
                "over_host": _over(software, "host_s", ladder.own, figures),
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
        "software": None if software is None else asdict(software),
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


def _over(software: Software | None, whose: str, own: Figures, step: Figures) -> float | None:
    """How many times as fast a step is as software: its calls take as much longer than those of the
    compiler's own kernel as estimated."""
    if software is None:
        return None
    step_s = software.own_s * (step.cycles * step.clock_ps) / (own.cycles * own.clock_ps)
    return round(getattr(software, whose) / step_s, 6)


def _times(before: Figures, after: Figures) -> float:
    """How many times as fast one kernel is as another one."""
    return round(before.cycles * before.clock_ps / (after.cycles * after.clock_ps), 4)
