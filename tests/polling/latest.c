/* SPDX-License-Identifier: Apache-2.0 */
/* a reader that passes over all but the latest value */
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
    for (uint32_t i = 0; i < n; i++)
        words_write(to, in[i]);
    words_close(to);
}
static void sink(words *from, uint32_t *out, uint32_t n)
{
    uint32_t latest = 0, k = 0, skipped = 0, x;
    for (bool more = true; more;) {
        enum tandem_tried tried;
        while ((tried = words_try_next(from, &x)) == TANDEM_RECORD) {
            latest = x;
            skipped++;
        }
        more = tried != TANDEM_END;
        uint32_t y = latest;
        for (uint32_t p = 0; p < 6; p++)
            y = y / 3 + p;
        if (k < n)
            out[k++] = y + skipped;
    }
    for (; k < n; k++)
        out[k] = skipped;
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0};
    words_depth(&a, 4);
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
