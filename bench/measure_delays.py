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
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import delay_circuits as circuits
from delay_points import (
    AREA_SIZES,
    GATE,
    GATE_INPUTS,
    LENGTHS,
    NOTHING,
    REGISTERED_RAM_LENGTH,
    REPOSITORY,
    TABLE_BITS,
    TABLE_WIDTHS,
    Family,
    Measured,
    Point,
    begin,
    key_of,
    save,
)
from delay_target import write_target
from tandem.synthesis import Device, Resources
from tandem.synthesis.flow import map_cells
from tandem.synthesis.nextpnr import Routed, place_and_route
from tandem.synthesis.yosys import Netlist, resources_of_modules

UNREACHABLE_NS = 2.0  # so that the placer never stops improving
LARGE_CLOCK_NS = 5.0
SLOW_SECONDS = 12  # a circuit that large has many paths, so one seed says enough


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
    """All at once: each is mapped alone, and what takes time is reading the family's cells."""
    texts = {key: t for key, t in area_circuits().items() if key not in measured.areas}
    if texts:
        map_text(circuits.together(texts), work / "areas", measured.device)
        found = resources_of_modules(work / "areas", measured.device)
        measured.areas |= {key: measured.lut4(found[circuits.name_of(key)]) for key in texts}
        save(measured)
        print(f"areas: {measured.areas}", flush=True)


def record(measured: Measured, point: Point) -> None:
    key = key_of(point.operator, point.size, point.length)
    measured.points[key] = point
    save(measured)
    print(f"{key}: {point.period_ps} ps of {point.seeds_ps}, {point.seconds:.1f} s", flush=True)


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
