/* SPDX-License-Identifier: Apache-2.0 */
/* offload: encrypt_blocks */
/* offload: feed_back */
/* AES (FIPS 197) with a key of 256 bits that is expanded as it goes, without tables but one, in a
   struct context; and a cipher of Feistel's kind with boxes of words, in feedback over bytes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint8_t key[32];
    uint8_t encrypting[32];
    uint8_t decrypting[32];
} context;

static uint8_t box[256];

static uint8_t doubled(uint8_t x)
{
    return x & 0x80 ? x << 1 ^ 0x1b : x << 1;
}

static uint8_t rotated(uint8_t x, int by)
{
    return (uint8_t)(x << by | x >> (8 - by));
}

/* the S-box by walking the powers of three and of its inverse */
static void make_box(void)
{
    uint8_t p = 1, q = 1;
    do {
        p = p ^ doubled(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if (q & 0x80)
            q ^= 0x09;
        box[p] = q ^ rotated(q, 1) ^ rotated(q, 2) ^ rotated(q, 3) ^ rotated(q, 4) ^ 0x63;
    } while (p != 1);
    box[0] = 0x63;
}

static void expand(uint8_t *k, uint8_t *round)
{
    uint8_t i;

    for (i = 0; i < 4; i++)
        k[i] ^= box[k[28 + (i + 1) % 4]] ^ (i == 0 ? *round : 0);
    *round = doubled(*round);
    for (i = 4; i < 32; i++)
        k[i] ^= i == 16 || i == 17 || i == 18 || i == 19 ? box[k[i - 4]] : k[i - 4];
}

static void add_key(uint8_t *state, const uint8_t *key)
{
    register uint8_t i = 16;
    while (i--)
        state[i] ^= key[i];
}

static void substitute(uint8_t *state)
{
    register uint8_t i = 16;
    while (i--)
        state[i] = box[state[i]];
}

static void shift_rows(uint8_t *state)
{
    uint8_t was[16];
    int i;
    memcpy(was, state, 16);
    for (i = 0; i < 16; i++)
        state[i] = was[(i + 4 * (i & 3)) & 15];
}

static void mix_columns(uint8_t *state)
{
    uint8_t i, a, b, c, d, all;

    for (i = 0; i < 16; i += 4) {
        a = state[i];
        b = state[i + 1];
        c = state[i + 2];
        d = state[i + 3];
        all = a ^ b ^ c ^ d;
        state[i] ^= all ^ doubled(a ^ b);
        state[i + 1] ^= all ^ doubled(b ^ c);
        state[i + 2] ^= all ^ doubled(c ^ d);
        state[i + 3] ^= all ^ doubled(d ^ a);
    }
}

static void encrypt(context *c, uint8_t state[16])
{
    uint8_t round = 1, i;

    memcpy(c->encrypting, c->key, sizeof c->key);
    add_key(state, c->encrypting);
    for (i = 1; i < 14; i++) {
        substitute(state);
        shift_rows(state);
        mix_columns(state);
        if (i & 1) {
            add_key(state, &c->encrypting[16]);
        } else {
            expand(c->encrypting, &round);
            add_key(state, c->encrypting);
        }
    }
    substitute(state);
    shift_rows(state);
    expand(c->encrypting, &round);
    add_key(state, c->encrypting);
}

void encrypt_blocks(context *c, uint8_t key[32], uint8_t *data, int blocks)
{
    int i;

    make_box();
    for (i = 0; i < 32; i++)
        c->key[i] = c->decrypting[i] = key[i];
    for (i = 0; i < blocks; i++)
        encrypt(c, data + 16 * i);
}

#define ROUNDS 16
typedef uint32_t word;

static struct feistel {
    word keys[ROUNDS + 2];
    word boxes[4][256];
} feistel;

#define F(x) (((f->boxes[0][(x) >> 24] + f->boxes[1][(x) >> 16 & 255]) ^ f->boxes[2][(x) >> 8 & 255]) + f->boxes[3][(x) & 255])
#define ROUND(left, right, n) (left ^= f->keys[n], right ^= F(left))

static void one_block(struct feistel *f, word *data)
{
    word l = data[0], r = data[1];
    int i;

    for (i = 0; i < ROUNDS; i += 2) {
        ROUND(l, r, i);
        ROUND(r, l, i + 1);
    }
    data[0] = r ^ f->keys[ROUNDS + 1];
    data[1] = l ^ f->keys[ROUNDS];
}

void feed_back(const uint8_t *in, uint8_t *out, long length, uint8_t vector[8], int *used, int decrypting)
{
    register int n = *used;
    register long left = length;
    word block[2];
    uint8_t *v;

    while (left--) {
        if (n == 0) {
            v = vector;
            block[0] = (word)v[0] << 24 | (word)v[1] << 16 | (word)v[2] << 8 | v[3];
            block[1] = (word)v[4] << 24 | (word)v[5] << 16 | (word)v[6] << 8 | v[7];
            one_block(&feistel, block);
            v[0] = block[0] >> 24;
            v[1] = block[0] >> 16 & 0xff;
            v[2] = block[0] >> 8 & 0xff;
            v[3] = block[0] & 0xff;
            v[4] = block[1] >> 24;
            v[5] = block[1] >> 16 & 0xff;
            v[6] = block[1] >> 8 & 0xff;
            v[7] = block[1] & 0xff;
        }
        if (decrypting) {
            uint8_t t = *in++, was = vector[n];
            vector[n] = t;
            *out++ = was ^ t;
        } else {
            uint8_t c = *in++ ^ vector[n];
            *out++ = c;
            vector[n] = c;
        }
        n = (n + 1) & 7;
    }
    *used = n;
}

static context secret;
static uint8_t key[32], data[32], plain[40], hidden[40], found[40], vector[8];
static const uint8_t expected[16] = {
    0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};

int main(void)
{
    int i, j, wrong = 0, used = 0;
    word random = 7;

    for (i = 0; i < 32; i++) {
        key[i] = i;
        data[i] = (i & 15) * 0x11;
    }
    encrypt_blocks(&secret, key, data, 2);
    for (i = 0; i < 32; i++) {
        wrong += data[i] != expected[i & 15];
        printf("%02x", data[i]);
    }

    for (i = 0; i < ROUNDS + 2; i++)
        feistel.keys[i] = random = random * 1664525 + 1013904223;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 256; j++)
            feistel.boxes[i][j] = random = random * 1664525 + 1013904223;
    for (i = 0; i < 40; i++)
        plain[i] = 'A' + i;
    memset(vector, 9, sizeof vector);
    feed_back(plain, hidden, 40, vector, &used, 0);
    memset(vector, 9, sizeof vector);
    used = 0;
    feed_back(hidden, found, 40, vector, &used, 1);
    for (i = 0; i < 40; i++)
        wrong += found[i] != plain[i];
    printf(" %02x%02x %d\n", hidden[0], hidden[39], wrong);
    return wrong;
}
