# SPDX-License-Identifier: Apache-2.0
"""What all who talk to the ends of a chip's buses have, when these are tried: chance, the rows that
they tell, and what is asked of a shell. `tandem.rtl.buses` has what each protocol's do."""

COMMON = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
struct row { uint32_t given[6], said[8]; };
static Model model;
static std::mt19937 source;
static uint64_t transfers;
static uint32_t random_word() { return source(); }
static uint32_t below(uint32_t end) { return random_word() % end; }
// How often something happens, in 64ths: another rate now and then, so that each of two that meet
// is sometimes the slower one.
static uint32_t rates[8];
static bool happens(int what) { return below(64) < rates[what]; }
static void change_rates()
{
    static const uint32_t known[] = {2, 8, 24, 48, 63, 64, 64};
    if (below(128) == 0) for (auto &rate : rates) rate = known[below(7)];
}
static void half(int clk) { model.clk = clk; model.eval(); }
static void give(row &now);  // sets the inputs of a cycle
static void see(row &now);   // takes the outputs
int main(int, char **words)
{
    const uint64_t wanted = strtoull(words[1], nullptr, 10);
    source.seed(strtoul(words[2], nullptr, 10));
    for (auto &rate : rates) rate = 64;
    row now = {};
    model.reset = 1;
    for (int i = 0; i < 4; i++) half(0), half(1);
    model.reset = 0;
    while (transfers < wanted) {
        change_rates();
        now = {};
        give(now);
        half(0);
        see(now);
        half(1);
        fwrite(&now, sizeof now, 1, stdout);
    }
}
"""

MASTER = """
// What a driver does with a shell, in any order, and what it should not: parts of words, and words
// that are not there.
struct Write { uint32_t offset, word, lanes; };
static Write random_write()
{
    uint32_t lanes = below(16) ? 15 : below(16), kind = below(16);
    if (kind < 3) return {0, 1 | below(4) << 8 | random_word() << 16, lanes};
    if (kind < 4) return {0, 2, lanes};
    if (kind < 14) return {4, random_word(), lanes};
    return {below(4) * 4 + below(4), random_word(), lanes};
}
static uint32_t random_read()
{
    uint32_t kind = below(8);
    return kind < 4 ? 8 : kind < 7 ? 0 : below(16);
}
"""

SLAVE = """
// The core's port: a request stands until it is acknowledged.
static bool stands;
static uint32_t lanes, address, word;
static void ask(row &now)
{
    if (!stands && happens(7)) {
        stands = true, address = random_word(), word = random_word();
        lanes = below(2) ? 0 : below(8) ? 15 : below(16);
    }
    model.stb = stands, model.lanes = lanes, model.address = address, model.dat_w = word;
    now.given[0] = stands | lanes << 1, now.given[1] = address, now.given[2] = word;
}
static void heard(row &now)
{
    now.said[6] = model.ack, now.said[7] = model.ack && !lanes ? model.dat_r : 0;
    if (model.ack) stands = false, transfers++;
}
"""
