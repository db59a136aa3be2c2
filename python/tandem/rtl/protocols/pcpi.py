# SPDX-License-Identifier: Apache-2.0
"""PicoRV32's co-processor interface: instructions of custom-0. funct3 has the register in its low
two bits and whether it is written in the third, rs1 is what is written, rs2 says whose register, rd
gets what was read, or 0."""

from tandem.rtl.protocols.protocol import Protocol, Wire

_FRONT = """  // An access in the first cycle of an instruction, ready in the next. What is not
  // there nobody takes, so that the core traps.
  reg  acknowledged, has_read;
  wire is_ours = pcpi_insn[6:0] == 7'h0b & pcpi_insn[31:25] == 7'd0;
  wire we      = pcpi_insn[14];
  wire [1:0]  adr   = pcpi_insn[13:12];
  wire [31:0] dat_w = pcpi_rs1;
  wire [31:0] dat_r;
  wire [3:0]  there = (we ? 4'b{writes} : 4'b{reads}) >> adr;
  wire access = pcpi_valid & is_ours & there[0] & ~acknowledged;
  assign pcpi_wait  = 1'b0;
  assign pcpi_ready = acknowledged;
  assign pcpi_wr    = acknowledged;
  assign pcpi_rd    = has_read ? dat_r : 32'b0;
  always @(posedge clk) begin
    acknowledged <= access & ~reset;
    has_read     <= access & ~we & ~reset;
  end
"""


def _pcpi(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"pcpi_{name}", f"pcpi_{name}", bits, None, is_selective)


PCPI = Protocol(
    "pcpi",
    "PicoRV32's co-processor interface",
    (_pcpi("valid", is_selective=True), _pcpi("insn", 32), _pcpi("rs1", 32)),
    (_pcpi("wait"), _pcpi("ready"), _pcpi("wr"), _pcpi("rd", 32)),
    _FRONT,
    is_of_instructions=True,
)
