# SPDX-License-Identifier: Apache-2.0
"""CoreConnect's On-chip Peripheral Bus, of whole words."""

from tandem.rtl.buses.protocol import Protocol, Wire

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


_MASTER = """
static bool selected, is_read;
static uint32_t address, word, lanes;
static void give(row &now)
{
    if (!selected && happens(0)) {
        Write one = random_write();
        selected = true, is_read = below(2);
        address = is_read ? random_read() : one.offset, word = one.word;
        lanes = is_read ? 15 : one.lanes;
        address |= random_word() << 4;
    }
    // Others talk meanwhile.
    uint32_t elsewhere = selected ? 0 : random_word();
    model.OPB_select = selected, model.OPB_RNW = selected ? is_read : elsewhere & 1;
    model.OPB_ABus = selected ? address : elsewhere, model.OPB_DBus = selected ? word : elsewhere;
    model.OPB_BE = selected ? lanes : elsewhere & 15, model.OPB_seqAddr = 0;
    if (selected) now.given[0] = 1 | is_read << 1 | lanes << 3, now.given[1] = address;
    if (selected && !is_read) now.given[2] = word;
}
static void see(row &now)
{
    bool ack = model.Sln_xferAck;
    now.said[0] = ack | model.Sln_errAck << 1 | model.Sln_retry << 2;
    now.said[1] = model.Sln_DBus;
    if (ack) selected = false, transfers++;
}
"""

_SLAVE = """
static uint32_t selected;
static void give(row &now)
{
    ask(now);
    bool answers = selected && happens(0);
    uint32_t ack = answers && below(8), error = ack && !below(8);
    uint32_t retry = answers && !ack && below(4), timeout = answers && !ack && !retry;
    // Who gets the bus is not known before the request is.
    uint32_t grant = happens(1), data = ack ? random_word() : 0;
    model.OPB_xferAck = ack, model.OPB_errAck = error, model.OPB_retry = retry;
    model.OPB_timeout = timeout, model.OPB_DBus = data, model.OPB_MnGrant = grant;
    now.given[3] = ack | error << 1 | retry << 2 | timeout << 3 | grant << 4;
    now.given[4] = data;
}
static void see(row &now)
{
    selected = model.Mn_select;
    now.said[0] = selected | model.Mn_RNW << 1 | model.Mn_request << 2 | model.Mn_BE << 3;
    now.said[1] = model.Mn_ABus, now.said[2] = model.Mn_DBus;
    heard(now);
    // What ends a transfer does so in the cycle in which it is said.
    if (model.OPB_xferAck || model.OPB_retry || model.OPB_timeout) selected = false;
}
"""

PROTOCOL = Protocol(
    "opb",
    50,
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
    master=_MASTER,
    slave=_SLAVE,
)
