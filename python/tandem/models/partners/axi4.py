# SPDX-License-Identifier: Apache-2.0
"""Of AXI4: bursts of any length and kind, also those that a shell does not serve."""

from tandem.models.partners.axi4_lite import CHANNELS

MASTER = """
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

SLAVE = f"""{CHANNELS}
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
