/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* SHA-256 of several pieces of text, put into blocks with memcpy, the state in nested structs. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../standards/sha256_constants.h"

typedef uint8_t byte;
typedef uint32_t word;

#define BLOCK 64
#define PIECES 2
#define PIECE 100

typedef struct {
    struct {
        word bits_low, bits_high;
        int used;
    } count;
    word state[8];
    union {
        byte bytes[BLOCK];
        word words[BLOCK / 4];
    } block;
} sha;

static word turned(word x, int by)
{
    return x >> by | x << (32 - by);
}

static void swap_bytes(word *words, int n)
{
    byte *b = (byte *)words;
    while (n-- > 0) {
        *words++ = (word)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
        b += 4;
    }
}

static void start(sha *s)
{
    static const word first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(s, 0, sizeof *s);
    memcpy(s->state, first, sizeof first);
}

static void mix(sha *s)
{
    word w[64], v[8], t1, t2;
    int i;

    for (i = 0; i < 16; i++)
        w[i] = s->block.words[i];
    for (; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) +
            (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, s->state, sizeof v);
    for (i = 0; i < 64; i++) {
        t1 = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
            sha256_constants[i] + w[i];
        t2 = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (i = 0; i < 8; i++)
        s->state[i] += v[i];
}

static void take(sha *s, const byte *data, int n)
{
    word low = s->count.bits_low + ((word)n << 3);

    if (low < s->count.bits_low)
        s->count.bits_high++;
    s->count.bits_low = low;
    s->count.bits_high += (word)n >> 29;
    while (n > 0) {
        int room = BLOCK - s->count.used, part = n < room ? n : room;
        memcpy(s->block.bytes + s->count.used, data, part);
        data += part;
        n -= part;
        s->count.used += part;
        if (s->count.used == BLOCK) {
            swap_bytes(s->block.words, BLOCK / 4);
            mix(s);
            s->count.used = 0;
        }
    }
}

static void finish(sha *s)
{
    word low = s->count.bits_low, high = s->count.bits_high;
    int used = s->count.used;

    s->block.bytes[used++] = 0x80;
    if (used > 56) {
        memset(s->block.bytes + used, 0, BLOCK - used);
        swap_bytes(s->block.words, BLOCK / 4);
        mix(s);
        memset(&s->block, 0, 56);
    } else {
        memset(s->block.bytes + used, 0, 56 - used);
    }
    swap_bytes(s->block.words, 14);
    s->block.words[14] = high;
    s->block.words[15] = low;
    mix(s);
}

static sha context;
static byte text[PIECES][PIECE];
static const int lengths[PIECES] = {PIECE, 19};

void digest_file(void)
{
    int piece;
    start(&context);
    for (piece = 0; piece < PIECES; piece++) {
        const byte *at = text[piece];
        take(&context, at, lengths[piece]);
    }
    finish(&context);
}

static const word expected[8] = {0x9661a87e, 0x3b632031, 0x9c56568d, 0x4d0de7b8,
    0xaff777d3, 0xe1f6d0a0, 0xbbb48ae4, 0x705bc804};

int main(void)
{
    int i, j, wrong = 0;

    for (i = 0; i < PIECES; i++)
        for (j = 0; j < PIECE; j++)
            text[i][j] = 'a' + (i * 7 + j * 3) % 26;
    digest_file();
    for (i = 0; i < 8; i++) {
        wrong += context.state[i] != expected[i];
        printf("%08x", (unsigned)context.state[i]);
    }
    printf(" %d\n", wrong);
    return wrong;
}
