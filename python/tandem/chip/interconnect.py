# SPDX-License-Identifier: Apache-2.0
"""What a core's port asks, as Verilog: memories and devices, each where its addresses are, and the
buses and rings between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tandem.rtl.bus import Tap, bus_wires, master_pins, slave_pins
from tandem.rtl.buses import PROTOCOLS, WISHBONE

SHELL_BITS = 4
"""Of an address, those within a shell's registers."""
ON_BUSES = ("shell", "uart", "timer")
"""What of a chip's numbers tells of a bus that it is on."""
WORD_BYTES = 4
PROGRAM = "program"
"""`PROGRAM0.hex` and so on, beside the Verilog: what each RAM begins with."""


@dataclass(frozen=True)
class Shell:
    """A kernel's shell: its module and its first address."""

    module: str
    base: int


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


def has_rings(chip: dict[str, Any], shells: int) -> bool:
    """Whether there are masters at the memories' second ports."""
    return PROTOCOLS[chip["shell"]["protocol"]].has_memory and bool(shells)


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
class Part:
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


def parts_of(chip: dict[str, Any], shells: Sequence[Shell], has_code: bool) -> Iterator[Part]:
    shared = has_rings(chip, len(shells))
    for number, ram in enumerate(chip["rams"]):
        yield _ram(number, ram, has_code, shared)
    uart, timer = chip["uart"], chip["timer"]
    on_bus: dict[str, list[_Device]] = {}
    if not PROTOCOLS[chip["shell"]["protocol"]].is_of_instructions:
        on_bus[chip["shell"]["bus"]] = [
            _Device(f"shell{number}", shell.module, interrupt_pin(number), _place_of(shell))
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


def interrupt_pin(number: int) -> str:
    """The pin by which a shell interrupts."""
    return f",\n     .interrupt(interrupts[{number}])"


def _classic(device: _Device, request_cycles: int) -> Part:
    """A device that the core's port asks itself."""
    name = device.name
    text = f"""  {device.module} {name}
    (.clk(clk), .reset(reset), .cyc(1'b1), .stb({name}_stb), .we(write), .adr(address[3:2]),
     .dat_w(write_data), .dat_r({name}_data), .ack({name}_ack){device.own});
"""
    return Part(name, [device.range], request_cycles, text)


def _ring(device: _Device, request_cycles: int) -> Part:
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
    return Part(name, [device.range], request_cycles, text)


def rings_of(shells: int, rams: int) -> str:
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


def _bus(number: str, bus: dict[str, Any], devices: Sequence[_Device]) -> Part:
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
    return Part(name, [device.range for device in devices], bus["request_cycles"], text)


def _ram(number: int, ram: dict[str, Any], has_code: bool, shared: bool) -> Part:
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
    return Part(name, [place], ram["request_cycles"], text, has_code)


def _word(address: str, ram: dict[str, Any]) -> str:
    """Which word of a memory is at an address of it."""
    return f"({address} - 32'h{ram['base']:08x}) >> 2"
