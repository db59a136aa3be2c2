# SPDX-License-Identifier: Apache-2.0
"""Of AXI4-Lite."""

MASTER = """
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

SLAVE = f"""{CHANNELS}
static void give(row &now) {{ answer(now); }}
static void see(row &now) {{ hear(now); }}
"""
