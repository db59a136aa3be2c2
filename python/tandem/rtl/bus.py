# SPDX-License-Identifier: Apache-2.0
"""The protocols of a chip's buses as Verilog (docs/chips.md): of each the front before a device's
registers, and the bridge at the core's port. They take the cycles of engine/src/chip/bus.

A front gives a device `access`, high for one cycle, with `we`, `adr` (which of four words) and
`dat_w`; the device drives `dat_r` in the cycle behind. A bridge has a request of the core's, `stb`
with `lanes` (0: a word is read), `address` and `dat_w`, until it says `ack`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WISHBONE, AXI4_LITE = "wishbone", "axi4-lite"


@dataclass(frozen=True)
class Wire:
    """What a bus and its ends have by one name, so many bits. `at_device`: the highest and the
    lowest bit that a device gets, if not all; `is_selective`: whether only the device that is asked
    sees it high."""

    name: str
    bits: int = 1
    at_device: tuple[int, int] | None = None
    is_selective: bool = False


@dataclass(frozen=True)
class Protocol:
    """A protocol: its name in files, its title for people, what masters and slaves say, what begins
    the names of their pins, and the Verilog of both ends; the core's port is a master of Wishbone,
    without a bridge."""

    name: str
    title: str
    down: Sequence[Wire]
    up: Sequence[Wire]
    front: str
    bridge: str = ""
    of_master: str = ""
    of_slave: str = ""

    @property
    def module(self) -> str:
        """The bridge's."""
        return f"{self.name.replace('-', '_')}_bridge"


_WISHBONE_FRONT = """  reg  acknowledged;
  wire access = cyc & stb & ~acknowledged;
  assign ack  = acknowledged;
  always @(posedge clk) acknowledged <= access & ~reset;
"""

_AXI4_LITE_FRONT = """  // Of each channel one thing waits here until an access is made: when
  // all of it is there, and the answer before is gone. Reads and writes that both could be made
  // take turns. No output follows an input within a cycle (ARM IHI 0022, A3.1.1).
  reg         aw_held, w_held, ar_held, w_whole, has_written_last;
  reg         b_valid, b_error, r_valid, r_error, is_fresh;
  reg  [1:0]  aw_word, ar_word;
  reg  [31:0] w_data, kept;
  wire can_write = aw_held & w_held & (~b_valid | s_axi_bready);
  wire can_read  = ar_held & (~r_valid | s_axi_rready);
  wire we        = can_write & ~(can_read & has_written_last);
  wire reads     = can_read & ~we;
  wire [1:0]  adr   = we ? aw_word : ar_word;
  wire [31:0] dat_w = w_data;
  wire [31:0] dat_r;
  wire [3:0]  there = (we ? 4'b{writes} : 4'b{reads}) >> adr;
  wire is_there     = there[0] & (~we | w_whole);
  wire access       = (we | reads) & is_there;
  assign s_axi_awready = ~aw_held;
  assign s_axi_wready  = ~w_held;
  assign s_axi_arready = ~ar_held;
  assign s_axi_bvalid  = b_valid;
  assign s_axi_bresp   = {{b_error, 1'b0}};
  assign s_axi_rvalid  = r_valid;
  assign s_axi_rresp   = {{r_error, 1'b0}};
  assign s_axi_rdata   = is_fresh ? dat_r : kept;
  always @(posedge clk) begin
    if (~aw_held) aw_word <= s_axi_awaddr[3:2];
    if (~ar_held) ar_word <= s_axi_araddr[3:2];
    if (~w_held) begin
      w_data  <= s_axi_wdata;
      w_whole <= &s_axi_wstrb;
    end
    aw_held  <= (aw_held ? ~we : s_axi_awvalid) & ~reset;
    w_held   <= (w_held ? ~we : s_axi_wvalid) & ~reset;
    ar_held  <= (ar_held ? ~reads : s_axi_arvalid) & ~reset;
    b_valid  <= (we | (b_valid & ~s_axi_bready)) & ~reset;
    r_valid  <= (reads | (r_valid & ~s_axi_rready)) & ~reset;
    is_fresh <= reads & is_there & ~reset;
    has_written_last <= (we | (has_written_last & ~reads)) & ~reset;
    if (we) b_error <= ~is_there;
    if (reads) r_error <= ~is_there;
    kept <= reads ? 32'b0 : s_axi_rdata;
  end
"""

_AXI4_LITE_BRIDGE = """  // Address and data stand until each is taken.
  reg  aw_done, w_done, ar_done;
  wire we = |lanes;
  assign m_axi_awaddr  = address;
  assign m_axi_awprot  = 3'b0;
  assign m_axi_awvalid = stb & we & ~aw_done;
  assign m_axi_wdata   = dat_w;
  assign m_axi_wstrb   = lanes;
  assign m_axi_wvalid  = stb & we & ~w_done;
  assign m_axi_bready  = stb & we;
  assign m_axi_araddr  = address;
  assign m_axi_arprot  = 3'b0;
  assign m_axi_arvalid = stb & ~we & ~ar_done;
  assign m_axi_rready  = stb & ~we;
  assign dat_r = m_axi_rdata;
  assign ack   = stb & (we ? m_axi_bvalid : m_axi_rvalid);
  wire goes_on = stb & ~ack & ~reset;
  always @(posedge clk) begin
    aw_done <= goes_on & (aw_done | (m_axi_awvalid & m_axi_awready));
    w_done  <= goes_on & (w_done | (m_axi_wvalid & m_axi_wready));
    ar_done <= goes_on & (ar_done | (m_axi_arvalid & m_axi_arready));
  end
"""

PROTOCOLS = {
    one.name: one
    for one in (
        Protocol(
            WISHBONE,
            "Wishbone B4, classic cycles with registered feedback, of whole words",
            (
                *(Wire("cyc"), Wire("stb", is_selective=True), Wire("we")),
                *(Wire("adr", 32, (3, 2)), Wire("dat_w", 32)),
            ),
            (Wire("dat_r", 32), Wire("ack")),
            _WISHBONE_FRONT,
        ),
        Protocol(
            AXI4_LITE,
            "AMBA AXI4-Lite, of whole words",
            (
                *(Wire("awaddr", 32, (3, 0)), Wire("awprot", 3), Wire("awvalid", 1, None, True)),
                *(Wire("wdata", 32), Wire("wstrb", 4), Wire("wvalid", 1, None, True)),
                Wire("bready"),
                *(Wire("araddr", 32, (3, 0)), Wire("arprot", 3), Wire("arvalid", 1, None, True)),
                Wire("rready"),
            ),
            (
                *(Wire("awready"), Wire("wready"), Wire("bresp", 2), Wire("bvalid")),
                *(Wire("arready"), Wire("rdata", 32), Wire("rresp", 2), Wire("rvalid")),
            ),
            _AXI4_LITE_FRONT,
            _AXI4_LITE_BRIDGE,
            "m_axi_",
            "s_axi_",
        ),
    )
}
"""By their names in a chip's file."""
BRIDGED = tuple(name for name in PROTOCOLS if name != WISHBONE)
"""Those with a bridge."""


def front_ports(protocol: str) -> str:
    """What a device has in its list of ports, behind clock and reset."""
    said = PROTOCOLS[protocol]
    down = (_port("input", said.of_slave, wire, at_device=True) for wire in said.down)
    return ",\n".join([*down, *(_port("output", said.of_slave, wire) for wire in said.up)])


def front(protocol: str, reads: int, writes: int) -> str:
    """What a device has before its registers. `reads`, `writes`: of its four words a bit each,
    whether there is something to be read or written."""
    return PROTOCOLS[protocol].front.format(reads=f"{reads:04b}", writes=f"{writes:04b}")


def bridge(protocol: str) -> str:
    """The module of a bridge."""
    said = PROTOCOLS[protocol]
    down = (_port("output", said.of_master, wire) for wire in said.down)
    pins = ",\n".join([*down, *(_port("input", said.of_master, wire) for wire in said.up)])
    return f"""
// From the core's port to {said.title}.
module {said.module} (
  input         clk, reset, stb,
  input  [3:0]  lanes,
  input  [31:0] address, dat_w,
  output [31:0] dat_r,
  output        ack,
{pins}
);
{said.bridge}endmodule
"""


def _port(direction: str, begin: str, wire: Wire, at_device: bool = False) -> str:
    first, last = wire.at_device if at_device and wire.at_device else (wire.bits - 1, 0)
    bits = f"[{first - last}:0]" if first > last else ""
    return f"  {direction:6} {bits:6} {begin}{wire.name}"


@dataclass(frozen=True)
class Tap:
    """A device on a bus: what its instance is called, and the condition that it is asked."""

    name: str
    is_asked: str


def bus_wires(protocol: str, name: str, taps: Sequence[Tap]) -> str:
    """The wires of a bus, and of each of its devices; the bus hears the one that is asked."""
    return "".join(_wires(PROTOCOLS[protocol], name, taps))


def _wires(said: Protocol, name: str, taps: Sequence[Tap]) -> Iterator[str]:
    for wire in (*said.down, *said.up):
        yield f"  wire {_bits(wire)} {name}_{wire.name};\n"
    for tap in taps:
        yield f"  wire        {tap.name}_asked = {tap.is_asked};\n"
        for wire in said.up:
            yield f"  wire {_bits(wire)} {tap.name}_{wire.name};\n"
    for wire in said.up:
        heard = (f"({{{wire.bits}{{{tap.name}_asked}}}} & {tap.name}_{wire.name})" for tap in taps)
        yield f"  assign {name}_{wire.name} = {' | '.join(heard)};\n"


def _bits(wire: Wire) -> str:
    return f"{f'[{wire.bits - 1}:0]' if wire.bits > 1 else '':6}"


def master_pins(protocol: str, name: str) -> str:
    """A bridge's connections to the wires of a bus."""
    said = PROTOCOLS[protocol]
    rows = [f".{said.of_master}{w.name}({name}_{w.name})" for w in (*said.down, *said.up)]
    return _folded(rows)


def slave_pins(protocol: str, name: str, tap: str) -> str:
    """A device's connections to them."""
    said = PROTOCOLS[protocol]
    rows = [f".{said.of_slave}{wire.name}({_given(wire, name, tap)})" for wire in said.down]
    rows += [f".{said.of_slave}{wire.name}({tap}_{wire.name})" for wire in said.up]
    return _folded(rows)


def _given(wire: Wire, name: str, tap: str) -> str:
    part = "[{}:{}]".format(*wire.at_device) if wire.at_device else ""
    return f"{name}_{wire.name}{part}" + (f" & {tap}_asked" if wire.is_selective else "")


def _folded(rows: Sequence[str], of_a_line: int = 3) -> str:
    lines = [", ".join(rows[i : i + of_a_line]) for i in range(0, len(rows), of_a_line)]
    return ",\n     ".join(lines)
