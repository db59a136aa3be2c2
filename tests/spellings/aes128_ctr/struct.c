/* SPDX-License-Identifier: Apache-2.0 */
/* squares of bytes in structs, passed by value */
#include "../aes_table.h"
enum { BLOCKS = 16 };
struct block {
    uint8_t at[4][4];
};

static struct block sum(struct block a, struct block b)
{
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            a.at[c][r] ^= b.at[c][r];
    return a;
}

static struct block shifted(struct block s)
{
    struct block t;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            t.at[c][r] = SBOX[s.at[(c + r) % 4][r]];
    return t;
}

static uint8_t doubled(uint8_t x)
{
    return x << 1 ^ (x >> 7) * 0x1b;
}

static struct block mixed(struct block s)
{
    struct block t;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            uint8_t next = s.at[c][(r + 1) % 4];
            t.at[c][r] = doubled(s.at[c][r] ^ next) ^ next ^ s.at[c][(r + 2) % 4] ^ s.at[c][(r + 3) % 4];
        }
    return t;
}

static struct block next(struct block counter)
{
    for (int i = 15; i >= 0; i--)
        if (++counter.at[i / 4][i % 4] != 0)
            break;
    return counter;
}

void aes128_ctr(const struct block keys[11], const struct block *first, const struct block in[BLOCKS], struct block out[BLOCKS])
{
    struct block counter = *first;
    for (int i = 0; i < BLOCKS; i++) {
        struct block s = sum(counter, keys[0]);
        for (int round = 1; round < 10; round++)
            s = sum(mixed(shifted(s)), keys[round]);
        out[i] = sum(in[i], sum(shifted(s), keys[10]));
        counter = next(counter);
    }
}

void call(const void *in, void *out)
{
    const struct block *blocks = in;
    aes128_ctr(blocks, blocks + 11, blocks + 12, out);
}
