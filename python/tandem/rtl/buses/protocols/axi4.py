# SPDX-License-Identifier: Apache-2.0
"""AMBA AXI4, of whole words, with bursts."""

from collections.abc import Iterator

from tandem.rtl.buses.protocol import Protocol, Wire
from tandem.rtl.buses.protocols.axi4_lite import BRIDGE, CHANNELS, axi

_FRONT = """  // A burst of each kind at a time, and of its words one in each cycle. Reads and
  // writes that both could be made take turns. No output follows an input within a cycle
  // (ARM IHI 0022, A3.1.1). Behind the last word a burst has left; it may not wrap.
  reg         aw_held, w_held, ar_held, w_whole, w_end, has_written_last;
  reg         aw_moves, aw_words, aw_left, aw_error, ar_moves, ar_words, ar_left;
  reg         b_valid, b_error, r_valid, r_error, r_end, is_fresh;
  reg  [3:0]  aw_id, b_id, ar_id, r_id;
  reg  [1:0]  aw_word, ar_word;
  reg  [7:0]  ar_more;
  reg  [31:0] w_data, kept;
  wire we    = aw_held & w_held & (~w_end | ~b_valid) & ~(has_written_last & ar_held & ~r_valid);
  wire reads = ar_held & (~r_valid | s_axi_rready) & ~we;
  wire [1:0]  adr   = we ? aw_word : ar_word;
  wire [31:0] dat_w = w_data;
  wire [31:0] dat_r;
  wire [3:0]  there = (we ? 4'b{writes} : 4'b{reads}) >> adr;
  wire is_there     = there[0] & (we ? aw_words & ~aw_left & w_whole : ar_words & ~ar_left);
  wire access       = (we | reads) & is_there;
  assign s_axi_awready = ~aw_held;
  assign s_axi_wready  = ~w_held | we;
  assign s_axi_arready = ~ar_held;
  assign s_axi_bvalid  = b_valid;
  assign s_axi_bid     = b_id;
  assign s_axi_bresp   = {{b_error, 1'b0}};
  assign s_axi_rvalid  = r_valid;
  assign s_axi_rid     = r_id;
  assign s_axi_rresp   = {{r_error, 1'b0}};
  assign s_axi_rlast   = r_end;
  assign s_axi_rdata   = is_fresh ? dat_r : kept;
  always @(posedge clk) begin
    if (~aw_held) begin
      aw_id    <= s_axi_awid;
      aw_word  <= s_axi_awaddr[3:2];
      aw_moves <= s_axi_awburst == 2'd1;
      aw_words <= s_axi_awsize == 3'd2 & ~s_axi_awburst[1];
      aw_left  <= 1'b0;
      aw_error <= 1'b0;
    end else if (we) begin
      aw_word  <= aw_word + aw_moves;
      aw_left  <= aw_left | (aw_moves & &aw_word);
      aw_error <= aw_error | ~is_there;
    end
    if (~ar_held) begin
      ar_id    <= s_axi_arid;
      ar_word  <= s_axi_araddr[3:2];
      ar_more  <= s_axi_arlen;
      ar_moves <= s_axi_arburst == 2'd1;
      ar_words <= s_axi_arsize == 3'd2 & ~s_axi_arburst[1];
      ar_left  <= 1'b0;
    end else if (reads) begin
      ar_word  <= ar_word + ar_moves;
      ar_more  <= ar_more - 1'b1;
      ar_left  <= ar_left | (ar_moves & &ar_word);
    end
    if (s_axi_wready) begin
      w_data  <= s_axi_wdata;
      w_whole <= &s_axi_wstrb;
      w_end   <= s_axi_wlast;
    end
    aw_held  <= (aw_held ? ~(we & w_end) : s_axi_awvalid) & ~reset;
    w_held   <= (s_axi_wready ? s_axi_wvalid : w_held) & ~reset;
    ar_held  <= (ar_held ? ~(reads & ar_more == 8'd0) : s_axi_arvalid) & ~reset;
    b_valid  <= ((we & w_end) | (b_valid & ~s_axi_bready)) & ~reset;
    r_valid  <= (reads | (r_valid & ~s_axi_rready)) & ~reset;
    is_fresh <= reads & is_there & ~reset;
    has_written_last <= (we | (has_written_last & ~reads)) & ~reset;
    if (we & w_end) begin
      b_id    <= aw_id;
      b_error <= aw_error | ~is_there;
    end
    if (reads) begin
      r_id    <= ar_id;
      r_error <= ~is_there;
      r_end   <= ar_more == 8'd0;
    end
    kept <= reads ? 32'b0 : s_axi_rdata;
  end
"""

_BURSTS_OF_ONE = """  // The core asks for a word at a time: bursts of one, that nobody may buffer.
  assign m_axi_awid    = 4'd0;
  assign m_axi_awlen   = 8'd0;
  assign m_axi_awsize  = 3'd2;
  assign m_axi_awburst = 2'd1;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = 4'd0;
  assign m_axi_awqos   = 4'd0;
  assign m_axi_wlast   = 1'b1;
  assign m_axi_arid    = 4'd0;
  assign m_axi_arlen   = 8'd0;
  assign m_axi_arsize  = 3'd2;
  assign m_axi_arburst = 2'd1;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = 4'd0;
  assign m_axi_arqos   = 4'd0;
"""


def _address(channel: str) -> Iterator[Wire]:
    """The wires of a channel of addresses, but for READY."""
    yield axi(f"{channel}id", 4)
    yield axi(f"{channel}addr", 32, (3, 0))
    for name, bits in {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4}.items():
        yield axi(f"{channel}{name}", bits)
    yield axi(f"{channel}prot", 3)
    yield axi(f"{channel}qos", 4)
    yield axi(f"{channel}valid", is_selective=True)


# Bursts of any length and kind, also those that a shell does not serve.
_MASTER = """
struct Burst { uint32_t address, id, more, size, kind; };
static Burst random_burst(uint32_t address)
{
    Burst one = {address, below(16), below(4) ? below(8) : below(40), 2, below(4) != 0};
    if (below(16) == 0) one.size = below(8);
    if (below(16) == 0) one.kind = 2 + below(2);
    return one;
}
static uint32_t pins_of(const Burst &one)
{
    return one.id | one.more << 4 | one.size << 12 | one.kind << 15;
}
// Addresses and words may run ahead of each other; a burst's words are in the order of bursts.
static std::deque<Burst> bursts, counted;
static uint32_t left;
static Burst next_of(std::deque<Burst> &own, std::deque<Burst> &others)
{
    if (own.empty()) own.push_back(random_burst(random_write().offset)), others.push_back(own[0]);
    Burst one = own.front();
    own.pop_front();
    return one;
}
static bool aw, w, ar, wlast;
static Burst asked_to_write, asked_to_read;
static uint32_t wdata, wstrb;
static void give(row &now)
{
    if (!aw && happens(0)) aw = true, asked_to_write = next_of(bursts, counted);
    if (!w && happens(1)) {
        if (!left) left = next_of(counted, bursts).more + 1;
        Write one = random_write();
        w = true, wdata = one.word, wstrb = one.lanes, wlast = --left == 0;
    }
    if (!ar && happens(2)) ar = true, asked_to_read = random_burst(random_read());
    bool bready = happens(3), rready = happens(4);
    model.s_axi_awvalid = aw, model.s_axi_awaddr = asked_to_write.address;
    model.s_axi_awid = asked_to_write.id, model.s_axi_awlen = asked_to_write.more;
    model.s_axi_awsize = asked_to_write.size;
    model.s_axi_awburst = asked_to_write.kind;
    model.s_axi_wvalid = w, model.s_axi_wdata = wdata, model.s_axi_wstrb = wstrb;
    model.s_axi_wlast = wlast;
    model.s_axi_arvalid = ar, model.s_axi_araddr = asked_to_read.address;
    model.s_axi_arid = asked_to_read.id, model.s_axi_arlen = asked_to_read.more;
    model.s_axi_arsize = asked_to_read.size;
    model.s_axi_arburst = asked_to_read.kind;
    model.s_axi_bready = bready, model.s_axi_rready = rready;
    now.given[0] = aw | w << 1 | ar << 2 | bready << 3 | rready << 4;
    if (aw) now.given[1] = asked_to_write.address, now.given[4] = pins_of(asked_to_write);
    if (w) now.given[0] |= wstrb << 5 | wlast << 9, now.given[2] = wdata;
    if (ar) now.given[3] = asked_to_read.address, now.given[5] = pins_of(asked_to_read);
}
static void see(row &now)
{
    uint32_t bvalid = model.s_axi_bvalid, rvalid = model.s_axi_rvalid;
    now.said[0] = model.s_axi_awready | model.s_axi_wready << 1 | model.s_axi_arready << 2
        | bvalid << 3 | rvalid << 4;
    if (bvalid) now.said[0] |= model.s_axi_bresp << 5 | model.s_axi_bid << 10;
    if (rvalid)
        now.said[0] |= model.s_axi_rresp << 7 | model.s_axi_rlast << 9 | model.s_axi_rid << 14;
    now.said[1] = rvalid ? model.s_axi_rdata : 0;
    transfers += (w && model.s_axi_wready) + (rvalid && model.s_axi_rready);
    if (model.s_axi_awready) aw = false;
    if (model.s_axi_wready) w = false;
    if (model.s_axi_arready) ar = false;
}
"""

_SLAVE = f"""{CHANNELS}
static void give(row &now)
{{
    answer(now);
    model.m_axi_bid = 0, model.m_axi_rid = 0, model.m_axi_rlast = rvalid;
    now.given[3] |= rvalid << 9;
}}
static void see(row &now)
{{
    hear(now);
    if (model.m_axi_wvalid) now.said[0] |= model.m_axi_wlast << 9;
    if (model.m_axi_awvalid)
        now.said[4] = model.m_axi_awid | model.m_axi_awlen << 4 | model.m_axi_awsize << 12
            | model.m_axi_awburst << 15;
    if (model.m_axi_arvalid)
        now.said[5] = model.m_axi_arid | model.m_axi_arlen << 4 | model.m_axi_arsize << 12
            | model.m_axi_arburst << 15;
}}
"""

PROTOCOL = Protocol(
    "axi4",
    40,
    "AMBA AXI4, of whole words",
    (
        *(*_address("aw"), axi("wdata", 32), axi("wstrb", 4), axi("wlast")),
        *(axi("wvalid", is_selective=True), axi("bready"), *_address("ar"), axi("rready")),
    ),
    (
        *(axi("awready"), axi("wready"), axi("bid", 4), axi("bresp", 2), axi("bvalid")),
        *(axi("arready"), axi("rid", 4), axi("rdata", 32), axi("rresp", 2), axi("rlast")),
        axi("rvalid"),
    ),
    _FRONT,
    _BURSTS_OF_ONE + BRIDGE,
    master=_MASTER,
    slave=_SLAVE,
)
