/* SPDX-License-Identifier: Apache-2.0 */
/* what is looked at before it is taken */
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

static void pick(words *from, uint32_t *out, uint32_t n)
{
    uint32_t k = 0, waits = 0, left = n;
    while (left) {
        if (words_empty(from)) {
            waits++;
            continue;
        }
        uint32_t x = words_peek(from);
        if (x & 1 && waits < 4 * k + 20) {
            waits += 3;
            out[0] += x;
            if (waits & 1)
                continue;
        }
        x = words_read(from);
        left--;
        out[k++ % n] = x + waits;
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0};
    tandem_start(give(in, n, &a));
    tandem_start(pick(&a, out, n));
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
