# SPDX-License-Identifier: Apache-2.0
"""CoreConnect's On-chip Peripheral Bus, of whole words."""

from tandem.rtl.protocols.protocol import Protocol, Wire

_FRONT = """  // An access in the first cycle in which it is selected, acknowledged in the
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

_BRIDGE = """  // Owns the bus from the cycle behind a grant to the acknowledgement; zeros else.
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


def _opb(name: str, bits: int = 1, is_selective: bool = False) -> Wire:
    return Wire(f"Mn_{name}", f"OPB_{name}", bits, None, is_selective)


def _opb_up(name: str, bits: int = 1) -> Wire:
    return Wire(f"OPB_{name}", f"Sln_{name}", bits)


OPB = Protocol(
    "opb",
    "CoreConnect's On-chip Peripheral Bus, of whole words",
    (
        *(_opb("select", is_selective=True), _opb("RNW"), _opb("ABus", 32), _opb("BE", 4)),
        *(_opb("DBus", 32), _opb("seqAddr")),
    ),
    (
        *(_opb_up("DBus", 32), _opb_up("xferAck"), _opb_up("errAck"), _opb_up("retry")),
        Wire("", "Sln_toutSup"),
    ),
    _FRONT,
    _BRIDGE,
    ("Mn_request", "Mn_busLock"),
    {"OPB_MnGrant": "Mn_request", "OPB_timeout": "1'b0"},
)
