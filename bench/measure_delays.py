# SPDX-License-Identifier: Apache-2.0
"""Measure a target's operator delays by place and route, and write them into its target file.

    python bench/measure_delays.py [--resume] [--work FOLDER]

Chains of two lengths are placed and routed; the difference of their clock periods over the
difference of their lengths is the delay of one operator, the routing to the next included. What
remains of a chain of one is the register overhead. A large design then shows by how much longer
its routes make the sum of these delays. Areas of operators that synthesis can make small or fast
are those beside a longer path, where most of a kernel's lie. Raw periods and areas go to
bench/results/ecp5-delays.json, and everything below the marker line of targets/ecp5.toml is written
anew. Takes about 20 minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import delay_circuits as circuits
from tandem.synthesis import Device, Placement, synthesize
from tandem.synthesis.device import device_from_table
from tandem.synthesis.flow import map_cells, tool_versions

FROM_KERNELS = """\
# Placement scatters: the worst of three seeds was 7 % slower than the median. That part of a
# clock period is left free.
placement_margin = 0.09
# Of what large_design_factor allows, kernels of 1,000 to 8,000 LUTs take this in the median: of
# (period - overhead_ps) / path over bench/kernels, placed by bench/peers.py. From 0.97 to 1.46.
expected_factor = 1.21
"""
REPOSITORY = Path(__file__).resolve().parent.parent
TARGET_FILE = REPOSITORY / "targets" / "ecp5.toml"
RESULTS_FILE = REPOSITORY / "bench" / "results" / "ecp5-delays.json"
MARKER = "# Everything below is written by bench/measure_delays.py; do not edit.\n"

# The smallest part of the family has the same delays and loads faster.
SMALL_PART, SMALL_PACKAGE = "25k", "CABGA381"
UNREACHABLE_NS = 2.0  # so that the placer never stops improving
LARGE_CLOCK_NS = 5.0
LARGE_ROUNDS = 48
SEEDS = (1, 2, 3)
SLOW_SECONDS = 12  # a circuit that large has many paths, so one seed says enough

SIZES: dict[str, list[int]] = {
    "logic": [1, 32, 64, 128],
    "add": [4, 8, 16, 32, 64],
    "eq": [4, 8, 16, 32, 64],
    "lt": [4, 8, 16, 32, 64],
    "select": [2, 8, 32, 64],
    "shift": [8, 16, 32, 64],
    "mul": [8, 16, 18, 32],
    "rom": [4, 5, 6, 7, 8, 9],
}
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
RAM_SIZE = 10  # address bits: one DP16KD of 1024 x 18
RAM_SHAPES = {512: 36, 1024: 18, 2048: 9, 4096: 4, 8192: 2, 16384: 1}  # of a DP16KD, from its data
MUL_SIZE = 18
LATENCIES = (1, 2)
REGISTERED_RAM_LENGTH = LENGTHS_OF_ONE_LEVEL[0]
OVERHEAD_FROM = ("logic", 32)


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


def load_device(target: Path) -> Device:
    return device_from_table(tomllib.loads(target.read_text())["synthesis"])


def key_of(operator: str, size: int, length: int) -> str:
    return f"{operator}-{size}-{length}"


def lengths_of(operator: str) -> tuple[int, int]:
    return LENGTHS_OF_ONE_LEVEL if operator in ONE_LEVEL else LENGTHS


def place(text: str, folder: Path, device: Device, clock_ns: float) -> list[Placement]:
    """One placement for each seed, the fastest first; a slow one is left with its first seed."""
    folder.mkdir(parents=True, exist_ok=True)
    verilog = folder / "design.sv"
    verilog.write_text(text)
    placed: list[Placement] = []
    for seed in SEEDS:
        placed.append(synthesize(verilog, circuits.TOP, device, clock_ns, folder, seed))
        if placed[0].placement_seconds > SLOW_SECONDS:
            break
    return sorted(placed, key=lambda placement: placement.period_ps)


def point_of(operator: str, size: int, length: int, seeds: list[Placement]) -> Point:
    placed = seeds[len(seeds) // 2]
    cells = placed.design
    return Point(
        operator,
        size,
        length,
        period_ps=placed.period_ps,
        seeds_ps=[one.period_ps for one in seeds],
        logic_ps=placed.critical.logic_ps,
        routing_ps=placed.critical.routing_ps,
        lut4=cells.lut4,
        carry=cells.carry,
        dsp=cells.dsp,
        bram=cells.bram,
        seconds=round(sum(p.synthesis_seconds + p.placement_seconds for p in seeds), 2),
    )


def wanted_circuits() -> list[tuple[str, int, int, Callable[[], str]]]:
    """Operator, size, length and the text of every small circuit."""
    wanted: list[tuple[str, int, int, Callable[[], str]]] = []
    for name, sizes in SIZES.items():
        for size in sizes:
            operator = circuits.OPERATORS[name](size)
            for length in lengths_of(name):
                wanted.append(
                    (name, size, length, lambda o=operator, n=length: circuits.chain(o, n))
                )
    for length in LENGTHS:
        wanted.append(("ram", RAM_SIZE, length, lambda n=length: circuits.ram(RAM_SIZE, n, 1)))
    length = REGISTERED_RAM_LENGTH
    wanted.append(
        ("registered ram", RAM_SIZE, length, lambda n=length: circuits.ram(RAM_SIZE, n, 2))
    )
    for latency in LATENCIES:  # in the place of a length
        text = partial(circuits.registered_mul, MUL_SIZE, latency)
        wanted.append(("registered mul", MUL_SIZE, latency, text))
    return wanted


def measure_small(device: Device, work: Path, points: Points, areas: Areas) -> None:
    small = replace(device, part=SMALL_PART, package=SMALL_PACKAGE)
    for operator, size, length, text in wanted_circuits():
        key = key_of(operator, size, length)
        if key not in points:
            placed = place(text(), work / key, small, UNREACHABLE_NS)
            record(device, points, areas, point_of(operator, size, length, placed))


def measure_large(device: Device, work: Path, points: Points, areas: Areas) -> None:
    """The `length` of these points is the number of operators of a stage."""
    for operators in (2, 3):
        key = key_of("cipher", LARGE_ROUNDS, operators)
        if key not in points:
            text = circuits.cipher(LARGE_ROUNDS, keyed_before=operators == 3)
            placed = place(text, work / key, device, LARGE_CLOCK_NS)
            record(device, points, areas, point_of("cipher", LARGE_ROUNDS, operators, placed))


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


def measure_areas(device: Device, work: Path, points: Points, areas: Areas) -> None:
    for key, text in area_circuits().items():
        if key in areas:
            continue
        folder = work / f"area-{key}"
        folder.mkdir(parents=True, exist_ok=True)
        verilog = folder / "design.sv"
        verilog.write_text(text)
        cells = map_cells(verilog, circuits.TOP, device, folder).design
        areas[key] = cells.lut4 + 2 * cells.carry
        save(device, points, areas)
        print(f"{key}: {areas[key]} LUT4", flush=True)


def record(device: Device, points: Points, areas: Areas, point: Point) -> None:
    key = key_of(point.operator, point.size, point.length)
    points[key] = point
    save(device, points, areas)
    print(f"{key}: {point.period_ps} ps of {point.seeds_ps}, {point.seconds:.1f} s", flush=True)


def slope_ps(points: Points, operator: str, size: int) -> int:
    short, long = (points[key_of(operator, size, n)] for n in lengths_of(operator))
    return round((long.period_ps - short.period_ps) / (long.length - short.length))


def overhead_ps(points: Points) -> int:
    operator, size = OVERHEAD_FROM
    short = points[key_of(operator, size, lengths_of(operator)[0])]
    return short.period_ps - short.length * slope_ps(points, operator, size)


def delay_ps(points: Points, operator: str, size: int) -> int:
    """The larger of the slope and what a chain of one takes beyond the register overhead."""
    short = points[key_of(operator, size, lengths_of(operator)[0])]
    alone = (short.period_ps - overhead_ps(points)) / short.length
    return max(slope_ps(points, operator, size), round(alone))


def row_of(points: Points, operator: str, size: int) -> Row:
    long = points[key_of(operator, size, lengths_of(operator)[1])]
    count = circuits.copies_of(circuits.OPERATORS[operator](size)) * long.length
    luts = long.lut4 + 2 * long.carry
    return Row(size, delay_ps(points, operator, size), round(luts / count), round(long.dsp / count))


def ram_answer_ps(points: Points, latency: int) -> int:
    """What a path that starts in a block RAM takes before its first operator, setup included; with
    a latency of two cycles in its output register."""
    name, length = (
        ("ram", LENGTHS[0]) if latency == 1 else ("registered ram", REGISTERED_RAM_LENGTH)
    )
    point = points[key_of(name, RAM_SIZE, length)]
    return point.period_ps - point.length * delay_ps(points, *OVERHEAD_FROM)


def mul_answer_ps(points: Points, latency: int) -> int:
    """The same of a multiplier block with registers at its inputs, or at its output too."""
    return points[key_of("registered mul", MUL_SIZE, latency)].period_ps


def large_sum_ps(points: Points, operators: int) -> int:
    """What the small circuits promise for a stage of the cipher: a table and levels of logic."""
    logic, table = delay_ps(points, *OVERHEAD_FROM), delay_ps(points, "rom", 6)
    return table + (operators - 1) * logic


def large_operators_ps(points: Points, operators: int) -> int:
    """What the operators take in the large design: its period without the register overhead."""
    return points[key_of("cipher", LARGE_ROUNDS, operators)].period_ps - overhead_ps(points)


def large_factor(points: Points) -> float:
    """From the stage of two operators, where the shared key joins last and is never critical."""
    return large_operators_ps(points, 2) / large_sum_ps(points, 2)


def shared_register_ps(points: Points) -> int:
    """From the stage of three operators, which starts with the key that all rounds share."""
    operators_ps = large_operators_ps(points, 3) / large_factor(points)
    return max(0, round(operators_ps - large_sum_ps(points, 3)))


def save(device: Device, points: Points, areas: Areas) -> None:
    RESULTS_FILE.parent.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "tools": tool_versions(device),
        "device": str(device),
        "small_device": f"{SMALL_PART} {SMALL_PACKAGE}, same speed grade",
        "areas_lut4": areas,
        "points": [asdict(point) for point in points.values()],
    }
    RESULTS_FILE.write_text(json.dumps(document, indent=1) + "\n")


def load() -> tuple[Points, Areas]:
    if not RESULTS_FILE.exists():
        return {}, {}
    document = json.loads(RESULTS_FILE.read_text())
    rows = [Point(**row) for row in document["points"]]
    points = {key_of(p.operator, p.size, p.length): p for p in rows}
    return points, document.get("areas_lut4", {})


def operator_table(points: Points, areas: Areas, operator: str) -> str:
    rows = [row_of(points, operator, size) for size in SIZES[operator]]
    size_name = "index_bits" if operator == "rom" else "width_bits"
    first, second = lengths_of(operator)
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


def routing_table(points: Points) -> str:
    taken = [large_operators_ps(points, n) for n in (2, 3)]
    sums = [large_sum_ps(points, n) for n in (2, 3)]
    how = (
        f"{LARGE_ROUNDS}-round cipher on the target's part, period less overhead: stages of 2 "
        f"operators {taken[0]} ps, sum {sums[0]}; of 3 from a shared key {taken[1]}, sum {sums[1]}"
    )
    return f"""# In a design of ten thousand LUTs a path takes
# overhead_ps + large_design_factor * (its operators' delays + shared_register_ps),
# the last only where it starts in a register that is read all over the design.
[routing]
large_design_factor = {large_factor(points):.2f}
shared_register_ps = {shared_register_ps(points)}
{FROM_KERNELS}how = "bench/measure_delays.py: {how}"
"""


def register_table(points: Points) -> str:
    return f"""# In a small design a path takes overhead_ps and its operators' delays.
[register]
overhead_ps = {overhead_ps(points)}  # clock to q, one route and setup
how = "bench/measure_delays.py: chain of logic, less the logic"
"""


def ram_table() -> str:
    return f"""[operators.ram]
index_bits = [{RAM_SIZE}]
delay_ps = [0]
area_lut4 = [0]
area_bram = [1]
part_words = {list(RAM_SHAPES)}
part_bits = {list(RAM_SHAPES.values())}
how = "bench/measure_delays.py: block RAM, and with its output register, less the logic"
"""


REGISTERED = """\
# With registers inside. On a path that starts there, answer_ps replaces the register's overhead.
"""


def registered_table(points: Points, operator: str, answer: Callable[[Points, int], int]) -> str:
    """What an operator is at each latency."""
    return REGISTERED + "\n".join(
        f"[[operators.{operator}.registered]]\n"
        f"latency_cycles = {latency}\n"
        f"answer_ps = {answer(points, latency)}\n"
        for latency in LATENCIES
    )


def target_text(points: Points, areas: Areas) -> str:
    operators = (operator_table(points, areas, name) for name in SIZES)
    parts = [
        register_table(points),
        routing_table(points),
        *operators,
        registered_table(points, "mul", mul_answer_ps),
        ram_table(),
        registered_table(points, "ram", ram_answer_ps),
    ]
    return MARKER + "\n" + "\n".join(parts)


def write_target(points: Points, areas: Areas) -> None:
    head = TARGET_FILE.read_text().split(MARKER)[0].rstrip()
    TARGET_FILE.write_text(f"{head}\n\n{target_text(points, areas)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resume", action="store_true", help="keep the points already measured")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "delays")
    options = parser.parse_args()
    device = load_device(TARGET_FILE)
    points, areas = load() if options.resume else ({}, {})
    measure_small(device, options.work, points, areas)
    measure_large(device, options.work, points, areas)
    measure_areas(device, options.work, points, areas)
    write_target(points, areas)


if __name__ == "__main__":
    main()
