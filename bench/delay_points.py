# SPDX-License-Identifier: Apache-2.0
"""What bench/measure_delays.py measures of a target, and what is known of it so far: the file
bench/results/NAME-delays.json."""

from __future__ import annotations

import datetime
import json
import os
import platform
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import delay_circuits as circuits
from tandem.synthesis import Device, Resources
from tandem.synthesis.device import device_from_table
from tandem.synthesis.flow import tool_versions

REPOSITORY = Path(__file__).resolve().parent.parent
SIZES: dict[str, list[int]] = {
    "logic": [1, 32, 64, 128],
    "add": [4, 8, 16, 32, 64],
    "eq": [4, 8, 16, 32, 64],
    "lt": [4, 8, 16, 32, 64],
    "select": [2, 8, 32, 64],
    "shift": [8, 16, 32, 64],
}
"""Of every family; those of products and tables depend on its blocks."""
AREA_SIZES: dict[str, list[int]] = {
    "add": [2, 3, 4, 6, 8, 16, 32, 64],
    "eq": [2, 4, 8, 12, 16, 24, 32, 48, 64],
    "lt": [2, 3, 4, 6, 8, 16, 32, 64],
    "shift": [8, 16, 32, 64],
}
"""Where areas are measured apart from delays."""
GATE_INPUTS = [*range(4, 17), *range(18, 33, 2)]
GATE, NOTHING = "gate", "nothing"
TABLE_BITS, TABLE_WIDTHS = [4, 5, 6, 7, 8, 9, 10], (8, 16)
LENGTHS = (1, 4)
# A single level is as fast as the harness's own paths: start with two.
LENGTHS_OF_ONE_LEVEL = (2, 6)
ONE_LEVEL = ("logic", "select")
RAM_LATENCIES = (1, 2)
REGISTERED_RAM_LENGTH = LENGTHS_OF_ONE_LEVEL[0]
OVERHEAD_FROM = ("logic", 32)


@dataclass(frozen=True)
class Family:
    """What is measured of a target: `[measurement]` of its file (see there). `multiplier_ps`: what
    a product in a block takes at least between registers, where nextpnr does not know; `seeds`: how
    often each circuit is placed; `kernel_clock_ns`: for which bench/families.py makes
    kernels."""

    device: str
    package: str
    copies: tuple[int, int]
    cipher_rounds: int
    mul_bits: list[int]
    mul_lengths: tuple[int, int]
    mul_latencies: list[int]
    registered_mul_bits: int
    rom_index_bits: list[int]
    ram_index_bits: int
    ram_word_bits: int
    ram_words: list[int]
    ram_bits: list[int]
    multiplier_ps: int = 0
    seeds: int = 3
    kernel_clock_ns: float = 10.0

    @property
    def sizes(self) -> dict[str, list[int]]:
        """Of each operator, those that are measured."""
        return {**SIZES, "mul": self.mul_bits, "rom": self.rom_index_bits}

    def lengths_of(self, operator: str) -> tuple[int, int]:
        """The two lengths of an operator's chains."""
        if operator == "mul":
            return self.mul_lengths
        return LENGTHS_OF_ONE_LEVEL if operator in ONE_LEVEL else LENGTHS

    def copies_of(self, size: int) -> int:
        """How many chains are beside each other: fewer of wide operators, which are large."""
        narrow, wide = self.copies
        return wide if size >= circuits.WIDE_BITS else narrow


@dataclass(frozen=True)
class Point:
    """One circuit: median period over the seeds, cells. `size`: width, or index bits of a rom."""

    operator: str
    size: int
    length: int
    period_ps: int
    seeds_ps: list[int]
    logic_ps: int
    routing_ps: int
    lut4: int
    carry: int
    dsp: int
    bram: int
    seconds: float


@dataclass(frozen=True)
class Row:
    """The delay and area of one operator of one size."""

    size: int
    delay_ps: int
    area_lut4: int
    area_dsp: int


Points = dict[str, Point]
Areas = dict[str, int]


@dataclass
class Measured:
    """A target, and what is known of it so far."""

    name: str
    device: Device
    family: Family
    points: Points
    areas: Areas

    @property
    def target_file(self) -> Path:
        return target_file(self.name)

    @property
    def results_file(self) -> Path:
        return results_file(self.name)

    def lut4(self, cells: Resources | Point) -> int:
        """Look-up tables, those of carry cells too."""
        return cells.lut4 + self.device.luts_per_carry * cells.carry

    def period_ps(self, operator: str, size: int, length: int) -> int:
        return self.points[key_of(operator, size, length)].period_ps


def target_file(name: str) -> Path:
    return REPOSITORY / "targets" / f"{name}.toml"


def results_file(name: str) -> Path:
    return REPOSITORY / "bench" / "results" / f"{name}-delays.json"


def begin(name: str, resumes: bool) -> Measured:
    """A target with what an earlier run has measured of it, or with nothing."""
    data = tomllib.loads(target_file(name).read_text())
    device, family = device_from_table(data["synthesis"]), Family(**data["measurement"])
    points, areas = load(results_file(name)) if resumes else ({}, {})
    return Measured(name, device, family, points, areas)


def key_of(operator: str, size: int, length: int) -> str:
    return f"{operator}-{size}-{length}"


def save(measured: Measured) -> None:
    measured.results_file.parent.mkdir(parents=True, exist_ok=True)
    family = measured.family
    document: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "tools": tool_versions(measured.device),
        "device": str(measured.device),
        "small_device": f"{family.device} {family.package}, same speed grade",
        "areas_lut4": measured.areas,
        "points": [asdict(point) for point in measured.points.values()],
    }
    measured.results_file.write_text(json.dumps(document, indent=1) + "\n")


def load(results: Path) -> tuple[Points, Areas]:
    if not results.exists():
        return {}, {}
    document = json.loads(results.read_text())
    rows = [Point(**row) for row in document["points"]]
    points = {key_of(p.operator, p.size, p.length): p for p in rows}
    return points, document.get("areas_lut4", {})
