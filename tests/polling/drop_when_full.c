/* SPDX-License-Identifier: Apache-2.0 */
/* what finds no room is lost, and counted */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

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

static void source(const uint32_t *in, uint32_t n, words *to)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i + 1 < n; i++)
        if (!words_try_write(to, in[i]))
            lost++;
    words_write(to, lost);
    words_close(to);
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0};
    words_depth(&a, 4);
    tandem_start(source(in, n, &a));
    tandem_start(keep_slowly(&a, out, n));
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
