/* SPDX-License-Identifier: Apache-2.0 */
/* a writer that is given leave to write */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void source(const uint32_t *in, uint32_t n, words *leave, words *to)
{
    uint32_t credits = 3, refused = 0, x;
    for (uint32_t i = 0; i < n;) {
        if (words_try_read(leave, &x))
            credits += x;
        if (credits) {
            words_write(to, in[i] + refused);
            credits--;
            i++;
        } else {
            refused++;
        }
    }
    words_close(to);
}
static void sink(words *from, words *leave, uint32_t *out, uint32_t n)
{
    uint32_t k = 0, x;
    while (words_next(from, &x)) {
        uint32_t y = x;
        for (uint32_t p = x & 3; p; p--)
            y = y / 3;
        if (k < n)
            out[k++] = y ^ x;
        words_try_write(leave, 1);
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, leave = {0};
    words_depth(&leave, 16);
    tandem_start(source(in, n, &leave, &a));
    tandem_start(sink(&a, &leave, out, n));
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
