# SPDX-License-Identifier: Apache-2.0
"""How good what Tandem makes is: the hardware's area and clock, and the platform's truth."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from figures import Figure, at_least, at_most
from speed import TOP, tandem
from tandem.compiler.compile import find_target
from tandem.installation import known
from tandem.rtl.text import module_name
from tandem.study.reproduce import reproduce as reproduce_study
from tandem.synthesis.place import place_kernel

CLOCK_NS = 6
SEEDS = (1, 2, 3)


def place(work: Path) -> list[Figure]:
    """Triple DES, placed and routed on the LFE5U-85F of speed grade 6."""
    build = ("build", "--kernel", TOP, "--json")
    printed = tandem(*build, "--clock-ns", str(CLOCK_NS), "-o", str(work / "place"))
    result = json.loads(printed)
    verilog, family = Path(result["package"]) / "kernel.sv", find_target("ecp5")
    placed = [
        place_kernel(verilog, module_name(TOP), family, CLOCK_NS, seed, tries=1) for seed in SEEDS
    ]
    rates = [kernel.fmax_mhz for kernel in placed]
    resources = placed[0].resources()
    return [
        at_least("Fmax, worst of 3 seeds", min(rates), "MHz", 166),
        at_least("Fmax, median of 3 seeds", median(rates), "MHz", 166),
        at_most("LUT4", resources["lut4"], "", 10_600),
        at_most("flip-flops", resources["ff"], "", 8_300),
        at_most("ii", result["ii"], "cycles", 1),
        at_most("latency", result["latency_cycles"], "cycles"),
    ]


def reproduce(work: Path) -> list[Figure]:
    """Predicted cells of published tables, beyond what their digits leave open."""
    figures = []
    for study in known("studies"):
        found = [
            c.excess
            for c in reproduce_study(study)
            if c.role == "predicted" and c.excess is not None
        ]
        name = f"{study}: largest error of {len(found)} predicted cells"
        figures.append(at_most(name, 100 * max(found), "%", 5))
    return figures
