# SPDX-License-Identifier: Apache-2.0
"""A chip's Verilog beside the engine's chip: the same program sends the same bytes over its serial
line, each in the same cycle, and ends in the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from seeds import ALL
from tandem.chip.build import compile_parts, result_row
from tandem.chip.design import ELF, Design, write_design
from tandem.chip.run import read_chip, run_on_chip
from tandem.choices import find_goal
from tandem.frontend.discovery import Given, find_program
from tandem.host.engine import find_platform
from tandem.models.verilator import CLASS, link_model, quickest_build, verilate
from tandem.room import UNLIMITED
from tandem.rtl.protocols import OTHERS, PCPI, RING
from test_buses import chip_file
from test_chips import APPLICATION, CHIP, KERNELS, application
from test_schemas import holds
from trial import good, refused, tandem

MAIN = """#include "{name}.h"
#include <cstdio>
#include <cstdint>
int main()
{{
    {name} soc;
    auto half = [&](int clk) {{ soc.clk = clk; soc.eval(); }};
    soc.reset = 1;
    for (int i = 0; i < 4; i++) half(0), half(1);
    soc.reset = 0;
    const int bit = {bit};
    uint64_t begun = 0, cycle = 0;
    int byte = 0, place = -1, last = 1;
    for (; cycle < {most}ull; cycle++) {{
        half(0);
        if (place < 0 && last && !soc.uart_tx) {{
            begun = cycle, place = 0, byte = 0;
        }} else if (place >= 0 && cycle == begun + bit / 2 + (uint64_t)bit * (place + 1)) {{
            if (place < 8) byte |= soc.uart_tx << place;
            else printf("%llu %d\\n", (unsigned long long)begun - 1, byte);
            place = place < 8 ? place + 1 : -1;
        }}
        last = soc.uart_tx;
        if (soc.trap) break;
        half(1);
    }}
    printf("%llu\\n", (unsigned long long)cycle);
}}
"""
ENDS = {"picorv32"}
"""Cores that say that they have stopped."""
CHIPS = [
    (CHIP, "uart.baud=5MHz"),
    (CHIP, "uart.baud=10MHz", "ram.wait_cycles=3"),
    (CHIP, "uart.baud=1MHz", "bus.request_cycles=2", "shell.window=256B"),
    ("vexriscv-chip", "uart.baud=5MHz"),
    ("vexriscv-chip", "uart.baud=2MHz", "ram.wait_cycles=4", "ram.burst_cycles=2"),
    ("vexriscv-chip", "uart.baud=5MHz", "core.model=vexriscv-lite", "bus.request_cycles=1"),
    ("vexriscv-chip", "uart.baud=5MHz", "shell.end=interrupt", "ram.wait_cycles=2"),
]
OF_ONE_CORE = (PCPI.name, RING.name)
BUSES = [
    (protocol, core, changes)
    for turn, protocol in enumerate(OTHERS)
    for number, (core, changes) in enumerate(
        (
            ("picorv32", ["uart.baud=5MHz"]),
            (
                "picorv32" if protocol in OF_ONE_CORE else "vexriscv",
                ["uart.baud=2MHz", "ram.wait_cycles=2"]
                + ["devices.request_cycles=3"] * (protocol != PCPI.name),
            ),
            ("picorv32", ["uart.baud=10MHz", "uart.bus=memory", "shell.window=256B"]),
        )
    )
    if ALL or number == turn % 3
]
"""Another protocol, for shells and serial line or shells alone; one of three, if not all."""


def simulated(design: Design, chip: dict[str, Any], most: int, folder: Path) -> tuple[str, list]:
    """What the Verilog has sent, and when; last, the cycle of its end."""
    bit = chip["uart"]["bit_cycles"]
    work = folder / "model"
    first, *others = [design.folder / name for name in design.files]
    verilate(first, "soc", work, list(map(str, others)))
    (work / "main.cpp").write_text(MAIN.format(name=CLASS, bit=bit, most=most))
    link_model(work, work / "main.cpp", folder / "soc", quickest_build())
    # $readmemh reads in the current folder.
    done = subprocess.run([folder / "soc"], cwd=design.folder, capture_output=True, check=True)
    *rows, end = done.stdout.decode().splitlines()
    pairs = [tuple(map(int, row.split())) for row in rows]
    return "".join(chr(byte) for _, byte in pairs), [*(when for when, _ in pairs), int(end)]


@pytest.mark.parametrize("words", CHIPS, ids=" ".join)
def test_verilog_and_engine_are_one_to_the_cycle(
    words: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name, *changes = words
    are_one_to_the_cycle(find_platform(name), changes, tmp_path, capfd)


@pytest.mark.parametrize("protocol, core, changes", BUSES)
def test_so_are_they_on_buses_of_others(
    protocol: str,
    core: str,
    changes: list[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    are_one_to_the_cycle(chip_file(tmp_path, protocol, core), changes, tmp_path, capfd)


def are_one_to_the_cycle(
    file: Path, changes: list[str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = application(folder)
    chip = read_chip(file, changes)
    goal = find_goal("balanced", UNLIMITED, 60)
    program = find_program(path, Given())
    parts = compile_parts(program, KERNELS, chip, goal, folder, ("rtl.so",))
    (folder / "chip").mkdir()
    design = write_design(chip, parts, folder / "chip")
    window = chip["shell"]["window_bytes"]
    kernels = [result_row(offload, n, window) for n, offload in enumerate(parts.offloads)]
    request = {
        "platform": str(file),
        "changes": "\n".join(changes),
        "program": str(design.folder / ELF),
        "arguments": [],
        "kernels": [{**row, "model": str(folder / row["model"])} for row in kernels],
        "output": 1,
        "profile": False,
    }
    report = run_on_chip(path, request)
    printed, _ = capfd.readouterr()
    assert report["exit_status"] == 0 and all(row["calls"] for row in report["kernels"])
    assert all(sum(row["parts"].values()) == row["cycles"] for row in report["kernels"])
    text, cycles = simulated(design, chip, report["cycles"] + 40_000, folder)
    assert text == printed
    *sent, end = cycles
    assert sent == report["sent"]
    assert chip["core"] not in ENDS or end == report["cycles"]


def test_a_folder_with_all_of_a_chip(tmp_path: Path) -> None:
    application(tmp_path, APPLICATION)
    words = ["build", "app.c", "--offload", "scale", "--offload", "mix", "--platform", CHIP]
    done = tandem(*words, "--json", cwd=tmp_path)
    good(done)
    result = json.loads(done.stdout)
    holds("chip-build", result)
    folder = tmp_path / "build" / "app.chip"
    assert result["folder"] == "build/app.chip" and result["placed"] is None
    assert all((folder / name).is_file() for name in [*result["files"], "program0.hex"])
    good(tandem(*words, cwd=tmp_path))  # over its own folder
    (folder / "chip.json").unlink()
    refused(tandem(*words, cwd=tmp_path), "app.chip")


def test_what_no_chip_is_built_of(tmp_path: Path) -> None:
    application(tmp_path)
    words = ["build", "app.c", "--offload", "mix"]
    refused(tandem(*words, cwd=tmp_path), "--platform")
    refused(tandem("build", "app.c", cwd=tmp_path), "--top")
    refused(tandem(*words, "--platform", "src-6e", cwd=tmp_path), "no system on one chip")
    for core in ("strongarm", "microblaze"):
        done = tandem(*words, "--platform", f"{core}-chip", cwd=tmp_path)
        refused(done, f"no Verilog yet of a chip with {core}", "picorv32, vexriscv")
    chip = ["--platform", CHIP]
    refused(tandem(*words, *chip, "--set", "ram.wait_cycles=0", cwd=tmp_path), "ram.wait_cycles=1")
    refused(tandem(*words, *chip, "--top", "mix", cwd=tmp_path), "--top")
    refused(tandem("build", "app.c", "--top", "mix", "--set", "a.b=1", cwd=tmp_path), "--set")
    shells = ["--offload", "scale", "--set", "uart.base=0x80000010"]
    refused(tandem(*words, *chip, *shells, cwd=tmp_path), "serial line")
    board = ["--bitstream", "--board", "none"]
    refused(tandem(*words, *chip, *board, cwd=tmp_path), "none", "ulx3s-85f")
    assert not (tmp_path / "build").exists()


@pytest.mark.skipif(not ALL, reason="two minutes of placing")
def test_a_bitstream_meets_its_clock_and_takes_another_program(tmp_path: Path) -> None:
    application(tmp_path)
    words = ["build", "app.c", "--offload", "mix", "--platform", CHIP, "--bitstream", "--json"]
    cache = str(tmp_path / "cache")
    found = []
    for text in (APPLICATION, APPLICATION.replace("i * 1000 + 7", "i * 1000 + 8")):
        application(tmp_path, text)
        done = tandem(*words, cwd=tmp_path, TANDEM_CACHE=cache)
        good(done)
        result = json.loads(done.stdout)
        holds("chip-build", result)
        assert result["placed"]["is_met"] and result["placed"]["parts"]["core"]["lut4"] > 1000
        found.append((tmp_path / "build" / "app.chip" / "chip.bit").read_bytes())
        assert ("nextpnr" in done.stderr) == (text == APPLICATION)
    assert found[0] != found[1] and len(found[0]) > 100_000
