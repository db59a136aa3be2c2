/* SPDX-License-Identifier: Apache-2.0 */
/* records go to whichever of two workers has room */
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

static void spread(words *from, words *a, words *b)
{
    uint32_t x;
    while (words_next(from, &x)) {
        bool given = false;
        while (!given) {
            given = words_try_write(a, x);
            if (!given)
                given = words_try_write(b, x);
        }
    }
    words_close(a);
    words_close(b);
}
static void work(words *from, words *to, uint32_t by)
{
    uint32_t x;
    while (words_next(from, &x)) {
        for (uint32_t p = x % by; p; p--)
            x = x / 3 + p;
        words_write(to, x);
    }
    words_close(to);
}
static void gather(words *a, words *b, uint32_t *out, uint32_t n)
{
    uint32_t k = 0, x;
    bool more_a = true, more_b = true;
    while (more_a || more_b) {
        if (more_a) {
            enum tandem_tried tried = words_try_next(a, &x);
            if (tried == TANDEM_RECORD && k < n)
                out[k++] = x * 2;
            more_a = tried != TANDEM_END;
        }
        if (more_b) {
            enum tandem_tried tried = words_try_next(b, &x);
            if (tried == TANDEM_RECORD && k < n)
                out[k++] = x * 2 + 1;
            more_b = tried != TANDEM_END;
        }
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words all = {0}, a = {0}, b = {0}, c = {0}, d = {0};
    words_depth(&a, 2);
    words_depth(&b, 2);
    tandem_start(give(in, n, &all));
    tandem_start(spread(&all, &a, &b));
    tandem_start(work(&a, &c, 7));
    tandem_start(work(&b, &d, 3));
    tandem_start(gather(&c, &d, out, n));
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
