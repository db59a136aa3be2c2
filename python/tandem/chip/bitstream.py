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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.cache import open_cache
from tandem.chip.design import Design, ram_file
from tandem.chip.soc import board_verilog, constraints, words_hex
from tandem.diagnostics import user_error
from tandem.installation import data_file, known
from tandem.progress import stage
from tandem.synthesis import tools
from tandem.synthesis.nextpnr import TRIES, best_seed, fmax_mhz

TOP, NETLIST, CONFIG, CONSTRAINTS = "board", "board.json", "board.config", "board.lpf"
STAT, REPORT = "cells.json", "report.json"
ROUTED = (CONFIG, REPORT)
PLACED = (*ROUTED, STAT)
"""What is kept of a placement."""
BIT, SVF = "chip.bit", "chip.svf"
PARTS: tuple[str, ...] = ("core", "shell", "kernel", "rest")
"""Of a chip, as it is told what each takes."""
CELLS = {
    "lut4": ("LUT4", "CCU2C", "TRELLIS_RAMW", "TRELLIS_DPR16X4"),
    "ff": ("TRELLIS_FF",),
    "bram": ("DP16KD",),
    "dsp": ("MULT18X18D",),
}
"""What is counted as what."""
LUTS = {"CCU2C": 2, "TRELLIS_DPR16X4": 4, "TRELLIS_RAMW": 2}
"""A carry cell has two look-up tables, a distributed RAM four, and what writes to it two."""
_COMMENT = re.compile(r"[ \t]*//(?! *(?:synthesis|synopsys|pragma|verilator)\b).*")
"""A comment of one line that no tool takes for more."""


def find_board(name: str) -> dict[str, Any]:
    """A board's pins. Raises UserError that lists the known ones."""
    if name not in known("boards"):
        raise user_error(
            "board", f"unknown board `{name}`", help=f"known are: {', '.join(known('boards'))}"
        )
    return tomllib.loads(data_file("boards", f"{name}.toml").read_text())


def make_bitstream(
    chip: dict[str, Any], board: dict[str, Any], design: Design, work: Path, seed: int = 1
) -> dict[str, Any]:
    """Maps, places, routes and packs a chip for a board in the folder `work`; `chip.bit` and
    `chip.svf` are then in the design's folder. Returns the cells of each module and the clock rate
    that is met.

    Raises SynthesisError where a tool fails, as where it does not fit, UserError for a clock that
    the board does not make."""
    _fill(chip, board, design, work)
    _placed(chip, board, design, work, seed)
    config = _with_program(chip, design, work)
    with stage("ecppack"):
        pack = [config, "--bit", BIT, "--svf", SVF, "--compress"]
        tools.run(tools.find_ecppack(), pack, work, "ecppack.log")
    for name in (BIT, SVF):
        shutil.copyfile(work / name, design.folder / name)
    rates = part_rates(json.loads((work / REPORT).read_text()))
    parts = {
        part: cells | {"fmax_mhz": rates[part]} for part, cells in _parts(design, work).items()
    }
    return {"parts": parts, **_timing(work, chip)}


def _fill(chip: dict[str, Any], board: dict[str, Any], design: Design, work: Path) -> None:
    """The work folder's files, with random numbers in memories: of all zeros nobody finds again
    which memory has which bits. Without comments, which tell of a kernel what C it is of: that
    may change around it."""
    for name in design.files:
        (work / name).write_text(_COMMENT.sub("", (design.folder / name).read_text()))
    (work / "board.v").write_text(board_verilog(chip, board))
    (work / CONSTRAINTS).write_text(constraints(chip, board))
    for number, ram in enumerate(chip["rams"]):
        content = random.Random(number).randbytes(ram["bytes"])
        (work / ram_file(number)).write_text(words_hex(content, ram["bytes"]))


def _placed(
    chip: dict[str, Any], board: dict[str, Any], design: Design, work: Path, seed: int
) -> None:
    """Puts PLACED into the work folder: of an earlier run of the same Verilog, or anew."""
    cache, name = open_cache(), _name(chip, board, design, work, seed)
    found = cache.find(name) if cache else None
    if found is not None:
        for file in PLACED:
            shutil.copyfile(found / file, work / file)
        return
    with stage("yosys"):
        script = _script([*design.files, "board.v"])
        tools.run(tools.find_yosys(), ["-p", script], work, "yosys.log")
    _place_best(chip, board, work, seed)
    if cache:
        kept = work / "kept"
        kept.mkdir()
        for file in PLACED:
            shutil.copyfile(work / file, kept / file)
        cache.store(name, {}, kept)


def _place_best(chip: dict[str, Any], board: dict[str, Any], work: Path, seed: int) -> None:
    """Places with one seed, and with others where the clock is missed."""
    nextpnr = tools.find_nextpnr(board["target"])

    def place(one: int) -> tuple[float, list[bytes]]:
        with stage(f"nextpnr, seed {one}"):
            tools.run(nextpnr, _placing(board, chip, one), work, "nextpnr.log")
        return _reached_mhz(work), [(work / name).read_bytes() for name in ROUTED]

    _, files = best_seed(place, chip["clock_hz"] / 1e6, seed)
    for name, content in zip(ROUTED, files, strict=True):
        (work / name).write_bytes(content)


def _name(
    chip: dict[str, Any], board: dict[str, Any], design: Design, work: Path, seed: int
) -> str:
    """What a placement depends on."""
    yosys, nextpnr = tools.find_yosys(), tools.find_nextpnr(board["target"])
    known = [tools.version(yosys), tools.version(nextpnr), _placing(board, chip, seed), TRIES]
    total = hashlib.sha256(json.dumps(known).encode())
    for name in (*design.files, "board.v", CONSTRAINTS):
        total.update((work / name).read_bytes())
    return total.hexdigest()


def _with_program(chip: dict[str, Any], design: Design, work: Path) -> str:
    """The configuration with the program in its memories."""
    config = CONFIG
    for number in range(len(chip["rams"])):
        wanted, made = f"wanted{number}.hex", f"program{number}.config"
        shutil.copyfile(design.folder / ram_file(number), work / wanted)
        words = ["-i", config, "-o", made, "-f", ram_file(number), "-t", wanted]
        with stage("ecpbram"):
            tools.run(tools.find_ecpbram(), words, work, "ecpbram.log")
        config = made
    return config


def _script(files: Sequence[str]) -> str:
    return (
        f"read_verilog -sv {' '.join(files)}; synth_ecp5 -top {TOP} -noflatten; "
        f"tee -q -o {STAT} stat -json; flatten; clean; write_json {NETLIST}"
    )


def _placing(board: dict[str, Any], chip: dict[str, Any], seed: int) -> list[str]:
    part = board["nextpnr"]
    return [
        f"--{part['part']}",
        *("--package", part["package"], "--speed", str(part["speed"])),
        *("--json", NETLIST, "--lpf", CONSTRAINTS, "--textcfg", CONFIG, "--report", REPORT),
        *("--freq", f"{chip['clock_hz'] / 1e6:g}", "--seed", str(seed)),
        *("--timing-allow-fail", "--detailed-timing-report"),
    ]


def _parts(design: Design, work: Path) -> dict[str, dict[str, int]]:
    """The cells of the processor, of shells, of kernels, and of all else."""
    found = json.loads((work / STAT).read_text())["modules"]
    modules = {name.lstrip("\\"): row["num_cells_by_type"] for name, row in found.items()}
    parts = {part: dict.fromkeys(CELLS, 0) for part in PARTS}
    _add(design, modules, TOP, ("rest", 1), parts)
    return parts


def _add(
    design: Design,
    modules: dict[str, dict[str, int]],
    name: str,
    within: tuple[str, int],
    parts: dict[str, dict[str, int]],
) -> None:
    """Adds the cells of a module that is so many times within a part."""
    part, times = _part_of(design, name) or within[0], within[1]
    for kind, names in CELLS.items():
        cells = modules[name]
        parts[part][kind] += times * sum(cells.get(n, 0) * LUTS.get(n, 1) for n in names)
    for cell, count in modules[name].items():
        inner = cell.lstrip("\\")
        if inner in modules:
            _add(design, modules, inner, (part, times * count), parts)


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


def _reached_mhz(work: Path) -> float:
    return fmax_mhz(json.loads((work / REPORT).read_text()))


def _timing(work: Path, chip: dict[str, Any]) -> dict[str, Any]:
    met = _reached_mhz(work)
    wanted = chip["clock_hz"] / 1e6
    return {"fmax_mhz": met, "clock_mhz": wanted, "is_met": met >= wanted}
