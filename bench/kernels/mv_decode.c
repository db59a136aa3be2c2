// SPDX-License-Identifier: Apache-2.0
// offload: mv_decode
/* Motion vector bit stream: per coded block ue(v) skip run, then x and y differences as MPEG-2
   motion_code (table B-10) with r_size residual bits. A run of 63 or more ends the stream. */
#include <stdint.h>
#include <stdio.h>

static const uint8_t vlc_bits[17] = { 1, 2, 3, 4, 6, 7, 7, 7, 9, 9, 9, 10, 10, 10, 10, 10, 10 };
static const uint8_t vlc_code[17] = { 1, 1, 1, 1, 3, 5, 4, 3, 11, 10, 9, 17, 16, 15, 14, 13, 12 };

/* the next n bits (0 to 16), zeros past the end */
static unsigned show_bits(const uint8_t *buf, int len, int pos, int n)
{
    uint32_t v = 0;
    for (int i = pos >> 3; i <= (pos >> 3) + 2; i++)
        v = v << 8 | (i < len ? buf[i] : 0u);
    return v >> (24 - (pos & 7) - n) & ((1u << n) - 1);
}

static unsigned get_bits(const uint8_t *buf, int len, int *pos, int n)
{
    unsigned v = show_bits(buf, len, *pos, n);
    *pos += n;
    return v;
}

static int get_ue(const uint8_t *buf, int len, int *pos)
{
    int zeros = 0;
    while (zeros < 16 && get_bits(buf, len, pos, 1) == 0)
        zeros++;
    return (1 << zeros) - 1 + (int)get_bits(buf, len, pos, zeros);
}

static int get_motion(const uint8_t *buf, int len, int *pos, int r_size, int pred, int *bad)
{
    unsigned look = show_bits(buf, len, *pos, 10);
    int sym;

    for (sym = 0; sym < 17; sym++)
        if (look >> (10 - vlc_bits[sym]) == vlc_code[sym])
            break;
    if (sym == 17) {
        *bad = 1;
        return 0;
    }
    *pos += vlc_bits[sym];
    if (sym > 0) {
        int neg = (int)get_bits(buf, len, pos, 1);
        int delta = (sym - 1) * (1 << r_size) + (int)get_bits(buf, len, pos, r_size) + 1;
        int high = 16 * (1 << r_size);
        pred += neg ? -delta : delta;
        if (pred >= high)
            pred -= 2 * high;
        if (pred < -high)
            pred += 2 * high;
    }
    return pred;
}

/* fills mv[2 * block] and mv[2 * block + 1]; returns the number of blocks, -1 on a bad stream */
int mv_decode(const uint8_t *buf, int len, int r_size, int16_t *mv, int max_blocks)
{
    int pos = 0, n = 0, bad = 0;

    while (pos < 8 * len) {
        int x = 0, y = 0;
        int run = get_ue(buf, len, &pos);
        if (run >= 63)
            return n;
        if (n + run >= max_blocks)
            return -1;
        if (run == 0 && n > 0) {        /* a skipped block resets the prediction */
            x = mv[2 * n - 2];
            y = mv[2 * n - 1];
        }
        for (; run > 0; run--, n++)
            mv[2 * n] = mv[2 * n + 1] = 0;
        mv[2 * n] = (int16_t)get_motion(buf, len, &pos, r_size, x, &bad);
        mv[2 * n + 1] = (int16_t)get_motion(buf, len, &pos, r_size, y, &bad);
        if (bad)
            return -1;
        n++;
    }
    return -1;
}

static void put(uint8_t *buf, int *pos, unsigned v, int n)
{
    for (; n-- > 0; ++*pos)
        buf[*pos >> 3] |= (uint8_t)((v >> n & 1) << (7 - (*pos & 7)));
}

static void put_motion(uint8_t *buf, int *pos, int r_size, int delta)
{
    int high = 16 << r_size;
    delta = delta >= high ? delta - 2 * high : delta < -high ? delta + 2 * high : delta;
    int mag = (delta < 0 ? -delta : delta) - 1, sym = delta ? (mag >> r_size) + 1 : 0;
    put(buf, pos, vlc_code[sym], vlc_bits[sym]);
    if (sym) {
        put(buf, pos, delta < 0, 1);
        put(buf, pos, (unsigned)mag & ((1u << r_size) - 1), r_size);
    }
}

int main(void)
{
    enum { MAX = 1200, LEN = 1024, R = 2 };
    static uint8_t buf[LEN];
    static int16_t want[2 * MAX], got[2 * MAX];
    uint32_t seed = 23;
    int pos = 0, n = 0, run, x = 0, y = 0;

    while (pos < 8 * LEN - 80 && n < MAX - 16) {
        seed = seed * 1664525u + 1013904223u;
        run = seed >> 29 ? 0 : (int)(seed >> 20 & 15);
        for (int i = 0; i < run; i++, n++)
            x = y = 0;                          /* want[] is zero there already */
        int bits = 0;
        while ((run + 1) >> (bits + 1))
            bits++;
        put(buf, &pos, (unsigned)run + 1, 2 * bits + 1);
        int wide = (seed >> 8 & 7) == 0;
        int dx = (int)(seed >> 12 & 127) - 64, dy = (int)(seed >> 2 & 127) - 64;
        int nx = wide ? dx : x + dx / 3, ny = wide ? dy : y + dy / 5;
        nx = nx > 63 ? 63 : nx < -64 ? -64 : nx;
        ny = ny > 63 ? 63 : ny < -64 ? -64 : ny;
        put_motion(buf, &pos, R, nx - x);
        put_motion(buf, &pos, R, ny - y);
        want[2 * n] = (int16_t)(x = nx);
        want[2 * n++ + 1] = (int16_t)(y = ny);
    }
    put(buf, &pos, 64, 13);                     /* ue(63) */
    int blocks = mv_decode(buf, LEN, R, got, MAX);
    if (blocks != n || pos < 8 * LEN - 100) {
        printf("%d blocks, want %d (%d bits)\n", blocks, n, pos);
        return 1;
    }
    for (int i = 0; i < 2 * n; i++)
        if (got[i] != want[i]) {
            printf("component %d: got %d want %d\n", i, got[i], want[i]);
            return 1;
        }
    printf("ok\n");
    return 0;
}
