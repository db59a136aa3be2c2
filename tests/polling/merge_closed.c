/* SPDX-License-Identifier: Apache-2.0 */
/* what comes of two streams, until both are closed */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void give(uint32_t seed, uint32_t n, words *to)
{
    for (uint32_t i = 0; i < n; i++)
        words_write(to, (seed * (i + 1) >> 7));
    words_close(to);
}

static void every_other(words *from, words *to)
{
    uint32_t x, k = 0;
    while (words_next(from, &x))
        if (k++ & 1)
            words_write(to, x / 3);
    words_close(to);
}
static void merge(words *a, words *b, uint32_t *out, uint32_t n)
{
    bool more_a = true, more_b = true;
    uint32_t k = 0, x, y;
    while (more_a || more_b) {
        enum tandem_tried got_a = more_a ? words_try_next(a, &x) : TANDEM_NOTHING;
        enum tandem_tried got_b = more_b ? words_try_next(b, &y) : TANDEM_NOTHING;
        if (got_a == TANDEM_RECORD && k < n)
            out[k++] = x;
        if (got_b == TANDEM_RECORD && k < n)
            out[k++] = ~y;
        more_a &= got_a != TANDEM_END;
        more_b &= got_b != TANDEM_END;
    }
    for (; k < n; k++)
        out[k] = 1;
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0}, c = {0};
    tandem_start(give(in[0], n / 2, &a));
    tandem_start(give(in[1], n - n / 2, &b));
    tandem_start(every_other(&b, &c));
    tandem_start(merge(&a, &c, out, n));
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
