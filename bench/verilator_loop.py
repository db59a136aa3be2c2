# SPDX-License-Identifier: Apache-2.0
"""The opponent of simulate mode: Verilator's model of triple DES in the barest of loops, with input
always valid, output always taken, and a checksum so that nothing is optimised away."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tandem.models.verilator import CLASS, fastest_model, link_model, verilate

TOP = "des3_encrypt"
LATENCY_LIMIT_CYCLES = 200

MAIN = f"""#include <chrono>
#include <cstdio>
#include <cstdlib>
#include "{CLASS}.h"

static void cycle({CLASS} &model)
{{
    model.clk = 1;
    model.eval();
    model.clk = 0;
    model.eval();
}}

int main(int, char **argv)
{{
    uint64_t cycles = strtoull(argv[1], nullptr, 10), checksum = 0, records = 0;
    {CLASS} model;
    model.reset = 1;
    cycle(model);
    cycle(model);
    model.reset = 0;
    for (unsigned i = 0; i < 6; i++)
        model.key[i] = 0x01234567u * (i + 1);
    model.blocks = ~0ull >> 1;
    model.in_valid = model.out_ready = model.start = 1;
    auto before = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < cycles; i++) {{
        model.in_data = i * 0x9e3779b97f4a7c15ull;
        cycle(model);
        model.start = 0;
        if (model.out_valid) {{
            checksum = (checksum << 1 | checksum >> 63) ^ model.out_data;
            records++;
        }}
    }}
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - before;
    printf("%.9f %llu %llx\\n", passed.count(), (unsigned long long)records,
           (unsigned long long)checksum);
}}
"""


@dataclass(frozen=True)
class BareLoop:
    """The loop as an executable."""

    executable: Path

    def cycles_per_second(self, cycles: int) -> float:
        """Runs it once. The start of the process and of the model is not in the time."""
        done = subprocess.run(
            [str(self.executable), str(cycles)], check=True, capture_output=True, text=True
        )
        seconds, records, _ = done.stdout.split()
        if int(records) < cycles - LATENCY_LIMIT_CYCLES:
            raise RuntimeError(f"only {records} records in {cycles} cycles")
        return cycles / float(seconds)


def build_loop(verilog: Path, work: Path) -> BareLoop:
    """Builds the loop around the module `TOP`; takes a minute or two."""
    folder = work / "loop"
    verilate(verilog, TOP, folder)
    main = folder / "main.cpp"
    main.write_text(MAIN)
    link_model(folder, main, work / "bare_loop", fastest_model())
    return BareLoop(work / "bare_loop")
