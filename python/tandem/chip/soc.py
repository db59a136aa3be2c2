# SPDX-License-Identifier: Apache-2.0
"""A whole chip as Verilog: `soc`, the core with memories, shells and serial line as the engine has
them in time (engine/src/chip), and `board`, what is around it on a board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tandem.chip.flows.flow import Clocks, Flow
from tandem.diagnostics import user_error
from tandem.models.cores import CORES
from tandem.rtl.bus import Tap, bridge, bus_wires, front, front_ports, master_pins, slave_pins
from tandem.rtl.protocols import BRIDGED, PROTOCOLS, WISHBONE

WITH_VERILOG = ("picorv32", "vexriscv", "vexriscv-lite")
"""The cores of which there are whole chips."""
TWO_PORTS = WITH_VERILOG[1:]
"""Those that fetch instructions by a port of their own."""
SHELL_BITS = 4
"""Of an address, those within a shell's registers."""
ON_BUSES = ("shell", "uart", "timer")
"""What of a chip's numbers tells of a bus that it is on."""
WORD_BYTES = 4
HIGH = "high_pin"
"""Ports of a board that have to be high."""
PROGRAM = "program"
"""`PROGRAM0.hex` and so on, beside the Verilog: what each RAM begins with."""


@dataclass(frozen=True)
class Shell:
    """A kernel's shell: its module and its first address."""

    module: str
    base: int


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

_RINGS = """  // One shell at a time has the memories, as long as its burst.
  wire [{msb}:0] ring_asks  = {{{asks}}};
  wire [{msb}:0] ring_first = ring_asks & (~ring_asks + 1'b1);
  reg  [{msb}:0] ring_owner = 0;
  wire [{msb}:0] ring_given = |(ring_owner & ring_asks) ? ring_owner : ring_first;
  wire        ring_valid = |ring_asks;
  wire        ring_we    = {we};
  wire        ring_last  = {last};
  wire [31:0] ring_adr   = {adr};
  wire [31:0] ring_dat_w = {dat_w};
  wire        ring_ready = {ready};
  wire [31:0] ring_dat_r = {dat_r};
  always @(posedge clk)
    ring_owner <= (reset | ~ring_valid | (ring_ready & ring_last)) ? 0 : ring_given;
"""

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

_BOARD = """// {title}
module board (
  input  clock_pin,
  output uart_pin,
  output lamp_pin{high_ports}
);
{clock}
  reg [7:0] up = 0;
  wire reset = ~&up;
  always @(posedge clk) if (reset) up <= up + 1'b1;
  wire trap;
{high}  assign lamp_pin = {lamp};
  soc chip (.clk(clk), .reset(reset), .uart_tx(uart_pin), .trap(trap));
endmodule
"""


def soc_verilog(chip: dict[str, Any], shells: Sequence[Shell]) -> str:
    """The Verilog of module `soc`, but for its core's, its kernels' and their shells' own. `chip`:
    its numbers (docs/schemas/chip.json).

    Raises UserError for a chip that the engine can simulate and no Verilog of ours be."""
    require_verilog(chip)
    parts, units = list(_parts(chip, shells)), _units(chip, shells)
    shared = has_rings(chip, len(shells))
    has_second = shared or chip["core"] in TWO_PORTS
    rings = _rings(len(shells), len(chip["rams"])) if shared else ""
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


def _any(what: str, parts: Sequence[_Part], of: str = "") -> str:
    """Whether one of some parts acknowledges, or what it answers."""
    names = [f"{part.name}{of}" for part in parts]
    if what == "ack":
        return " | ".join(f"{name}_ack" for name in names)
    return " | ".join(f"({{32{{{name}_ack}}}} & {name}_data)" for name in names)


def has_rings(chip: dict[str, Any], shells: int) -> bool:
    """Whether there are masters at the memories' second ports."""
    return PROTOCOLS[chip["shell"]["protocol"]].has_memory and bool(shells)


def _core(name: str, memories: Sequence[_Part], units: _Units, shells: int) -> str:
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
class _Range:
    """Addresses: the first, and how many bytes are there."""

    base: int
    bytes: int

    def has(self, address: str) -> str:
        """The condition that an address is one of them."""
        size = 1 << max(2, (self.bytes - 1).bit_length())
        if self.bytes == size and self.base % size == 0:
            bits = size.bit_length() - 1
            return f"{address}[31:{bits}] == {32 - bits}'h{self.base >> bits:x}"
        first, end = f"32'h{self.base:08x}", f"33'h{self.base + self.bytes:09x}"
        return f"({address} >= {first}) & ({{1'b0, {address}}} < {end})"


@dataclass(frozen=True)
class _Part:
    """What the core's port asks: where it is, and its instance."""

    name: str
    ranges: Sequence[_Range]
    request_cycles: int
    text: str
    has_code: bool = False
    """Whether instructions are fetched of it by a port of their own."""

    def wires(self) -> str:
        """Whether it is asked, and what it answers."""
        fetched = self._port("_fetch", "fetch_") if self.has_code else ""
        return self._port("", "") + fetched

    def _port(self, of: str, port: str) -> str:
        here = " | ".join(f"({one.has(f'{port}address')})" for one in self.ranges)
        name = f"{self.name}{of}"
        return f"""  wire        {name}_stb, {name}_ack;
  wire [31:0] {name}_data;
  request #(.CYCLES({self.request_cycles})) {name}_request
    (.clk(clk), .valid({port}valid & ({here})),
     .ends({name}_ack & {port}last), .stb({name}_stb));
"""


@dataclass(frozen=True)
class _Device:
    """What has registers: its module with parameters, its own pins, and where it is."""

    name: str
    module: str
    own: str
    range: _Range


def _parts(chip: dict[str, Any], shells: Sequence[Shell]) -> Iterator[_Part]:
    shared = has_rings(chip, len(shells))
    for number, ram in enumerate(chip["rams"]):
        yield _ram(number, ram, chip["core"] in TWO_PORTS, shared)
    uart, timer = chip["uart"], chip["timer"]
    on_bus: dict[str, list[_Device]] = {}
    if not PROTOCOLS[chip["shell"]["protocol"]].is_of_instructions:
        on_bus[chip["shell"]["bus"]] = [
            _Device(f"shell{number}", shell.module, _line(number), _place_of(shell))
            for number, shell in enumerate(shells)
        ]
    module = f"uart #(.BIT_CYCLES({uart['bit_cycles']}))"
    line = _Device("serial", module, ",\n     .tx(uart_tx)", _Range(uart["base"], uart["bytes"]))
    on_bus.setdefault(uart["bus"], []).append(line)
    clock = _Device("cycles", "timer", "", _Range(timer["base"], timer["bytes"]))
    on_bus.setdefault(timer["bus"], []).append(clock)
    spoken = {chip[one]["bus"]: chip[one] for one in ON_BUSES}
    for number, (name, devices) in enumerate(on_bus.items()):
        bus = spoken[name]
        protocol = PROTOCOLS[bus["protocol"]]
        if protocol.name == WISHBONE:
            yield from (_classic(device, bus["request_cycles"]) for device in devices)
        elif protocol.has_memory:
            yield from (_ring(device, bus["request_cycles"]) for device in devices)
        elif protocol.is_link:
            yield from (_bus(f"{number}_{i}", bus, [one]) for i, one in enumerate(devices))
        else:
            yield _bus(f"{number}", bus, devices)


def _place_of(shell: Shell) -> _Range:
    return _Range(shell.base, 1 << SHELL_BITS)


def _line(number: int) -> str:
    """The pin by which a shell interrupts."""
    return f",\n     .interrupt(interrupts[{number}])"


def _classic(device: _Device, request_cycles: int) -> _Part:
    """A device that the core's port asks itself."""
    name = device.name
    text = f"""  {device.module} {name}
    (.clk(clk), .reset(reset), .cyc(1'b1), .stb({name}_stb), .we(write), .adr(address[3:2]),
     .dat_w(write_data), .dat_r({name}_data), .ack({name}_ack){device.own});
"""
    return _Part(name, [device.range], request_cycles, text)


def _ring(device: _Device, request_cycles: int) -> _Part:
    """A shell that the core's port asks itself, and that asks memories."""
    name = device.name
    text = f"""  wire        {name}_m_valid, {name}_m_we, {name}_m_last, {name}_m_ready;
  wire [31:0] {name}_m_adr, {name}_m_dat_w;
  {device.module} {name}
    (.clk(clk), .reset(reset), .s_stb({name}_stb), .s_we(write), .s_adr(address[3:2]),
     .s_dat_w(write_data), .s_dat_r({name}_data), .s_ack({name}_ack),
     .m_valid({name}_m_valid), .m_we({name}_m_we), .m_last({name}_m_last), .m_adr({name}_m_adr),
     .m_dat_w({name}_m_dat_w), .m_ready({name}_m_ready), .m_dat_r(ring_dat_r){device.own});
"""
    return _Part(name, [device.range], request_cycles, text)


def _rings(shells: int, rams: int) -> str:
    """Who of the shells has the memories' second ports."""

    def chosen(of: str, bits: int) -> str:
        mask = f"{{{bits}{{ring_given[%d]}}}} & shell%d_m_{of}"
        return " | ".join(f"({mask % (n, n)})" for n in range(shells))

    head = _RINGS.format(
        msb=shells - 1,
        asks=", ".join(f"shell{n}_m_valid" for n in reversed(range(shells))),
        we=chosen("we", 1),
        last=chosen("last", 1),
        adr=chosen("adr", 32),
        dat_w=chosen("dat_w", 32),
        ready=" | ".join(f"ram{n}_ring_ack" for n in range(rams)),
        dat_r=" | ".join(f"({{32{{ram{n}_ring_ack}}}} & ram{n}_ring_data)" for n in range(rams)),
    )
    given = [f"  assign shell{n}_m_ready = ring_given[{n}] & ring_ready;\n" for n in range(shells)]
    return head + "".join(given)


def _bus(number: str, bus: dict[str, Any], devices: Sequence[_Device]) -> _Part:
    """A bridge, and the devices behind it. The core's address stands until it is answered."""
    protocol, name, pins = bus["protocol"], f"bus{number}", f"pins{number}"
    taps = [Tap(device.name, device.range.has("address")) for device in devices]
    parts = [
        f"""  {PROTOCOLS[protocol].module} {name}
    (.clk(clk), .reset(reset), .stb({name}_stb), .lanes(lanes), .address(address),
     .dat_w(write_data), .dat_r({name}_data), .ack({name}_ack),
     {master_pins(protocol, pins)});
"""
    ]
    parts += [
        f"""  {device.module} {device.name}
    (.clk(clk), .reset(reset),
     {slave_pins(protocol, pins, device.name)}{device.own});
"""
        for device in devices
    ]
    text = bus_wires(protocol, pins, taps) + "".join(parts)
    return _Part(name, [device.range for device in devices], bus["request_cycles"], text)


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
     {slave_pins(protocol, wires, tap.name)}{_line(number)});
"""
        for number, (shell, tap) in enumerate(zip(shells, taps, strict=True))
    ]
    declared = f"  wire [31:0] {second};\n{bus_wires(protocol, wires, taps)}"
    pins = f"{master_pins(protocol, wires)}, .pcpi_rs2({second})"
    return _Units(pins, declared, "".join(instances))


def _ram(number: int, ram: dict[str, Any], has_code: bool, shared: bool) -> _Part:
    words = ram["bytes"] // WORD_BYTES
    bits = max(1, (words - 1).bit_length())
    name = f"ram{number}"
    own = ram["wait_cycles"] - ram["request_cycles"]
    content = f'"{PROGRAM}{number}.hex"'
    numbers = {"WORDS": words, "WAIT": own, "EACH": ram["burst_cycles"], "BITS": bits}
    parameters = ", ".join(f".{key}({value})" for key, value in numbers.items())
    own_port = f"{name}_fetch"
    fetch = f""".fetch_stb({own_port}_stb), .fetch_last(fetch_last),
     .fetch_adr({_word("fetch_address", ram)}),
     .fetch_dat({own_port}_data), .fetch_ack({own_port}_ack)"""
    place = _Range(ram["base"], ram["bytes"])
    second, wires = f",\n     {fetch}" if has_code else "", ""
    if shared:
        wires = f"""  wire        {name}_ring_ack;
  wire [31:0] {name}_ring_data;
"""
        second = f""",
     .fetch_stb(ring_valid & ({place.has("ring_adr")})), .fetch_last(ring_last),
     .fetch_adr({_word("ring_adr", ram)}), .fetch_we(ring_we), .fetch_dat_w(ring_dat_w),
     .fetch_dat({name}_ring_data), .fetch_ack({name}_ring_ack)"""
    text = f"""{wires}  ram #({parameters}, .CONTENT({content})) {name}
    (.clk(clk), .stb({name}_stb), .last(last), .lanes(lanes), .adr({_word("address", ram)}),
     .dat_w(write_data), .dat_r({name}_data), .ack({name}_ack){second});
"""
    return _Part(name, [place], ram["request_cycles"], text, has_code)


def _word(address: str, ram: dict[str, Any]) -> str:
    """Which word of a memory is at an address of it."""
    return f"({address} - 32'h{ram['base']:08x}) >> 2"


def board_verilog(chip: dict[str, Any], board: dict[str, Any], flow: Flow) -> str:
    """The Verilog of module `board`. Raises UserError for a clock that its PLL does not make."""
    high = [port for port in board_pins(board) if port.startswith(HIGH)]
    return _BOARD.format(
        title=board["title"],
        high_ports="".join(f",\n  output {port}" for port in high),
        high="".join(f"  assign {port} = 1'b1;\n" for port in high),
        lamp="~(reset | trap)" if board["lamp"]["lit"] else "reset | trap",
        clock=_clock(clocks_of(chip, board), flow),
    )


def clocks_of(chip: dict[str, Any], board: dict[str, Any]) -> Clocks:
    """What the board has, and what the chip is to have."""
    return Clocks(board["clock"]["mhz"], chip["clock_hz"] / 1e6)


def board_pins(board: dict[str, Any]) -> dict[str, str]:
    """The pins of module `board`, by port."""
    pins = {f"{part}_pin": board[part]["pin"] for part in ("clock", "uart", "lamp")}
    return pins | {f"{HIGH}{i}": p for i, p in enumerate(board.get("high", {}).get("pins", []))}


def _clock(clocks: Clocks, flow: Flow) -> str:
    if clocks.chip_mhz == clocks.board_mhz:
        return "  wire clk = clock_pin;"
    pll = flow.pll(clocks)
    if pll is None:
        raise user_error(
            "board-clock",
            f"no PLL setting makes {clocks.chip_mhz:g} MHz of the board's {clocks.board_mhz:g}",
            help=f"choose the board's own (--set chip.clock={clocks.board_mhz:g}MHz) or a clock "
            "that is a simple ratio of it",
        )
    return pll


def words_hex(content: bytes, bytes_: int) -> str:
    """A memory's content as $readmemh wants it, a word a line."""
    whole = content.ljust(-(-len(content) // WORD_BYTES) * WORD_BYTES, b"\0")
    words = [whole[i : i + WORD_BYTES][::-1].hex() for i in range(0, len(whole), WORD_BYTES)]
    return "\n".join([*words, *["00000000"] * (bytes_ // WORD_BYTES - len(words))]) + "\n"
