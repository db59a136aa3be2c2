# SPDX-License-Identifier: Apache-2.0
"""Of a ring of descriptors: the core with accesses and descriptors in any order, and memory that
takes its time. Descriptors are what memory says that they are."""

MASTER = """
// A kernel starts with words in all of its arguments: one that waits for a stream's waits forever.
struct Order { uint32_t order, words; };
static std::deque<Order> orders;
static Order next_order()
{
    if (orders.empty()) {
        uint32_t kind = below(32), words = below(4) ? below(5) : below(30);
        if (kind == 0) {
            for (uint32_t one = 0; one < 4; one++) orders.push_back({1 | one << 8, 4});
            orders.push_back({2, random_word()});
        } else if (kind < 14) orders.push_back({1 | below(4) << 8, words});
        else if (kind < 26) orders.push_back({3 | below(4) << 8, words});
        else if (kind < 28) orders.push_back({(random_word() & ~255u) | below(4) << 4, words});
        else orders.push_back({1 | below(256) << 8, words});
    }
    Order one = orders.front();
    orders.pop_front();
    return one;
}
static bool stb, we, is_read;
static uint32_t adr, word;
static Order order;
// Descriptors; there may be no more than the register counts.
static uint64_t rung, begun;
static void give(row &now)
{
    if (!stb && happens(0)) {
        Write one = random_write();
        stb = true, we = below(2), word = one.word, adr = we ? one.offset : random_read();
        // The core starts nothing: see above.
        if (we && (adr & 12) == 0 && (word & 255) == 2) word = 1;
        if (below(4) == 0) {
            uint32_t count = rung - begun < 200 ? below(6) : 0;
            adr = 12, word = 0x1200 + (below(8) == 0) * 0x100 + count;
            rung += we ? count : 0;
        }
    }
    bool ready = model.m_valid && happens(1);
    uint32_t read = random_word(), place = model.m_adr;
    if (ready && !model.m_we && (place & ~0x1ffu) == 0x1200) {
        uint32_t part = place >> 2 & 3;
        if (part == 0) order = next_order(), read = order.order, begun++;
        if (part == 1) read = 0x40000000 | (random_word() >> 2);
        if (part == 2) read = order.words;
    }
    uint32_t elsewhere = stb ? 0 : random_word();
    model.s_stb = stb, model.s_we = stb ? we : elsewhere & 1;
    model.s_adr = (stb ? adr : elsewhere) >> 2 & 3, model.s_dat_w = stb ? word : elsewhere;
    model.m_ready = ready, model.m_dat_r = read;
    now.given[0] = stb | (stb && we) << 1 | ready << 2;
    if (stb) now.given[1] = adr;
    if (stb && we) now.given[2] = word;
    if (ready) now.given[3] = read;
}
static void see(row &now)
{
    bool ack = model.s_ack;
    now.said[0] = ack | model.m_valid << 1;
    now.said[1] = ack && is_read ? model.s_dat_r : 0;
    if (model.m_valid) {
        now.said[0] |= model.m_last << 2 | model.m_we << 3;
        now.said[2] = model.m_adr, now.said[3] = model.m_we ? model.m_dat_w : 0;
    }
    transfers += ack + (model.m_ready && model.m_valid);
    is_read = stb && !we;
    if (ack) stb = false;
}
"""
