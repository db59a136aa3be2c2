# SPDX-License-Identifier: Apache-2.0
"""Measure a target's operator delays by place and route, and write them into its target file.

    python bench/measure_delays.py [TARGET] [--resume] [--work FOLDER]

Chains of two lengths are placed and routed; the difference of their clock periods over the
difference of their lengths is the delay of one operator, the routing to the next included. What
remains of a chain of one is the register overhead. A large design then shows by how much longer
its routes make the sum of these delays. Areas of operators that synthesis can make small or fast
are those beside a longer path, where most of a kernel's lie. What is measured
`[measurement]` of the target file says. Raw periods and areas go to bench/results/NAME-delays.json,
and everything below the marker line of targets/NAME.toml is written anew. Takes about 20 minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import delay_circuits as circuits
from tandem.synthesis import Device, Resources
from tandem.synthesis.device import device_from_table
from tandem.synthesis.flow import map_cells, tool_versions
from tandem.synthesis.nextpnr import Routed, place_and_route
from tandem.synthesis.yosys import Netlist

REPOSITORY = Path(__file__).resolve().parent.parent
MARKER = "# Everything below is written by bench/measure_delays.py; do not edit.\n"

UNREACHABLE_NS = 2.0  # so that the placer never stops improving
LARGE_CLOCK_NS = 5.0
SLOW_SECONDS = 12  # a circuit that large has many paths, so one seed says enough

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
    often each circuit is placed."""

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


@dataclass(frozen=True)
class Placed:
    """A circuit: its cells, its placements for each seed, the fastest first, and how long all that
    took."""

    cells: Resources
    routed: list[Routed]
    seconds: float


def map_text(text: str, folder: Path, device: Device) -> Netlist:
    folder.mkdir(parents=True, exist_ok=True)
    verilog = folder / "design.sv"
    verilog.write_text(text)
    return map_cells(verilog, circuits.TOP, device, folder)


def place(text: str, folder: Path, device: Device, clock_ns: float, seeds: int) -> Placed:
    """A slow one is left with its first seed."""
    started = time.monotonic()
    netlist = map_text(text, folder, device)
    routed: list[Routed] = []
    for seed in range(1, seeds + 1):
        before = time.monotonic()
        routed.append(place_and_route(folder, netlist.file, device, clock_ns, seed))
        if time.monotonic() - before > SLOW_SECONDS:
            break
    routed.sort(key=period_ps)
    return Placed(netlist.design, routed, time.monotonic() - started)


def period_ps(routed: Routed) -> int:
    return round(1e6 / routed.fmax_mhz)


def point_of(operator: str, size: int, length: int, placed: Placed) -> Point:
    middle, cells = placed.routed[len(placed.routed) // 2], placed.cells
    return Point(
        operator,
        size,
        length,
        period_ps=period_ps(middle),
        seeds_ps=[period_ps(one) for one in placed.routed],
        logic_ps=middle.critical.logic_ps,
        routing_ps=middle.critical.routing_ps,
        lut4=cells.lut4,
        carry=cells.carry,
        dsp=cells.dsp,
        bram=cells.bram,
        seconds=round(placed.seconds, 2),
    )


def wanted_circuits(family: Family) -> Iterator[tuple[str, int, int, Callable[[], str]]]:
    """Operator, size, length and the text of every small circuit."""
    for name, sizes in family.sizes.items():
        for size in sizes:
            operator, copies = circuits.OPERATORS[name](size), family.copies_of(size)
            for length in family.lengths_of(name):
                yield name, size, length, partial(circuits.chain, operator, length, copies)
    ram = partial(circuits.ram, family.ram_index_bits, family.ram_word_bits)
    for length in LENGTHS:
        yield "ram", family.ram_index_bits, length, partial(ram, length, 1)
    length = REGISTERED_RAM_LENGTH
    yield "registered ram", family.ram_index_bits, length, partial(ram, length, 2)
    for latency in family.mul_latencies:  # in the place of a length
        bits = family.registered_mul_bits
        yield "registered mul", bits, latency, partial(circuits.registered_mul, bits, latency)


def measure_small(measured: Measured, work: Path) -> None:
    family = measured.family
    small = replace(measured.device, part=family.device, package=family.package)
    for operator, size, length, text in wanted_circuits(family):
        key = key_of(operator, size, length)
        if key not in measured.points:
            placed = place(text(), work / key, small, UNREACHABLE_NS, family.seeds)
            record(measured, point_of(operator, size, length, placed))


def measure_large(measured: Measured, work: Path) -> None:
    """The `length` of these points is the number of operators of a stage."""
    rounds = measured.family.cipher_rounds
    for operators in (2, 3):
        key = key_of("cipher", rounds, operators)
        if key not in measured.points:
            text = circuits.cipher(rounds, keyed_before=operators == 3)
            seeds = measured.family.seeds
            placed = place(text, work / key, measured.device, LARGE_CLOCK_NS, seeds)
            record(measured, point_of("cipher", rounds, operators, placed))


def area_circuits() -> dict[str, str]:
    """Every circuit whose area alone counts."""
    texts = {NOTHING: circuits.unhurried(None)}
    for name, sizes in AREA_SIZES.items():
        for size in sizes:
            operator = circuits.OPERATORS[name](size)
            texts[f"{name}-{size}"] = circuits.unhurried(operator)
    texts |= {f"{GATE}-{inputs}": circuits.gate(inputs) for inputs in GATE_INPUTS}
    return texts | {
        f"rom-{bits}x{width}": circuits.table(bits, width)
        for bits in TABLE_BITS
        for width in TABLE_WIDTHS
    }


def measure_areas(measured: Measured, work: Path) -> None:
    for key, text in area_circuits().items():
        if key in measured.areas:
            continue
        netlist = map_text(text, work / f"area-{key}", measured.device)
        measured.areas[key] = measured.lut4(netlist.design)
        save(measured)
        print(f"{key}: {measured.areas[key]} LUT4", flush=True)


def record(measured: Measured, point: Point) -> None:
    key = key_of(point.operator, point.size, point.length)
    measured.points[key] = point
    save(measured)
    print(f"{key}: {point.period_ps} ps of {point.seeds_ps}, {point.seconds:.1f} s", flush=True)


def slope_ps(measured: Measured, operator: str, size: int) -> int:
    first, last = measured.family.lengths_of(operator)
    short, long = (measured.period_ps(operator, size, n) for n in (first, last))
    return round((long - short) / (last - first))


def overhead_ps(measured: Measured) -> int:
    operator, size = OVERHEAD_FROM
    length = measured.family.lengths_of(operator)[0]
    short = measured.period_ps(operator, size, length)
    return short - length * slope_ps(measured, operator, size)


def delay_ps(measured: Measured, operator: str, size: int) -> int:
    """The larger of the slope and what a chain of one takes beyond the register overhead."""
    length = measured.family.lengths_of(operator)[0]
    alone = (measured.period_ps(operator, size, length) - overhead_ps(measured)) / length
    least = measured.family.multiplier_ps - overhead_ps(measured) if operator == "mul" else 0
    return max(slope_ps(measured, operator, size), round(alone), least)


def row_of(measured: Measured, operator: str, size: int) -> Row:
    family = measured.family
    length = family.lengths_of(operator)[1]
    long, count = measured.points[key_of(operator, size, length)], family.copies_of(size) * length
    lut4, dsp = round(measured.lut4(long) / count), round(long.dsp / count)
    return Row(size, delay_ps(measured, operator, size), lut4, dsp)


def ram_answer_ps(measured: Measured, latency: int) -> int:
    """What a path that starts in a block RAM takes before its first operator, setup included; with
    a latency of two cycles in its output register."""
    name, length = (
        ("ram", LENGTHS[0]) if latency == 1 else ("registered ram", REGISTERED_RAM_LENGTH)
    )
    period = measured.period_ps(name, measured.family.ram_index_bits, length)
    return period - length * delay_ps(measured, *OVERHEAD_FROM)


def mul_answer_ps(measured: Measured, latency: int) -> int:
    """The same of a multiplier block with registers at its inputs, or at its output too."""
    period = measured.period_ps("registered mul", measured.family.registered_mul_bits, latency)
    return max(period, measured.family.multiplier_ps)


def large_sum_ps(measured: Measured, operators: int) -> int:
    """What the small circuits promise for a stage of the cipher: a table and levels of logic."""
    logic, table = delay_ps(measured, *OVERHEAD_FROM), delay_ps(measured, "rom", 6)
    return table + (operators - 1) * logic


def large_operators_ps(measured: Measured, operators: int) -> int:
    """What the operators take in the large design: its period without the register overhead."""
    period = measured.period_ps("cipher", measured.family.cipher_rounds, operators)
    return period - overhead_ps(measured)


def large_factor(measured: Measured) -> float:
    """From the stage of two operators, where the shared key joins last and is never critical."""
    return large_operators_ps(measured, 2) / large_sum_ps(measured, 2)


def shared_register_ps(measured: Measured) -> int:
    """From the stage of three operators, which starts with the key that all rounds share."""
    operators_ps = large_operators_ps(measured, 3) / large_factor(measured)
    return max(0, round(operators_ps - large_sum_ps(measured, 3)))


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


def operator_table(measured: Measured, operator: str) -> str:
    family, areas = measured.family, measured.areas
    rows = [row_of(measured, operator, size) for size in family.sizes[operator]]
    size_name = "index_bits" if operator == "rom" else "width_bits"
    first, second = family.lengths_of(operator)
    lines = [
        f"[operators.{operator}]",
        f"{size_name} = {[row.size for row in rows]}",
        f"delay_ps = {[row.delay_ps for row in rows]}",
    ]
    lines += area_lines(areas, operator) or [f"area_lut4 = {[row.area_lut4 for row in rows]}"]
    if operator == "logic":
        lines.append(f"gate_inputs = {GATE_INPUTS}")
        lines.append(f"gate_lut4 = {[areas[f'{GATE}-{inputs}'] for inputs in GATE_INPUTS]}")
    if any(row.area_dsp for row in rows):
        lines.append(f"area_dsp = {[row.area_dsp for row in rows]}")
    how = f"bench/measure_delays.py: chains of {first} and {second}"
    return "\n".join([*lines, f'how = "{how}"', ""])


def area_lines(areas: Areas, operator: str) -> list[str]:
    """Of what is measured beside a longer path, which is taken off; and of tables, which are alone
    in kernels too."""
    if operator == "rom":
        total = [sum(areas[f"rom-{n}x{width}"] for width in TABLE_WIDTHS) for n in TABLE_BITS]
        bits = [round(lut4 / sum(TABLE_WIDTHS), 1) for lut4 in total]
        return [f"area_bits = {TABLE_BITS}", f"area_lut4_per_bit = {bits}"]
    sizes = AREA_SIZES.get(operator)
    if not sizes:
        return []
    found = [areas[f"{operator}-{size}"] - areas[NOTHING] for size in sizes]
    return [f"area_bits = {sizes}", f"area_lut4 = {found}"]


def routing_table(measured: Measured) -> str:
    taken = [large_operators_ps(measured, n) for n in (2, 3)]
    sums = [large_sum_ps(measured, n) for n in (2, 3)]
    rounds = measured.family.cipher_rounds
    lut4 = measured.points[key_of("cipher", rounds, 2)].lut4
    how = (
        f"{rounds}-round cipher on the target's part, period less overhead: stages of 2 "
        f"operators {taken[0]} ps, sum {sums[0]}; of 3 from a shared key {taken[1]}, sum {sums[1]}"
    )
    return f"""# In a design of {lut4:,} LUT4 a path takes
# overhead_ps + large_design_factor * (its operators' delays + shared_register_ps),
# the last only where it starts in a register that is read all over the design.
[routing]
large_design_factor = {large_factor(measured):.2f}
shared_register_ps = {shared_register_ps(measured)}
how = "bench/measure_delays.py: {how}"
"""


def register_table(measured: Measured) -> str:
    return f"""# In a small design a path takes overhead_ps and its operators' delays.
[register]
overhead_ps = {overhead_ps(measured)}  # clock to q, one route and setup
how = "bench/measure_delays.py: chain of logic, less the logic"
"""


def ram_table(family: Family) -> str:
    return f"""[operators.ram]
index_bits = [{family.ram_index_bits}]
delay_ps = [0]
area_lut4 = [0]
area_bram = [1]
part_words = {family.ram_words}
part_bits = {family.ram_bits}
how = "bench/measure_delays.py: block RAM, and with its output register, less the logic"
"""


REGISTERED = """\
# With registers inside. On a path that starts there, answer_ps replaces the register's overhead.
"""


def registered_table(
    measured: Measured,
    operator: str,
    latencies: Iterable[int],
    answer: Callable[[Measured, int], int],
) -> str:
    """What an operator is at each latency."""
    return REGISTERED + "\n".join(
        f"[[operators.{operator}.registered]]\n"
        f"latency_cycles = {latency}\n"
        f"answer_ps = {answer(measured, latency)}\n"
        for latency in latencies
    )


def target_text(measured: Measured) -> str:
    operators = (operator_table(measured, name) for name in measured.family.sizes)
    parts = [
        register_table(measured),
        routing_table(measured),
        *operators,
        registered_table(measured, "mul", measured.family.mul_latencies, mul_answer_ps),
        ram_table(measured.family),
        registered_table(measured, "ram", RAM_LATENCIES, ram_answer_ps),
    ]
    return MARKER + "\n" + "\n".join(parts)


def write_target(measured: Measured) -> None:
    head = measured.target_file.read_text().split(MARKER)[0].rstrip()
    measured.target_file.write_text(f"{head}\n\n{target_text(measured)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="?", default="ecp5", help="a file of targets/")
    parser.add_argument("--resume", action="store_true", help="keep the points already measured")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    work = options.work or REPOSITORY / "build" / "delays" / options.target
    measured = begin(options.target, options.resume)
    measure_small(measured, work)
    measure_large(measured, work)
    measure_areas(measured, work)
    write_target(measured)


if __name__ == "__main__":
    main()
