# SPDX-License-Identifier: Apache-2.0
"""A chip for a board: its Verilog mapped, placed, routed and packed by open tools. What is placed
has memories full of random numbers, in place of which the program is put into the finished
configuration: a new program needs no new placement."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tandem.cache.builds import open_cache
from tandem.chip.board import board_pins, board_verilog, clocks_of
from tandem.chip.design import Design, ram_file
from tandem.chip.flows import FLOWS
from tandem.chip.flows.flow import Flow
from tandem.chip.interconnect import has_rings
from tandem.chip.soc import words_hex
from tandem.compiler.compile import find_target
from tandem.diagnostics import Place, user_error
from tandem.installation import data_file, known
from tandem.progress import stage
from tandem.synthesis import tools
from tandem.synthesis.device import Device, device_of
from tandem.synthesis.nextpnr import TRIES, best_seed, fmax_mhz, run_nextpnr

TOP, NETLIST, CONFIG, CONSTRAINTS = "board", "board.json", "board.config", "board.pins"
STAT, REPORT = "cells.json", "report.json"
ROUTED = (CONFIG, REPORT)
PLACED = (*ROUTED, STAT)
"""What is kept of a placement."""
PARTS: tuple[str, ...] = ("core", "shell", "kernel", "rest")
"""Of a chip, as it is told what each takes."""
_COMMENT = re.compile(r"[ \t]*//(?! *(?:synthesis|synopsys|pragma|verilator)\b).*")
"""A comment of one line that no tool takes for more."""


@dataclass(frozen=True)
class Board:
    """A board's file, the device on it, and the tools of its family."""

    name: str
    data: dict[str, Any]
    device: Device
    flow: Flow


def find_board(name: str) -> Board:
    """A board's pins. Raises UserError that lists the known ones."""
    if name not in known("boards"):
        raise user_error(
            "board", f"unknown board `{name}`", help=f"known are: {', '.join(known('boards'))}"
        )
    data = tomllib.loads(data_file("boards", f"{name}.toml").read_text())
    own, family = data["nextpnr"], device_of(find_target(data["target"]))
    options = tuple(own["options"])
    device = replace(family, part=own["part"], package=own["package"], nextpnr_options=options)
    return Board(name, data, device, FLOWS[device.nextpnr])


def require_board(chip: dict[str, Any], board: Board, kernels: int) -> None:
    """That a chip is one for a board. Raises UserError."""
    place = Place(str(data_file("boards", f"{board.name}.toml")))
    wanted = board.data["target"]
    if chip["target"] != wanted:
        raise user_error(
            "board",
            f"`{board.name}` has a device of {wanted}, and the platform's kernels are scheduled "
            f"for {chip['target']}",
            place,
            f'give --platform a file whose [chip] has target = "{wanted}", or another --board',
        )
    if has_rings(chip, kernels) and not board.flow.has_two_writers:
        raise user_error(
            "board",
            f"shells that fetch and store write to the memory beside the processor, and a block "
            f"RAM of {wanted} has one port that writes",
            place,
            'give their [[bus]] another protocol, such as "wishbone"',
        )
    board_verilog(chip, board.data, board.flow)


def make_bitstream(
    chip: dict[str, Any], board: Board, design: Design, work: Path, seed: int = 1
) -> dict[str, Any]:
    """Maps, places, routes and packs a chip for a board in the folder `work`; what the board is
    configured with is then in the design's folder. Returns the names of these files, the cells of
    each module and the clock rate that is met.

    Raises SynthesisError where a tool fails, as where it does not fit, UserError for a clock that
    the board does not make."""
    _fill(chip, board, design, work)
    _placed(chip, board, design, work, seed)
    config = _with_program(chip, board, design, work)
    board.flow.pack(work, config, board.flow.files)
    for name in board.flow.files:
        shutil.copyfile(work / name, design.folder / name)
    report = _report(work)
    rates = part_rates(report)
    parts = {
        part: cells | {"fmax_mhz": rates[part]}
        for part, cells in _parts(design, board.device, work).items()
    }
    return {"files": [*board.flow.files], "parts": parts, **_timing(report, chip)}


def _fill(chip: dict[str, Any], board: Board, design: Design, work: Path) -> None:
    """The work folder's files, with random numbers in memories: of all zeros nobody finds again
    which memory has which bits. Without comments, which tell of a kernel what C it is of: that
    may change around it."""
    for name in design.files:
        (work / name).write_text(_COMMENT.sub("", (design.folder / name).read_text()))
    (work / "board.v").write_text(board_verilog(chip, board.data, board.flow))
    pins, clocks = board_pins(board.data), clocks_of(chip, board.data)
    (work / CONSTRAINTS).write_text(board.flow.constraints(pins, clocks))
    for number, ram in enumerate(chip["rams"]):
        content = random.Random(number).randbytes(ram["bytes"])
        (work / ram_file(number)).write_text(words_hex(content, ram["bytes"]))


def _placed(chip: dict[str, Any], board: Board, design: Design, work: Path, seed: int) -> None:
    """Puts PLACED into the work folder: of an earlier run of the same Verilog, or anew."""
    cache, name = open_cache(), _name(chip, board, design, work, seed)
    found = cache.find(name) if cache else None
    if found is not None:
        for file in PLACED:
            shutil.copyfile(found / file, work / file)
        return
    with stage("yosys"):
        script = _script([*design.files, "board.v"], board.device)
        tools.run(tools.find_yosys(), ["-p", script], work, "yosys.log")
    _place_best(chip, board, work, seed)
    if cache:
        kept = work / "kept"
        kept.mkdir()
        for file in PLACED:
            shutil.copyfile(work / file, kept / file)
        cache.store(name, {}, kept)


def _place_best(chip: dict[str, Any], board: Board, work: Path, seed: int) -> None:
    """Places with one seed, and with others where the clock is missed."""

    def place(one: int) -> tuple[float, list[bytes]]:
        with stage(f"nextpnr, seed {one}"):
            run_nextpnr(board.device, _placing(board, chip, one), work)
        return fmax_mhz(_report(work)), [(work / name).read_bytes() for name in ROUTED]

    _, files = best_seed(place, chip["clock_hz"] / 1e6, seed)
    for name, content in zip(ROUTED, files, strict=True):
        (work / name).write_bytes(content)


def _name(chip: dict[str, Any], board: Board, design: Design, work: Path, seed: int) -> str:
    """What a placement depends on."""
    files = [*design.files, "board.v"]
    found = [tools.version(tool) for tool in (tools.find_yosys(), board.device.placer.find())]
    known = [*found, _script(files, board.device), _placing(board, chip, seed), TRIES]
    total = hashlib.sha256(json.dumps(known).encode())
    for name in (*files, CONSTRAINTS):
        total.update((work / name).read_bytes())
    return total.hexdigest()


def _with_program(chip: dict[str, Any], board: Board, design: Design, work: Path) -> str:
    """The configuration with the program in its memories."""
    config = CONFIG
    for number in range(len(chip["rams"])):
        wanted, made = f"wanted{number}.hex", f"program{number}.config"
        shutil.copyfile(design.folder / ram_file(number), work / wanted)
        board.flow.put_content(work, config, made, ram_file(number), wanted)
        config = made
    return config


def _script(files: Sequence[str], device: Device) -> str:
    return (
        f"read_verilog -sv {' '.join(files)}; "
        f"{' '.join([device.yosys, *device.yosys_options])} -top {TOP} -noflatten; "
        f"design -save mapped; {device.count(STAT)}; "
        f"design -load mapped; flatten; clean; write_json {NETLIST}"
    )


def _placing(board: Board, chip: dict[str, Any], seed: int) -> list[str]:
    flow = board.flow
    files = {board.device.placer.constraints_option: CONSTRAINTS, flow.config_option: CONFIG}
    return [
        *("--json", NETLIST, "--report", REPORT),
        *(word for pair in files.items() for word in pair),
        *("--freq", f"{chip['clock_hz'] / 1e6:g}", "--seed", str(seed)),
        "--detailed-timing-report",
    ]


def _parts(design: Design, device: Device, work: Path) -> dict[str, dict[str, int]]:
    """The cells of the processor, of shells, of kernels, and of all else."""
    found = json.loads((work / STAT).read_text())["modules"]
    modules = {name.lstrip("\\"): row["num_cells_by_type"] for name, row in found.items()}
    counted = {"lut4": device.luts}
    for kind in ("ff", "bram", "dsp"):
        counted[kind] = dict.fromkeys(getattr(device.cells, kind), 1)
    parts = {part: dict.fromkeys(counted, 0) for part in PARTS}
    for name, part, times in _instances(design, modules, TOP, "rest", 1):
        cells = modules[name]
        for kind, numbers in counted.items():
            parts[part][kind] += times * sum(cells.get(n, 0) * each for n, each in numbers.items())
    return parts


def _instances(
    design: Design, modules: dict[str, dict[str, int]], name: str, within: str, times: int
) -> Iterator[tuple[str, str, int]]:
    """A module that is so many times within a part, and all in it: with its part and how often."""
    part = _part_of(design, name) or within
    yield name, part, times
    for cell, count in modules[name].items():
        inner = cell.lstrip("\\")
        if inner in modules:
            yield from _instances(design, modules, inner, part, times * count)


def _part_of(design: Design, module: str) -> str | None:
    """Whose module it is; of one with parameters, yosys writes its name between backslashes."""
    names = {word for word in module.replace("$paramod", "").split("\\") if word}
    for part, modules in design.modules.items():
        if names & modules:
            return part
    return None


def part_rates(report: dict[str, Any]) -> dict[str, float | None]:
    """The clock rate in MHz that each part would reach: of the slowest path that ends in one of its
    registers or memories, wherever it begins. None for a part without any."""
    slowest_ns = dict.fromkeys(PARTS, 0.0)
    for net in report["detailed_net_timings"]:
        for end in net["endpoints"]:
            if "async" not in end["event"] and "async" not in net["event"]:
                part = _part_with(end["cell"])
                slowest_ns[part] = max(slowest_ns[part], end["delay"][1])
    return {part: 1e3 / ns if ns else None for part, ns in slowest_ns.items()}


def _part_with(cell: str) -> str:
    """The part that a placed cell is in, by the instances on the way to it (chip/soc.py)."""
    _, within, inner, *_ = [*cell.split("."), "", ""]
    if within == "core":
        return "core"
    if re.fullmatch(r"shell\d+", within):
        return "kernel" if inner == "kernel" else "shell"
    return "rest"


def _report(work: Path) -> dict[str, Any]:
    return json.loads((work / REPORT).read_text())


def _timing(report: dict[str, Any], chip: dict[str, Any]) -> dict[str, Any]:
    met = fmax_mhz(report)
    wanted = chip["clock_hz"] / 1e6
    return {"fmax_mhz": met, "clock_mhz": wanted, "is_met": met >= wanted}
