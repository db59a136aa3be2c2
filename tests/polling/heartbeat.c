/* SPDX-License-Identifier: Apache-2.0 */
/* a count of the cycles in which nothing came */
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

static void late(words *from, words *to)
{
    uint32_t x;
    while (words_next(from, &x)) {
        for (uint32_t p = x & 3; p; p--)
            x = x / 7 + p;
        words_write(to, x);
    }
    words_close(to);
}
static void count(words *from, uint32_t *out, uint32_t n)
{
    uint32_t idle = 0, k = 0, x;
    enum tandem_tried tried;
    while ((tried = words_try_next(from, &x)) != TANDEM_END) {
        if (tried == TANDEM_RECORD && k < n)
            out[k++] = x * 64 + idle;
        else
            idle++;
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0};
    tandem_start(give(in, n, &a));
    tandem_start(late(&a, &b));
    tandem_start(count(&b, out, n));
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
