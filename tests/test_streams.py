# SPDX-License-Identifier: Apache-2.0
"""Processes and the FIFOs between them: how deep they have to be, and Verilog that other simulators
run alike."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
from agreement import RTL_LIMIT_CYCLES, build_text
from random_streams import LONGEST, generate
from tandem.diagnostics import InternalError
from tandem.models.icarus import run_icarus
from tandem.models.run import run_rtl
from tandem.models.verilator import build_verilator, quickest_build
from tandem.schedule.delays import Target
from trial import good, tandem
from vcdvcd import VCDVCD

CLOCK_PS = 10_000
TWO_WAYS = """#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void part(const uint32_t *in, uint32_t n, words *near, words *far)
{
    for (uint32_t i = 0; i < n; i++) {
        words_write(near, in[i]);
        words_write(far, in[i]);
    }
}
static void divide(words *in, words *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = words_read(in);
        words_write(out, 1000003 / (x | 1) + 77777 / (1 + x / 3));
    }
}
static void meet(words *near, words *far, uint32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = words_read(near) + words_read(far);
}
void top(const uint32_t in[64], uint32_t out[64], uint32_t n)
{
    words near = {0}, far = {0}, divided = {0};
    DEPTHS
    tandem_start(part(in, n, &near, &far));
    tandem_start(divide(&far, &divided, n));
    tandem_start(meet(&near, &divided, out, n));
    tandem_join();
}
int main(void)
{
    uint32_t in[64], out[64], sum = 0;
    for (uint32_t i = 0; i < 64; i++)
        in[i] = i * i;
    top(in, out, 64);
    for (uint32_t i = 0; i < 64; i++)
        sum = sum * 31 + out[i];
    printf("%u\\n", sum);
    return 0;
}
"""


def verified(folder: Path, depths: str) -> dict:
    (folder / "app.c").write_text(TWO_WAYS.replace("DEPTHS", depths))
    done = tandem("verify", "app.c", "--offload", "top", "--json", cwd=folder)
    good(done)
    found = json.loads(done.stdout)
    (kernel,) = found["kernels"]
    return {"cycles": found["cycles"], "fifos": kernel["fifos"]}


def test_the_least_depth_is_enough_and_half_of_it_is_not(tmp_path: Path) -> None:
    found = verified(tmp_path, "words_depth(&near, 2);")
    least = {row["name"]: row["least_depth"] for row in found["fifos"]["rows"]}
    assert found["cycles"] > found["fifos"]["least_cycles"]
    assert least["near"] > 2  # a division is underway for longer
    exact = verified(tmp_path, "".join(f"words_depth(&{n}, {d});" for n, d in least.items()))
    assert exact["cycles"] == exact["fifos"]["least_cycles"] == found["fifos"]["least_cycles"]
    half = verified(tmp_path, f"words_depth(&near, {least['near'] // 2});")
    assert half["cycles"] > exact["cycles"]


def test_what_a_fifo_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(TWO_WAYS.replace("DEPTHS", "words_depth(&near, 2);"))
    for command in (["verify"], ["run", "--mode", "simulate"]):
        done = tandem(*command, "app.c", "--offload", "top", "--platform", "src-6e", cwd=tmp_path)
        good(done)
        told = r"`near`: a FIFO of 2 records of 32 bits; \d+ would cost no cycle"
        assert re.search(told, done.stdout)
        assert re.search(r"the calls would take \d+ cycles in place of \d+", done.stdout)


@pytest.mark.parametrize("depths", ["words_depth(&near, 2);", "words_depth(&near, 32);"])
def test_how_full_fifos_are_said_to_be_is_what_the_rtl_holds(depths: str, tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(TWO_WAYS.replace("DEPTHS", depths))
    words = ["run", "app.c", "--offload", "top", "--mode", "simulate", "--wave", "w.vcd", "--json"]
    done = tandem(*words, "--clock-ns", "10", cwd=tmp_path)
    good(done)
    (kernel,) = json.loads(done.stdout)["kernels"]
    fifos = kernel["fifos"]
    wave: Any = VCDVCD(str(tmp_path / "w.vcd"))
    assert fifos["longest_cycles"] == kernel["cycles"]
    for row in fifos["rows"]:
        name = f".{row['name']}_held"
        held = wave[next(n for n in wave.signals if n.partition("[")[0].endswith(name))]
        begin, end = held.tv[0][0], held.tv[-1][0]
        part_ps = fifos["part_cycles"] * CLOCK_PS
        # A register shows what a cycle has come to in the next one.
        ends = [min(begin + (i + 1) * part_ps, end - 1) for i in range(len(row["held"]))]
        assert row["held"] == [int(held[time], 2) for time in ends]
        most = [fifos["part_cycles"]] * len(row["held"])
        assert all(map(int.__le__, row["empty_cycles"], most))
        assert all(map(int.__le__, row["full_cycles"], most))
    waits = {
        row["name"]: (sum(row["empty_cycles"]), sum(row["full_cycles"])) for row in fifos["rows"]
    }
    assert waits["near"][0] == 0 and waits["divided"][1] == 0
    assert waits["near"][1] > kernel["cycles"] // 2 or "32" in depths
    assert max(row["held"][-1] for row in fifos["rows"]) == 0


@pytest.mark.parametrize("seed", [4, 5])
def test_other_simulators_agree(seed: int, target: Target, tmp_path: Path, verilated: Path) -> None:
    network = generate(seed)
    built = build_text(network.text, target, CLOCK_PS, tmp_path, slower_clock=True)
    values = network.values(Random(seed), LONGEST)
    wanted = run_rtl(built.package / "rtl.so", built.rows, values, {}, RTL_LIMIT_CYCLES)
    library, verilog = tmp_path / "verilated.so", built.package / "kernel.sv"
    build_verilator(built.finished, verilog, library, verilated, quickest_build())
    found = run_rtl(library, built.rows, values, {}, RTL_LIMIT_CYCLES)
    assert (found.data, found.cycles) == (wanted.data, wanted.cycles)
    if shutil.which("iverilog"):
        slowly = run_icarus(built.rows, built.finished, verilog, values)
        assert (slowly.data, slowly.cycles) == (wanted.data, wanted.cycles)


ENDLESS = """#include <stdint.h>
#include "tandem/stream.h"
TANDEM_STREAM(words, uint32_t)
static void give(const uint32_t *in, words *out)
{
    volatile int on = 1;
    for (uint32_t i = 0; on; i++) words_write(out, in[i & 15]);
}
static void take(words *in, uint32_t *out)
{
    for (uint32_t i = 0; i < 16; i++) out[i] = words_read(in) + 1;
}
void top(const uint32_t in[16], uint32_t out[16])
{
    words a = {0};
    tandem_start(give(in, &a));
    tandem_start(take(&a, out));
    tandem_join();
}
"""


def test_a_process_that_never_returns_is_waited_for(target: Target, tmp_path: Path) -> None:
    """It has hardware, which is never done, as that of a kernel which never returns."""
    built = build_text(ENDLESS, target, CLOCK_PS, tmp_path, slower_clock=True)
    with pytest.raises(InternalError, match="has not ended after 1000 cycles"):
        run_rtl(
            built.package / "rtl.so", built.rows, {"in": bytes(64), "out": bytes(64)}, None, 1000
        )
