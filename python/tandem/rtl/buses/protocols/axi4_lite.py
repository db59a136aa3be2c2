# SPDX-License-Identifier: Apache-2.0
"""AMBA AXI4-Lite, of whole words."""

from tandem.rtl.buses.protocol import Protocol, Wire

_FRONT = """  // Of each channel one thing waits here until an access is made: when
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

BRIDGE = """  // Address and data stand until each is taken.
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


def axi(
    name: str, bits: int = 1, at_slave: tuple[int, int] | None = None, is_selective: bool = False
) -> Wire:
    """A wire by its standard's name."""
    return Wire(f"m_axi_{name}", f"s_axi_{name}", bits, at_slave, is_selective)


_MASTER = """
// The first address and the first word belong together, and so on; either may be first.
static std::deque<Write> addresses, words;
static Write next_of(std::deque<Write> &own, std::deque<Write> &others)
{
    if (own.empty()) own.push_back(random_write()), others.push_back(own.back());
    Write one = own.front();
    own.pop_front();
    return one;
}
static bool aw, w, ar;
static uint32_t awaddr, wdata, wstrb, araddr;
static void give(row &now)
{
    if (!aw && happens(0)) aw = true, awaddr = next_of(addresses, words).offset;
    if (!w && happens(1)) {
        Write one = next_of(words, addresses);
        w = true, wdata = one.word, wstrb = one.lanes;
    }
    if (!ar && happens(2)) ar = true, araddr = random_read();
    bool bready = happens(3), rready = happens(4);
    model.s_axi_awvalid = aw, model.s_axi_awaddr = awaddr;
    model.s_axi_wvalid = w, model.s_axi_wdata = wdata, model.s_axi_wstrb = wstrb;
    model.s_axi_arvalid = ar, model.s_axi_araddr = araddr;
    model.s_axi_bready = bready, model.s_axi_rready = rready;
    now.given[0] = aw | w << 1 | ar << 2 | bready << 3 | rready << 4 | (w ? wstrb : 0) << 5;
    now.given[1] = aw ? awaddr : 0, now.given[2] = w ? wdata : 0, now.given[3] = ar ? araddr : 0;
}
static void see(row &now)
{
    uint32_t bvalid = model.s_axi_bvalid, rvalid = model.s_axi_rvalid;
    now.said[0] = model.s_axi_awready | model.s_axi_wready << 1 | model.s_axi_arready << 2
        | bvalid << 3 | rvalid << 4 | (bvalid ? model.s_axi_bresp : 0) << 5
        | (rvalid ? model.s_axi_rresp : 0) << 7;
    now.said[1] = rvalid ? model.s_axi_rdata : 0;
    if (model.s_axi_awready) aw = false;
    if (model.s_axi_wready) w = false;
    if (model.s_axi_arready) ar = false;
    transfers += (bvalid && model.s_axi_bready) + (rvalid && model.s_axi_rready);
}
"""

CHANNELS = """
static bool awready, wready, arready, bvalid, rvalid;
static uint32_t bresp, rdata, rresp;
static int addresses, words, reads;
static void answer(row &now)
{
    ask(now);
    awready = happens(0), wready = happens(1), arready = happens(2);
    if (!bvalid && addresses && words && happens(3)) {
        bvalid = true, bresp = below(2) * 2;
        addresses--, words--;
    }
    if (!rvalid && reads && happens(4)) {
        rvalid = true, rdata = random_word(), rresp = below(2) * 2;
        reads--;
    }
    model.m_axi_awready = awready, model.m_axi_wready = wready, model.m_axi_arready = arready;
    model.m_axi_bvalid = bvalid, model.m_axi_bresp = bresp;
    model.m_axi_rvalid = rvalid, model.m_axi_rdata = rdata, model.m_axi_rresp = rresp;
    now.given[3] = awready | wready << 1 | arready << 2 | bvalid << 3 | rvalid << 4
        | (bvalid ? bresp : 0) << 5 | (rvalid ? rresp : 0) << 7;
    now.given[4] = rvalid ? rdata : 0;
}
static void hear(row &now)
{
    uint32_t aw = model.m_axi_awvalid, w = model.m_axi_wvalid, ar = model.m_axi_arvalid;
    now.said[0] = aw | w << 1 | ar << 2 | model.m_axi_bready << 3 | model.m_axi_rready << 4
        | (w ? model.m_axi_wstrb : 0) << 5;
    now.said[1] = aw ? model.m_axi_awaddr : 0, now.said[2] = w ? model.m_axi_wdata : 0;
    now.said[3] = ar ? model.m_axi_araddr : 0;
    addresses += aw && awready, words += w && wready, reads += ar && arready;
    if (model.m_axi_bready) bvalid = false;
    if (model.m_axi_rready) rvalid = false;
    heard(now);
}
"""
"""What a slave does on its channels, a word at a time."""

_SLAVE = f"""{CHANNELS}
static void give(row &now) {{ answer(now); }}
static void see(row &now) {{ hear(now); }}
"""

PROTOCOL = Protocol(
    "axi4-lite",
    30,
    "AMBA AXI4-Lite, of whole words",
    (
        *(axi("awaddr", 32, (3, 0)), axi("awprot", 3)),
        *(axi("awvalid", is_selective=True), axi("wdata", 32), axi("wstrb", 4)),
        *(axi("wvalid", is_selective=True), axi("bready")),
        *(axi("araddr", 32, (3, 0)), axi("arprot", 3)),
        *(axi("arvalid", is_selective=True), axi("rready")),
    ),
    (
        *(axi("awready"), axi("wready"), axi("bresp", 2), axi("bvalid")),
        *(axi("arready"), axi("rdata", 32), axi("rresp", 2), axi("rvalid")),
    ),
    _FRONT,
    BRIDGE,
    master=_MASTER,
    slave=_SLAVE,
)
