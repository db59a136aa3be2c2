# SPDX-License-Identifier: Apache-2.0
"""A chip's Verilog beside the engine's chip: the same program sends the same bytes over its serial
line, each in the same cycle, and ends in the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from seeds import ALL, sampled
from tandem.chip.bitstream import part_rates
from tandem.chip.build import compile_parts, result_row
from tandem.chip.design import ELF, Design, write_design
from tandem.chip.run import read_chip, run_on_chip
from tandem.compiler.goals import find_goal
from tandem.compiler.room import UNLIMITED
from tandem.languages.discovery import Given, find_program
from tandem.models.verilator import CLASS, link_model, quickest_build, verilate
from tandem.platforms.engine import find_platform
from tandem.rtl.buses import OTHERS
from tandem.rtl.buses.protocols.dma_ring import PROTOCOL as RING
from tandem.rtl.buses.protocols.pcpi import PROTOCOL as PCPI
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


@pytest.mark.parametrize("words", sampled(CHIPS), ids=" ".join)
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


TIMED = """#include <stdint.h>
#include <stdio.h>
#include <time.h>
static const volatile uint32_t *const timer = (const volatile uint32_t *)0xe0000010;
unsigned mixed(unsigned x) {
    for (int i = 0; i < 9; i++) x = (x ^ x >> 7) * 0x9e3779b1u + i;
    return x;
}
int main(void) {
    uint32_t begun = timer[0];
    unsigned sum = mixed(begun);
    uint32_t taken = timer[0] - begun;
    printf("%x %lu %lu\\n", sum, (unsigned long)taken, (unsigned long)timer[1]);
    while (clock() < CLOCKS_PER_SEC / 100) sum = mixed(sum);
    printf("%lu\\n", (unsigned long)timer[0]);
    return 0;
}
"""
TIMERS = [("axi4-lite", "vexriscv"), ("wishbone", "picorv32")]


@pytest.mark.parametrize("protocol, core", TIMERS)
def test_both_have_one_time(
    protocol: str, core: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a program reads of the timer, and the C library makes of it."""
    file = chip_file(tmp_path, protocol, core)
    changes = ["uart.baud=5MHz", "timer.bus=devices"]
    printed = are_one_to_the_cycle(file, changes, tmp_path, capfd, (TIMED, ("mixed",)))
    first, last = printed.splitlines()
    _, taken, high = first.split()
    # Two thirds of a call are the driver; and a hundredth of a second has passed.
    assert 30 < int(taken) < 300 and high == "0"
    assert 500_000 < int(last) < 502_000


def are_one_to_the_cycle(
    file: Path,
    changes: list[str],
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    source: tuple[str, Sequence[str]] = (APPLICATION, KERNELS),
) -> str:
    path = application(folder, source[0])
    chip = read_chip(file, changes)
    goal = find_goal("balanced", UNLIMITED, 60)
    program = find_program(path, Given())
    parts = compile_parts(program, source[1], chip, goal, folder, ("rtl.so",))
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
    return printed


def test_the_clock_of_each_part() -> None:
    """Of the slowest path that ends there; pins of the device are no registers."""
    clock, rows = "posedge clk", [("chip.core.a", 8), ("chip.shell0.b", 4), ("up", 2)]
    rows += [("chip.shell0.kernel.c.d", 5), ("chip.shell11.kernel.e", 6), ("chip.ram0.f", 3)]
    rows += [("chip.core.pin", 99)]
    events = [clock] * (len(rows) - 1) + ["async"]
    nets = [
        {"event": clock, "endpoints": [{"cell": cell, "event": event, "delay": [1, ns]}]}
        for (cell, ns), event in zip(rows, events, strict=True)
    ]
    found = part_rates({"detailed_net_timings": nets})
    assert found == {"core": 1e3 / 8, "shell": 1e3 / 4, "kernel": 1e3 / 6, "rest": 1e3 / 3}
    assert part_rates({"detailed_net_timings": nets[:1]})["kernel"] is None


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
        rates = [part["fmax_mhz"] for part in result["placed"]["parts"].values()]
        assert min(rates) == pytest.approx(result["placed"]["fmax_mhz"])
        found.append((tmp_path / "build" / "app.chip" / "chip.bit").read_bytes())
        assert ("nextpnr" in done.stderr) == (text == APPLICATION)
    assert found[0] != found[1] and len(found[0]) > 100_000
