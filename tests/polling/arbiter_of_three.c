/* SPDX-License-Identifier: Apache-2.0 */
/* three sources, asked all at once */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void from(uint32_t seed, uint32_t n, uint32_t step, words *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = (seed * (i + 1) >> 7);
        for (uint32_t p = 0; p < step; p++)
            x = x * 3 + 1;
        words_write(to, x);
    }
}
static void choose(words *a, words *b, words *c, uint32_t *out, uint32_t n)
{
    uint32_t turn = 0;
    for (uint32_t k = 0; k < n;) {
        bool no_a = words_empty(a), no_b = words_empty(b), no_c = words_empty(c);
        uint32_t x = 0;
        if (!no_a && (turn == 0 || (no_b && no_c)))
            x = words_read(a);
        else if (!no_b && (turn <= 1 || no_c))
            x = words_read(b);
        else if (!no_c)
            x = words_read(c);
        else
            continue;
        turn = turn == 2 ? 0 : turn + 1;
        out[k++] = x * 3 + turn;
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0}, c = {0};
    uint32_t third = n / 3;
    tandem_start(from(in[0], third, 9, &a));
    tandem_start(from(in[1], third, 2, &b));
    tandem_start(from(in[2], n - 2 * third, 5, &c));
    tandem_start(choose(&a, &b, &c, out, n));
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
