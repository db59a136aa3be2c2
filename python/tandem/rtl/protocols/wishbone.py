# SPDX-License-Identifier: Apache-2.0
"""Wishbone B4, of whole words: classic cycles, and pipelined ones."""

from tandem.rtl.protocols.protocol import Protocol, Wire

_FRONT = """  reg  acknowledged;
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


def _both(name: str, bits: int = 1) -> Wire:
    """A wire with one name for all."""
    return Wire(name, name, bits)


def _piped(
    name: str, bits: int = 1, at_slave: tuple[int, int] | None = None, is_selective: bool = False
) -> Wire:
    return Wire(f"m_{name}", name, bits, at_slave, is_selective)


CLASSIC = Protocol(
    "wishbone",
    "Wishbone B4, classic cycles with registered feedback, of whole words",
    (
        *(_both("cyc"), Wire("stb", "stb", is_selective=True), _both("we")),
        *(Wire("adr", "adr", 32, (3, 2)), _both("dat_w", 32)),
    ),
    (_both("dat_r", 32), _both("ack")),
    _FRONT,
)
PIPELINED = Protocol(
    "wishbone-pipelined",
    "Wishbone B4, pipelined cycles, of whole words",
    (
        *(_piped("cyc"), _piped("stb", is_selective=True), _piped("we")),
        *(_piped("adr", 32, (3, 2)), _piped("sel", 4), _piped("dat_w", 32)),
    ),
    (_piped("stall"), _piped("dat_r", 32), _piped("ack"), _piped("err")),
    _PIPELINED_FRONT,
    _PIPELINED_BRIDGE,
)
