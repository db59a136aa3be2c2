/* SPDX-License-Identifier: Apache-2.0 */
/* a reader that waits for so many cycles, and then goes on without */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void source(const uint32_t *in, uint32_t n, words *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = in[i];
        for (uint32_t p = 0; p < (x & 31); p++)
            x = x * 5 + p;
        words_write(to, x);
    }
    words_close(to);
}
static void sink(words *from, uint32_t *out, uint32_t n)
{
    uint32_t k = 0, late = 0;
    for (bool more = true; more;) {
        uint32_t x, waited = 0;
        enum tandem_tried tried = TANDEM_NOTHING;
        while (waited < 12 && tried == TANDEM_NOTHING) {
            tried = words_try_next(from, &x);
            waited++;
        }
        if (tried == TANDEM_NOTHING)
            late++;
        else if (tried == TANDEM_RECORD)
            out[k++ % n] = x + waited + 100 * late;
        else
            more = false;
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0};
    tandem_start(source(in, n, &a));
    tandem_start(sink(&a, out, n));
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
