# SPDX-License-Identifier: Apache-2.0
"""The shells of a chip's folder as a shared object: their Verilog behind the bridge of their
protocol, with loads and stores of the core's port as C functions."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

from tandem.models.verilator import CLASS, SHARED, link_model, quickest_build, verilate
from tandem.rtl.bus import Tap, bridge, bus_wires, master_pins, slave_pins
from tandem.rtl.buses import PROTOCOLS, WISHBONE
from tandem.rtl.text import module_name

SHELL_BYTES = 16
HEADER = """#include <stdint.h>
uint32_t model_load(uint32_t offset);
void model_store(uint32_t offset, uint32_t word);
uint32_t model_accesses(void);
"""
_MAIN = """#include "{name}.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
static {name} *top;
static uint32_t accesses;
static void half(int clk) {{ top->clk = clk; top->eval(); }}
static uint32_t one(uint32_t offset, uint32_t lanes, uint32_t word)
{{
    if (!top) {{
        top = new {name};
        top->reset = 1;
        for (int i = 0; i < 4; i++) half(0), half(1);
        top->reset = 0;
    }}
    accesses++;
    half(0), half(1);
    top->stb = 1, top->lanes = lanes, top->address = offset, top->dat_w = word;
    int cycles = 0;
    for (half(0); !top->ack; half(0)) {{
        half(1);
        if (++cycles > 100000) fprintf(stderr, "no answer at %u\\n", offset), abort();
    }}
    uint32_t read = top->dat_r;
    half(1);
    top->stb = top->lanes = 0;
    return read;
}}
extern "C" uint32_t model_load(uint32_t offset) {{ return one(offset, 0, 0); }}
extern "C" void model_store(uint32_t offset, uint32_t word) {{ one(offset, 15, word); }}
extern "C" uint32_t model_accesses(void) {{ return accesses; }}
"""
_TOP = """module top (
  input clk, reset, stb, input [3:0] lanes, input [31:0] address, dat_w,
  output [31:0] dat_r, output ack
);
{parts}
  assign ack = {ack};
  assign dat_r = {data};
endmodule
"""


def shells_model(folder: Path, protocol: str, work: Path) -> Path:
    """The shared object of the shells in a chip's folder, at offsets from the first one on."""
    kernels = json.loads((folder / "chip.json").read_text())["kernels"]
    shells = [f"{module_name(name)}_shell" for name in kernels]
    groups = [[n] for n in range(len(shells))] if PROTOCOLS[protocol].is_link else []
    groups = groups or [list(range(len(shells)))]
    make = _direct if protocol in (WISHBONE, "dma-ring") else _bridged
    parts = [make(protocol, number, group, shells) for number, group in enumerate(groups)]
    names = [name for _, own in parts for name in own]
    text = _TOP.format(
        parts="".join(part for part, _ in parts),
        ack=" | ".join(f"{name}_ack" for name in names),
        data=" | ".join(f"({{32{{{name}_ack}}}} & {name}_data)" for name in names),
    )
    top = work / "top.v"
    top.write_text(text + (bridge(protocol) if make is _bridged else ""))
    files = [*folder.glob("kernel*.sv"), *folder.glob("*_shell.v")]
    verilate(top, "top", work / "model", [str(file) for file in files])
    (work / "model" / "main.cpp").write_text(_MAIN.format(name=CLASS))
    output = work / "libmodel.so"
    main = work / "model" / "main.cpp"
    compiler = quickest_build()
    link_model(work / "model", main, output, compiler, SHARED)
    return output


def _asked(number: int) -> str:
    return f"address[31:4] == 28'd{number}"


def _direct(protocol: str, _: int, group: list[int], shells: list[str]) -> tuple[str, list[str]]:
    prefix = "" if protocol == WISHBONE else "s_"
    cyc = ".cyc(1'b1), " if protocol == WISHBONE else ".m_ready(1'b0), .m_dat_r(32'd0), "
    text = "".join(
        f"""  wire s{n}_ack; wire [31:0] s{n}_data;
  {shells[n]} s{n} (.clk(clk), .reset(reset), {cyc}.{prefix}stb(stb & {_asked(n)}),
    .{prefix}we(|lanes), .{prefix}adr(address[3:2]), .{prefix}dat_w(dat_w),
    .{prefix}dat_r(s{n}_data), .{prefix}ack(s{n}_ack));
"""
        for n in group
    )
    return text, [f"s{n}" for n in group]


def _bridged(
    protocol: str, number: int, group: list[int], shells: list[str]
) -> tuple[str, list[str]]:
    name, pins = f"b{number}", f"pins{number}"
    taps = [Tap(f"s{n}", _asked(n)) for n in group]
    here = " | ".join(f"({tap.is_asked})" for tap in taps)
    text = f"""  wire {name}_ack; wire [31:0] {name}_data;
{bus_wires(protocol, pins, taps)}
  {PROTOCOLS[protocol].module} {name} (.clk(clk), .reset(reset), .stb(stb & ({here})),
    .lanes(lanes), .address(address), .dat_w(dat_w), .dat_r({name}_data), .ack({name}_ack),
    {master_pins(protocol, pins)});
"""
    text += "".join(
        f"  {shells[n]} s{n} (.clk(clk), .reset(reset), {slave_pins(protocol, pins, f's{n}')});\n"
        for n in group
    )
    return text, [name]


class Model:
    """The shared object as registers of a Python driver."""

    def __init__(self, library: Path) -> None:
        self.library: Any = ctypes.CDLL(str(library))

    def read(self, offset: int) -> int:
        return self.library.model_load(offset) & 0xFFFFFFFF

    def write(self, offset: int, word: int) -> None:
        self.library.model_store(offset, word)

    @property
    def accesses(self) -> int:
        return self.library.model_accesses()
