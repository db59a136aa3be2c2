# SPDX-License-Identifier: Apache-2.0
"""A whole chip as Verilog: `soc`, the core with memories, shells and serial line as the engine has
them in time (engine/src/chip)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tandem.chip.interconnect import (
    ON_BUSES,
    WORD_BYTES,
    Part,
    Shell,
    has_rings,
    interrupt_pin,
    parts_of,
    rings_of,
)
from tandem.diagnostics import user_error
from tandem.models.cores import CORES
from tandem.rtl.bus import Tap, bridge, bus_wires, front, front_ports, master_pins, slave_pins
from tandem.rtl.buses import BRIDGED, PROTOCOLS

WITH_VERILOG = ("picorv32", "vexriscv", "vexriscv-lite")
"""The cores of which there are whole chips."""
TWO_PORTS = WITH_VERILOG[1:]
"""Those that fetch instructions by a port of their own."""

_TOP = """// {title}: the core, its memories, kernels in shells, a serial line and a timer.
module soc (
  input  clk, reset,
  output uart_tx,
  output trap
);
  // Data, and instructions too where the core has one port for both.
  wire        valid, last;
  wire [31:0] address, write_data;
  wire [3:0]  lanes;
  wire        write = |lanes;
  wire [{last_line}:0] interrupts;
{wires}
  wire        ready = {ready};
  wire [31:0] read_data = {read_data};

{core}{parts}endmodule

// A request stands at what it is for so many cycles later; CYCLES is 0 or more.
module request #(parameter CYCLES = 0) (input clk, valid, ends, output stb);
  generate if (CYCLES == 0) begin : now
    assign stb = valid;
  end else begin : later
    reg [CYCLES-1:0] waited = 0;
    always @(posedge clk) waited <= (valid & ~ends) ? ((waited << 1) | 1'b1) : {{CYCLES{{1'b0}}}};
    assign stb = valid & waited[CYCLES-1];
  end endgenerate
endmodule

// When a memory answers: WAIT cycles behind a request, EACH cycles between the words of a burst,
// both at least 1. `next`: whether what is asked for in this cycle is the word behind.
module pace #(parameter WAIT = 1, EACH = 1) (
  input clk, stb, last,
  output ack, next, access
);
  reg [31:0] count = 0;
  reg       follows = 0;
  assign ack    = stb & (count == (follows ? EACH : WAIT));
  assign next   = ack & ~last;
  assign access = stb & (~ack | next);
  always @(posedge clk) begin
    count   <= next ? 1 : (stb & ~ack) ? count + 1'b1 : 0;
    follows <= next | (follows & stb & ~ack);
  end
endmodule

// Memory with a port for data; where the core has two or shells are masters, with one more.
module ram #(parameter WORDS = 1024, WAIT = 1, EACH = 1, BITS = 10, CONTENT = "") (
  input                 clk,
  input                 stb, last,
  input      [3:0]      lanes,
  input      [BITS-1:0] adr,
  input      [31:0]     dat_w,
  output reg [31:0]     dat_r,
  output                ack{second_port}{shared_port}
);
  {shared_check}reg [31:0] words [0:WORDS-1];
  wire next, access;
  wire [BITS-1:0] at = adr + next;
  pace #(.WAIT(WAIT), .EACH(EACH)) data
    (.clk(clk), .stb(stb), .last(last), .ack(ack), .next(next), .access(access));
  initial if (CONTENT != "") $readmemh(CONTENT, words);
  always @(posedge clk) begin
    if (access & ~|lanes) dat_r <= words[at];
    if (access & lanes[0]) words[at][ 7: 0] <= dat_w[ 7: 0];
    if (access & lanes[1]) words[at][15: 8] <= dat_w[15: 8];
    if (access & lanes[2]) words[at][23:16] <= dat_w[23:16];
    if (access & lanes[3]) words[at][31:24] <= dat_w[31:24];
  end
{second_read}{shared_write}endmodule
"""
_SECOND_PORT = """,
  input                 fetch_stb, fetch_last,
  input      [BITS-1:0] fetch_adr,
  output reg [31:0]     fetch_dat,
  output                fetch_ack"""
_SECOND_READ = """  wire fetch_next, fetch_access;
  wire [BITS-1:0] fetch_at = fetch_adr + fetch_next;
  pace #(.WAIT(WAIT), .EACH(EACH)) fetch
    (.clk(clk), .stb(fetch_stb), .last(fetch_last), .ack(fetch_ack), .next(fetch_next),
     .access(fetch_access));
  always @(posedge clk) if (fetch_access) fetch_dat <= words[fetch_at];
"""
"""Of a memory that not only the core's one port reads. Where a block RAM reads one word a cycle, a
port that nobody uses would take it twice."""
_SHARED_PORT = """,
  input                 fetch_we,
  input      [31:0]     fetch_dat_w"""
_SHARED_CHECK = "(* no_rw_check *) "
_SHARED_WRITE = """  always @(posedge clk)
    if (fetch_access & fetch_we) words[fetch_at] <= fetch_dat_w;
"""
"""Of a memory at whose second port shells are masters. A block RAM with two ports that write tells
nothing of a word that the other one writes in the same cycle; no other is as large."""


_UART = """
// 8 bits, no parity, one stop bit; what comes while it is busy is lost.
module uart #(parameter BIT_CYCLES = 434) (
  input         clk, reset,
{ports},
  output        tx
);
{front}
  reg [9:0]  bits;
  reg [3:0]  left;
  reg [31:0] cycles, read;
  wire busy    = left != 0;
  assign tx    = busy ? bits[0] : 1'b1;
  assign dat_r = read;
  always @(posedge clk) begin
    if (access) read <= {{31'b0, busy}};
    if (reset) left <= 0;
    else if (access & we & ~busy) begin
      bits   <= {{1'b1, dat_w[7:0], 1'b0}};
      left   <= 10;
      cycles <= BIT_CYCLES - 1;
    end else if (busy) begin
      if (cycles == 0) begin
        bits   <= bits >> 1;
        left   <= left - 1'b1;
        cycles <= BIT_CYCLES - 1;
      end else
        cycles <= cycles - 1'b1;
    end
  end
endmodule
"""

_TIMER = """
// Cycles since reset; the high word reads as it was when the low one was read.
module timer (
  input         clk, reset,
{ports}
);
{front}
  reg [63:0] count;
  reg [31:0] high, read;
  assign dat_r = read;
  always @(posedge clk) begin
    count <= reset ? 64'd0 : count + 1'b1;
    if (access & ~we) begin
      read <= adr[0] ? high : count[31:0];
      if (~adr[0]) high <= count[63:32];
    end
  end
endmodule
"""

_PICORV32 = """  assign last = 1'b1;
  picorv32 #(
{parameters}
  ) core (
    .clk(clk), .resetn(~reset), .trap(trap),
    .mem_valid(valid), .mem_ready(ready), .mem_addr(address),
    .mem_wdata(write_data), .mem_wstrb(lanes), .mem_rdata(read_data),
    {units}, .irq(32'b0)
  );
"""
# A burst's last word, and every word alone, has a cycle type that is not 2 (Wishbone B4, 4.3).
_VEXRISCV = """  wire        fetch_valid, fetch_cyc, fetch_stb, data_cyc, data_stb, data_we;
  wire [2:0]  fetch_cti, data_cti;
  wire [3:0]  data_sel;
  wire [31:0] fetch_address;
  assign fetch_address[1:0] = 2'b0;
  assign address[1:0] = 2'b0;
  wire        fetch_last  = fetch_cti != 3'd2;
  wire        fetch_ready = {fetch_ready};
  wire [31:0] fetch_data  = {fetch_data};
  assign fetch_valid = fetch_cyc & fetch_stb;
  assign valid = data_cyc & data_stb;
  assign lanes = data_we ? data_sel : 4'b0;
  assign last  = data_cti != 3'd2;
  assign trap  = 1'b0;
  VexRiscv core (
    .clk(clk), .reset(reset), .externalResetVector(32'b0),
    .timerInterrupt(1'b0), .softwareInterrupt(1'b0), .externalInterruptArray({lines}),
    .iBusWishbone_CYC(fetch_cyc), .iBusWishbone_STB(fetch_stb), .iBusWishbone_ACK(fetch_ready),
    .iBusWishbone_ADR(fetch_address[31:2]), .iBusWishbone_DAT_MISO(fetch_data),
    .iBusWishbone_CTI(fetch_cti), .iBusWishbone_ERR(1'b0),
    .dBusWishbone_CYC(data_cyc), .dBusWishbone_STB(data_stb), .dBusWishbone_ACK(ready),
    .dBusWishbone_WE(data_we), .dBusWishbone_ADR(address[31:2]), .dBusWishbone_SEL(data_sel),
    .dBusWishbone_DAT_MOSI(write_data), .dBusWishbone_DAT_MISO(read_data),
    .dBusWishbone_CTI(data_cti), .dBusWishbone_ERR(1'b0)
  );
"""


def soc_verilog(chip: dict[str, Any], shells: Sequence[Shell]) -> str:
    """The Verilog of module `soc`, but for its core's, its kernels' and their shells' own. `chip`:
    its numbers (docs/schemas/chip.json).

    Raises UserError for a chip that the engine can simulate and no Verilog of ours be."""
    require_verilog(chip)
    parts, units = list(parts_of(chip, shells, chip["core"] in TWO_PORTS)), _units(chip, shells)
    shared = has_rings(chip, len(shells))
    has_second = shared or chip["core"] in TWO_PORTS
    rings = rings_of(len(shells), len(chip["rams"])) if shared else ""
    top = _TOP.format(
        title=chip["title"],
        last_line=max(0, len(shells) - 1),
        wires="".join(part.wires() for part in parts) + units.wires,
        second_port=_SECOND_PORT if has_second else "",
        second_read=_SECOND_READ if has_second else "",
        shared_port=_SHARED_PORT if shared else "",
        shared_check=_SHARED_CHECK if shared else "",
        shared_write=_SHARED_WRITE if shared else "",
        ready=_any("ack", parts),
        read_data=_any("data", parts),
        core=_core(chip["core"], [part for part in parts if part.has_code], units, len(shells)),
        parts="".join([*(part.text for part in parts), units.text, rings]),
    )
    uart = _device(_UART, chip["uart"]["protocol"], ALL_WORDS)
    timer = _device(_TIMER, chip["timer"]["protocol"], 0)
    spoken = {chip[one]["protocol"] for one in ON_BUSES} & {*BRIDGED}
    return "".join([top, uart, timer, *map(bridge, sorted(spoken))])


ALL_WORDS = 0b1111


def _device(text: str, protocol: str, writes: int) -> str:
    """A device's module, all words of which can be read, and some be written."""
    ports, registers = front_ports(protocol), front(protocol, ALL_WORDS, writes)
    return text.format(ports=ports, front=registers)


def _any(what: str, parts: Sequence[Part], of: str = "") -> str:
    """Whether one of some parts acknowledges, or what it answers."""
    names = [f"{part.name}{of}" for part in parts]
    if what == "ack":
        return " | ".join(f"{name}_ack" for name in names)
    return " | ".join(f"({{32{{{name}_ack}}}} & {name}_data)" for name in names)


def _core(name: str, memories: Sequence[Part], units: _Units, shells: int) -> str:
    if name == "picorv32":
        parameters = {**CORES[name].parameters, "ENABLE_PCPI": int(units != _NO_UNITS)}
        rows = [f"    .{key}({value})" for key, value in parameters.items()]
        return _PICORV32.format(parameters=",\n".join(rows), units=units.pins)
    return _VEXRISCV.format(
        fetch_ready=_any("ack", memories, "_fetch"),
        fetch_data=_any("data", memories, "_fetch"),
        lines="interrupts" if shells else "32'b0",
    )


def require_verilog(chip: dict[str, Any]) -> None:
    """That there is Verilog for a chip. Raises UserError."""
    if chip["core"] not in WITH_VERILOG:
        raise user_error(
            "chip-verilog",
            f"there is no Verilog yet of a chip with {chip['core']}",
            help=f"`tandem run` simulates it; build a chip with one of: {', '.join(WITH_VERILOG)}",
        )
    for ram in chip["rams"]:
        own = ram["wait_cycles"] - ram["request_cycles"]
        if own < 1:
            raise user_error(
                "chip-verilog",
                f"`{ram['name']}` answers in the cycle of the request, which no block RAM does",
                help=f"--set {ram['name']}.wait_cycles=1, or more",
            )


@dataclass(frozen=True)
class _Units:
    """What the core's instructions ask beside it: its pins for them, wires, and instances."""

    pins: str
    wires: str = ""
    text: str = ""


_NO_UNITS = _Units(".pcpi_wr(1'b0), .pcpi_rd(32'b0), .pcpi_wait(1'b0), .pcpi_ready(1'b0)")


def _units(chip: dict[str, Any], shells: Sequence[Shell]) -> _Units:
    """Shells that are asked by instructions; the second operand says which."""
    protocol = chip["shell"]["protocol"]
    if not PROTOCOLS[protocol].is_of_instructions:
        return _NO_UNITS
    wires, second = "units", "unit_number"
    taps = [Tap(f"shell{n}", f"{second} == 32'd{n}") for n in range(len(shells))]
    instances = [
        f"""  {shell.module} {tap.name}
    (.clk(clk), .reset(reset),
     {slave_pins(protocol, wires, tap.name)}{interrupt_pin(number)});
"""
        for number, (shell, tap) in enumerate(zip(shells, taps, strict=True))
    ]
    declared = f"  wire [31:0] {second};\n{bus_wires(protocol, wires, taps)}"
    pins = f"{master_pins(protocol, wires)}, .pcpi_rs2({second})"
    return _Units(pins, declared, "".join(instances))


def words_hex(content: bytes, bytes_: int) -> str:
    """A memory's content as $readmemh wants it, a word a line."""
    whole = content.ljust(-(-len(content) // WORD_BYTES) * WORD_BYTES, b"\0")
    words = [whole[i : i + WORD_BYTES][::-1].hex() for i in range(0, len(whole), WORD_BYTES)]
    return "\n".join([*words, *["00000000"] * (bytes_ // WORD_BYTES - len(words))]) + "\n"
