/* SPDX-License-Identifier: Apache-2.0 */
/* a bus of one word that two masters ask for */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void master(uint32_t seed, uint32_t n, uint32_t pause, words *to, words *leave)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = (seed * (i + 1) >> 7), waited = 0;
        for (uint32_t p = 0; p < (x & pause); p++)
            x ^= x << 5;
        while (!words_try_write(to, x + waited))
            waited++;
        words_read(leave);
    }
}
static void bus(words *a, words *b, words *leave_a, words *leave_b, uint32_t *out, uint32_t n)
{
    for (uint32_t k = 0; k < n;) {
        uint32_t x, free = 0;
        if (words_try_read(a, &x)) {
            out[k++] = x + free;
            words_write(leave_a, k);
        }
        if (k < n && words_try_read(b, &x)) {
            out[k++] = x / 9;
            words_write(leave_b, k);
        }
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0}, leave_a = {0}, leave_b = {0};
    words_depth(&a, 2);
    words_depth(&b, 2);
    tandem_start(master(in[0], n / 2, 3, &a, &leave_a));
    tandem_start(master(in[1], n - n / 2, 7, &b, &leave_b));
    tandem_start(bus(&a, &b, &leave_a, &leave_b, out, n));
    tandem_join();
}

int main(void)
{
    static uint32_t in[N], out[N];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        in[i] = (i + 7) * 2654435761u >> 8;
    for (uint32_t call = 0; call < CALLS; call++) {
        top(in, out, N);
        for (uint32_t i = 0; i < N; i++)
            sum = sum * 31 + out[i];
    }
    printf("%u\n", sum);
    return 0;
}
