/* SPDX-License-Identifier: Apache-2.0 */
/* two sources, of which the first one comes first */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void slow(uint32_t seed, uint32_t n, words *to)
{
    for (uint32_t i = 0; i < n; i++)
        words_write(to, 1000003 / ((seed * (i + 1) >> 7) | 1) * 2 + 1);
}
static void quick(uint32_t seed, uint32_t n, words *to)
{
    for (uint32_t i = 0; i < n; i++)
        words_write(to, (seed * (i + 1) >> 7) * 2);
}
static void choose(words *a, words *b, uint32_t *out, uint32_t n)
{
    for (uint32_t k = 0; k < n;) {
        uint32_t x;
        if (words_try_read(a, &x))
            out[k++] = x;
        else if (words_try_read(b, &x))
            out[k++] = x + 7;
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0};
    uint32_t half = n / 2;
    tandem_start(slow(in[0], half, &a));
    tandem_start(quick(in[1], n - half, &b));
    tandem_start(choose(&a, &b, out, n));
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
