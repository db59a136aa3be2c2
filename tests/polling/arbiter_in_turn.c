/* SPDX-License-Identifier: Apache-2.0 */
/* two sources, of which the one comes first that came last */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void from(uint32_t seed, uint32_t n, uint32_t pause, words *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = (seed * (i + 1) >> 7);
        for (uint32_t p = 0; p < (x & pause); p++)
            x = x * 5 + p;
        words_write(to, x);
    }
}
static void choose(words *a, words *b, uint32_t *out, uint32_t n)
{
    uint32_t last = 0;
    for (uint32_t k = 0; k < n;) {
        uint32_t x;
        if (last ? words_try_read(a, &x) : words_try_read(b, &x)) {
            out[k++] = x + last;
            last = !last;
        } else if (last ? words_try_read(b, &x) : words_try_read(a, &x)) {
            out[k++] = x ^ 0xffff;
        }
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0};
    uint32_t half = n / 2;
    tandem_start(from(in[0], half, 3, &a));
    tandem_start(from(in[1], n - half, 5, &b));
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
