# SPDX-License-Identifier: Apache-2.0
"""PicoRV32's co-processor interface: instructions of custom-0. funct3 has the register in its low
two bits and whether it is written in the third, rs1 is what is written, rs2 says whose register, rd
gets what was read, or 0."""

from tandem.rtl.buses.protocol import Protocol, Wire

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


# The core, with instructions of ours and of others.
_MASTER = """
static bool valid;
static uint32_t instruction, word;
static int waited;
static void give(row &now)
{
    if (!valid && happens(0)) {
        Write one = random_write();
        bool we = below(2);
        uint32_t offset = we ? one.offset : random_read();
        valid = true, waited = 0, word = one.word;
        instruction = (random_word() & 0x01ff8f80) | 0x0b | (offset >> 2 & 3) << 12 | we << 14;
        if (below(16) == 0) instruction = random_word();
        if (below(16) == 0) instruction |= random_word() << 25;
    }
    uint32_t elsewhere = valid ? 0 : random_word();
    model.pcpi_valid = valid, model.pcpi_insn = valid ? instruction : elsewhere;
    model.pcpi_rs1 = valid ? word : elsewhere;
    now.given[0] = valid;
    if (valid) now.given[1] = instruction, now.given[2] = word;
}
static void see(row &now)
{
    bool ready = model.pcpi_ready;
    now.said[0] = ready, now.said[1] = ready ? model.pcpi_rd : 0;
    if (ready != model.pcpi_wr || model.pcpi_wait) now.said[0] = 99;
    transfers += ready;
    // The core traps when nobody takes an instruction for 16 cycles.
    if (valid && (ready || ++waited == 17)) valid = false;
}
"""

PROTOCOL = Protocol(
    "pcpi",
    80,
    "PicoRV32's co-processor interface",
    (_pcpi("valid", is_selective=True), _pcpi("insn", 32), _pcpi("rs1", 32)),
    (_pcpi("wait"), _pcpi("ready"), _pcpi("wr"), _pcpi("rd", 32)),
    _FRONT,
    is_of_instructions=True,
    master=_MASTER,
)
