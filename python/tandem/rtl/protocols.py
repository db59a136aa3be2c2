# SPDX-License-Identifier: Apache-2.0
"""The protocols of a chip's buses (docs/chips.md): their pins, and the Verilog of both ends, of
which tandem.rtl.bus makes modules. They take the cycles of engine/src/chip/bus.

A front gives a device `access`, high for one cycle, with `we`, `adr` (which of four words) and
`dat_w`; the device drives `dat_r` in the cycle behind. A bridge has a request of the core's, `stb`
with `lanes` (0: a word is read), `address` and `dat_w`, until it says `ack`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

WISHBONE, PIPELINED = "wishbone", "wishbone-pipelined"
AXI4_LITE, OPB = "axi4-lite", "opb"


@dataclass(frozen=True)
class Wire:
    """A wire of a bus: the pin of a master and that of a slave at its ends, and its bits.
    `at_slave`: the highest and the lowest bit that a slave gets, if not all; `is_selective`:
    whether only the slave that is asked sees it high."""

    master: str
    slave: str
    bits: int = 1
    at_slave: tuple[int, int] | None = None
    is_selective: bool = False


@dataclass(frozen=True)
class Protocol:
    """A protocol: its name in files, its title for people, what masters and slaves say, and the
    Verilog of both ends; the core's port is a master of Wishbone, without a bridge. `asked`: what a
    bridge says to an arbiter, and `granted`: what that says in return, by the bridge's pins."""

    name: str
    title: str
    down: Sequence[Wire]
    up: Sequence[Wire]
    front: str
    bridge: str = ""
    asked: Sequence[str] = ()
    granted: Mapping[str, str] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The bridge's."""
        return f"{self.name.replace('-', '_')}_bridge"


_WISHBONE_FRONT = """  reg  acknowledged;
  wire access = cyc & stb & ~acknowledged;
  assign ack  = acknowledged;
  always @(posedge clk) acknowledged <= access & ~reset;
"""

_PIPELINED_FRONT = """  // A request is taken in each cycle, and answered in the next.
  reg  acknowledged, has_error;
  wire taken    = cyc & stb;
  wire [3:0] there = (we ? 4'b{writes} : 4'b{reads}) >> adr;
  wire is_there = there[0] & (~we | &sel);
  wire access   = taken & is_there;
  assign stall  = 1'b0;
  assign ack    = acknowledged;
  assign err    = has_error;
  always @(posedge clk) begin
    acknowledged <= access & ~reset;
    has_error    <= taken & ~is_there & ~reset;
  end
"""

_PIPELINED_BRIDGE = """  // Strobes until the request is taken; the core asks for a word at a time.
  reg  is_taken;
  assign m_cyc   = stb;
  assign m_stb   = stb & ~is_taken;
  assign m_we    = |lanes;
  assign m_adr   = address;
  assign m_sel   = m_we ? lanes : 4'hf;
  assign m_dat_w = dat_w;
  assign dat_r   = m_err ? 32'b0 : m_dat_r;
  assign ack     = stb & (m_ack | m_err);
  always @(posedge clk) is_taken <= stb & ~ack & ~reset & (is_taken | ~m_stall);
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

_OPB_FRONT = """  // An access in the first cycle in which it is selected, acknowledged in the
  // next; zeros else, as the bus is an OR.
  reg  acknowledged, has_error, has_read;
  wire selected = OPB_select & ~acknowledged;
  wire we       = ~OPB_RNW;
  wire [1:0]  adr   = OPB_ABus[3:2];
  wire [31:0] dat_w = OPB_DBus;
  wire [31:0] dat_r;
  wire [3:0]  there = (we ? 4'b{writes} : 4'b{reads}) >> adr;
  wire is_there     = there[0] & (~we | &OPB_BE);
  wire access       = selected & is_there;
  assign Sln_xferAck = acknowledged;
  assign Sln_errAck  = has_error;
  assign Sln_retry   = 1'b0;
  assign Sln_toutSup = 1'b0;
  assign Sln_DBus    = has_read ? dat_r : 32'b0;
  always @(posedge clk) begin
    acknowledged <= selected & ~reset;
    has_error    <= selected & ~is_there & ~reset;
    has_read     <= access & ~we & ~reset;
  end
"""

_OPB_BRIDGE = """  // Owns the bus from the cycle behind a grant to the acknowledgement; zeros else.
  reg  owns;
  wire we   = |lanes;
  wire ends = OPB_xferAck | OPB_timeout;
  assign Mn_request = stb & ~owns;
  assign Mn_busLock = 1'b0;
  assign Mn_seqAddr = 1'b0;
  assign Mn_select  = stb & owns;
  assign Mn_RNW     = stb & owns & ~we;
  assign Mn_ABus    = (stb & owns) ? address : 32'b0;
  assign Mn_BE      = (stb & owns) ? (we ? lanes : 4'hf) : 4'b0;
  assign Mn_DBus    = (stb & owns & we) ? dat_w : 32'b0;
  assign dat_r = OPB_xferAck ? OPB_DBus : 32'b0;
  assign ack   = stb & owns & ends;
  always @(posedge clk)
    owns <= stb & ~reset & (owns ? ~(ends | OPB_retry) : OPB_MnGrant);
"""


def _piped(
    name: str, bits: int = 1, at_slave: tuple[int, int] | None = None, is_selective: bool = False
) -> Wire:
    return Wire(f"m_{name}", name, bits, at_slave, is_selective)


def _both(name: str, bits: int = 1) -> Wire:
    """A wire with one name for all."""
    return Wire(name, name, bits)


def _axi(
    name: str, bits: int = 1, at_slave: tuple[int, int] | None = None, is_selective: bool = False
) -> Wire:
    return Wire(f"m_axi_{name}", f"s_axi_{name}", bits, at_slave, is_selective)


def _opb(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"Mn_{name}", f"OPB_{name}", bits, None, is_selective)


def _opb_up(name: str, bits: int = 1) -> Wire:
    return Wire(f"OPB_{name}", f"Sln_{name}", bits)


PROTOCOLS = {
    one.name: one
    for one in (
        Protocol(
            WISHBONE,
            "Wishbone B4, classic cycles with registered feedback, of whole words",
            (
                *(_both("cyc"), Wire("stb", "stb", is_selective=True), _both("we")),
                *(Wire("adr", "adr", 32, (3, 2)), _both("dat_w", 32)),
            ),
            (_both("dat_r", 32), _both("ack")),
            _WISHBONE_FRONT,
        ),
        Protocol(
            PIPELINED,
            "Wishbone B4, pipelined cycles, of whole words",
            (
                *(_piped("cyc"), _piped("stb", is_selective=True), _piped("we")),
                *(_piped("adr", 32, (3, 2)), _piped("sel", 4), _piped("dat_w", 32)),
            ),
            (_piped("stall"), _piped("dat_r", 32), _piped("ack"), _piped("err")),
            _PIPELINED_FRONT,
            _PIPELINED_BRIDGE,
        ),
        Protocol(
            AXI4_LITE,
            "AMBA AXI4-Lite, of whole words",
            (
                *(_axi("awaddr", 32, (3, 0)), _axi("awprot", 3)),
                *(_axi("awvalid", is_selective=True), _axi("wdata", 32), _axi("wstrb", 4)),
                *(_axi("wvalid", is_selective=True), _axi("bready")),
                *(_axi("araddr", 32, (3, 0)), _axi("arprot", 3)),
                *(_axi("arvalid", is_selective=True), _axi("rready")),
            ),
            (
                *(_axi("awready"), _axi("wready"), _axi("bresp", 2), _axi("bvalid")),
                *(_axi("arready"), _axi("rdata", 32), _axi("rresp", 2), _axi("rvalid")),
            ),
            _AXI4_LITE_FRONT,
            _AXI4_LITE_BRIDGE,
        ),
        Protocol(
            OPB,
            "CoreConnect's On-chip Peripheral Bus, of whole words",
            (
                *(_opb("select", is_selective=True), _opb("RNW"), _opb("ABus", 32), _opb("BE", 4)),
                *(_opb("DBus", 32), _opb("seqAddr")),
            ),
            (
                *(_opb_up("DBus", 32), _opb_up("xferAck"), _opb_up("errAck"), _opb_up("retry")),
                Wire("", "Sln_toutSup"),
            ),
            _OPB_FRONT,
            _OPB_BRIDGE,
            ("Mn_request", "Mn_busLock"),
            {"OPB_MnGrant": "Mn_request", "OPB_timeout": "1'b0"},
        ),
    )
}
"""By their names in a chip's file."""
BRIDGED = tuple(name for name in PROTOCOLS if name != WISHBONE)
"""Those with a bridge."""
