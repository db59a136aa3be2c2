# SPDX-License-Identifier: Apache-2.0
"""Chips on boards of both families: what the flows write, what is refused, and bitstreams."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from seeds import ALL
from tandem.chip.bitstream import find_board, require_board
from tandem.chip.board import board_pins, board_verilog
from tandem.chip.flows.flow import Clocks
from tandem.chip.run import read_chip
from tandem.diagnostics import UserError
from tandem.rtl.buses.protocols.dma_ring import PROTOCOL as RING
from tandem.synthesis import SynthesisError, tools
from tandem.synthesis.errors import synthesis_error
from tandem.synthesis.nextpnr import run_nextpnr
from test_buses import chip_file
from test_chips import application
from test_schemas import holds
from trial import good, refused, tandem

ICEBREAKER, ULX3S = "icebreaker", "ulx3s-85f"
SMALL = """#include <stdint.h>
#include <stdio.h>
uint32_t mix(uint32_t x, uint32_t key) {
    for (int i = 0; i < 8; i++) x = (x ^ key) + (x << 3 | x >> 29);
    return x;
}
int main(void) {
    uint32_t x = mix(1, 77);
    for (int i = 28; i >= 0; i -= 4) putchar("0123456789abcdef"[x >> i & 15]);
    return 0;
}
"""
"""Without printf, which has no room in block RAMs of an iCE40UP5K."""
TABLE = """#include <stdint.h>
uint32_t last(const uint8_t in[32], uint32_t k) {
    uint8_t seen[32];
    uint32_t at = 0;
    for (int i = 0; i < 32; i++) seen[in[i] & 31] = i;
    for (int i = 0; i < 32; i++) at = seen[(at + in[i]) & 31];
    return at * (k & 0x1ffff);
}
"""
STYLE = re.compile(r'ram_style = "(\w+)"')
BUILD = ["build", "app.c", "--offload", "mix", "--platform"]


def chip(mhz: float) -> dict[str, float]:
    return {"clock_hz": mhz * 1e6}


@pytest.mark.parametrize("name, pin", [(ICEBREAKER, "set_io uart_pin 9\n"), (ULX3S, 'SITE "L4"')])
def test_constraints_have_every_pin(name: str, pin: str) -> None:
    board = find_board(name)
    pins = board_pins(board.data)
    text = board.flow.constraints(pins, Clocks(12, 12))
    assert pin in text and all(port in text for port in pins)
    verilog = board_verilog(chip(board.data["clock"]["mhz"]), board.data, board.flow)
    assert "wire clk = clock_pin;" in verilog and all(port in verilog for port in pins)


@pytest.mark.parametrize("name, lamp", [(ICEBREAKER, "reset | trap"), (ULX3S, "~(reset | trap)")])
def test_a_lamp_is_lit_by_a_low_pin_or_a_high_one(name: str, lamp: str) -> None:
    board = find_board(name)
    text = board_verilog(chip(board.data["clock"]["mhz"]), board.data, board.flow)
    assert f"lamp_pin = {lamp};" in text


@pytest.mark.parametrize(
    "mhz, divf, divq",
    [(24, 63, 5), (18, 47, 5), (48, 63, 4), (12.5, None, None), (600, None, None)],
)
def test_the_pll_of_an_ice40_is_set_as_icepll_sets_it(
    mhz: float, divf: int | None, divq: int | None
) -> None:
    text = find_board(ICEBREAKER).flow.pll(Clocks(12, mhz))
    if divf is None:
        assert text is None
    else:
        assert text and f"DIVF(7'd{divf})" in text and f"DIVQ(3'd{divq})" in text
        assert "FILTER_RANGE(3'd1)" in text


def test_a_board_of_another_family_is_refused(tmp_path: Path) -> None:
    application(tmp_path, SMALL)
    words = ["--bitstream", "--board"]
    done = tandem(*BUILD, "picorv32-chip", *words, ICEBREAKER, cwd=tmp_path)
    refused(done, "icebreaker.toml", "a device of ice40up", 'target = "ice40up"')
    done = tandem(*BUILD, "icebreaker-chip", *words, ULX3S, cwd=tmp_path)
    refused(done, "ulx3s-85f.toml", "a device of ecp5", "another --board")
    own = [*BUILD, "icebreaker-chip", *words, ICEBREAKER, "--set"]
    refused(tandem(*own, "chip.clock=12.5MHz", cwd=tmp_path), "no PLL setting", "chip.clock=12MHz")
    assert not (tmp_path / "build").exists()


def test_shells_that_write_to_memories_need_a_second_port_that_writes(tmp_path: Path) -> None:
    numbers = {**read_chip(chip_file(tmp_path, RING.name), []), "target": "ice40up"}
    with pytest.raises(UserError) as caught:
        require_board(numbers, find_board(ICEBREAKER), 1)
    assert "one port that writes" in str(caught.value)


def test_what_a_device_does_not_hold_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: tools.Tool, __: list[str], work: Path, log: str) -> None:
        (work / log).write_text(
            "Info: Device utilisation:\n"
            "Info: \t         ICESTORM_LC:    6132/   5280   116%\n"
            "Info: \t        ICESTORM_RAM:      34/     30   113%\n"
            "Info: \t               SB_IO:       3/     39     7%\n"
            "ERROR: Unable to place cell\n"
        )
        raise synthesis_error("tool-failed", "nextpnr ended with status 1")

    monkeypatch.setattr(tools, "run", fail)
    with pytest.raises(SynthesisError) as caught:
        run_nextpnr(find_board(ICEBREAKER).device, [], tmp_path)
    told = str(caught.value)
    assert "6,132 LUT4 of 5,280 and 34 block RAMs of 30" in told and "fewer kernels" in told


def test_kernels_of_an_ice40_have_its_blocks_alone(tmp_path: Path) -> None:
    """Products of 16 bits, the rest of which look-up tables make, and no memories of these."""
    application(tmp_path, TABLE)
    made = {}
    for target in ("ecp5", "ice40up"):
        words = ["--target", target, "--clock-ns", "80", "--output", target, "--json"]
        done = tandem("build", "app.c", "--top", "last", *words, cwd=tmp_path)
        good(done)
        verilog = (tmp_path / target / "last.tandem" / "kernel.sv").read_text()
        made[target] = (json.loads(done.stdout)["resources"]["dsp"], set(STYLE.findall(verilog)))
    assert made == {"ecp5": (1, {"distributed"}), "ice40up": (1, {"block"})}


def ones(digits: str) -> int:
    """How many bits of lines of hexadecimal digits are set."""
    return sum(int(line, 16).bit_count() for line in digits.split())


@pytest.mark.skipif(not ALL, reason="minutes of placing")
def test_a_bitstream_for_an_ice40_meets_its_clock_and_takes_another_program(tmp_path: Path) -> None:
    words = [*BUILD, "icebreaker-chip", "--bitstream", "--board", ICEBREAKER, "--json"]
    cache = str(tmp_path / "cache")
    found: list[bytes] = []
    for text in (SMALL, SMALL.replace("mix(1, 77)", "mix(2, 78)")):
        application(tmp_path, text)
        done = tandem(*words, cwd=tmp_path, TANDEM_CACHE=cache)
        good(done)
        result = json.loads(done.stdout)
        holds("chip-build", result)
        placed = result["placed"]
        assert placed["files"] == ["chip.bin", "chip.asc"] and placed["is_met"]
        total = {kind: sum(p[kind] for p in placed["parts"].values()) for kind in ("lut4", "bram")}
        assert 3000 < total["lut4"] < 5280 and total["bram"] <= 30
        folder = tmp_path / "build" / "app.chip"
        found.append((folder / "chip.bin").read_bytes())
        asc = (folder / "chip.asc").read_text()
        program = (folder / "program0.hex").read_text()
        assert ones("".join(re.findall(r"^\.ram_data.*\n([^.]*)", asc, re.M))) == ones(program)
        assert ("nextpnr" in done.stderr) == (text == SMALL)
    assert found[0] != found[1] and len(found[0]) > 100_000
