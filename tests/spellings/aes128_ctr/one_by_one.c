/* SPDX-License-Identifier: Apache-2.0 */
/* bytes that are taken one by one of a block, which is made when there are no more */
#include "../aes_table.h"
#include <stddef.h>
#include <string.h>
enum { LENGTH = 256 };

static uint8_t twice(uint8_t x) { return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b); }

static void encrypt(uint8_t s[4][4], const uint8_t *keys)
{
    for (int i = 0; i < 16; i++)
        s[i / 4][i % 4] ^= keys[i];
    for (int round = 1;; round++) {
        uint8_t t[4][4];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                t[i][j] = SBOX[s[(i + j) % 4][j]];
        memcpy(s, t, 16);
        if (round == 10)
            break;
        for (int i = 0; i < 4; i++) {
            uint8_t first = s[i][0], all = s[i][0] ^ s[i][1] ^ s[i][2] ^ s[i][3];
            for (int j = 0; j < 3; j++)
                s[i][j] ^= all ^ twice(s[i][j] ^ s[i][j + 1]);
            s[i][3] ^= all ^ twice(s[i][3] ^ first);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                s[i][j] ^= keys[16 * round + 4 * i + j];
    }
    for (int i = 0; i < 16; i++)
        s[i / 4][i % 4] ^= keys[160 + i];
}

void aes128_ctr(const uint8_t *keys, const uint8_t *first, const uint8_t *in, uint8_t *out)
{
    uint8_t counter[16], block[16];
    int k = 16;
    memcpy(counter, first, 16);
    for (size_t i = 0; i < LENGTH; i++, k++) {
        if (k == 16) {
            memcpy(block, counter, 16);
            encrypt((uint8_t(*)[4])block, keys);
            for (k = 15; k >= 0; k--) {
                if (counter[k] == 255) {
                    counter[k] = 0;
                    continue;
                }
                counter[k]++;
                break;
            }
            k = 0;
        }
        out[i] = in[i] ^ block[k];
    }
}

void call(const void *in, void *out) { aes128_ctr(in, (const uint8_t *)in + 176, (const uint8_t *)in + 192, out); }
