/* SPDX-License-Identifier: Apache-2.0 */
/* a stage that takes only while there is room behind it */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void give(const uint32_t *in, uint32_t n, words *to)
{
    for (uint32_t i = 0; i < n; i++)
        words_write(to, in[i]);
    words_close(to);
}

/* Takes a record every few cycles, as its value says. */
static void keep_slowly(words *from, uint32_t *out, uint32_t n)
{
    uint32_t x, k = 0;
    while (words_next(from, &x)) {
        uint32_t rest = x;
        for (uint32_t turns = x & 7; turns; turns--)
            rest = rest / 3 + 1;
        if (k < n)
            out[k++] = x ^ rest;
    }
    for (; k < n; k++)
        out[k] = 0;
}

static void stage(words *from, words *to)
{
    uint32_t x, stalls = 0;
    for (;;) {
        if (words_full(to)) {
            stalls++;
            continue;
        }
        enum tandem_tried tried = words_try_next(from, &x);
        if (tried == TANDEM_END)
            break;
        if (tried == TANDEM_RECORD)
            words_write(to, x + stalls);
    }
    words_close(to);
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0};
    words_depth(&b, 2);
    tandem_start(give(in, n, &a));
    tandem_start(stage(&a, &b));
    tandem_start(keep_slowly(&b, out, n));
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
