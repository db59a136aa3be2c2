/* SPDX-License-Identifier: Apache-2.0 */
/* two processes that ask each other */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void left(const uint32_t *in, uint32_t n, words *to, words *from, uint32_t *out)
{
    uint32_t asked = 0, x;
    for (uint32_t i = 0; i < n; i++) {
        words_write(to, in[i]);
        while (!words_try_read(from, &x))
            asked++;
        out[i] = x + asked;
    }
    words_close(to);
}
static void right(words *from, words *to)
{
    uint32_t asked = 0, x;
    enum tandem_tried tried;
    while ((tried = words_try_next(from, &x)) != TANDEM_END) {
        if (tried == TANDEM_RECORD)
            words_write(to, x / 5 + asked);
        else
            asked++;
    }
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words a = {0}, b = {0};
    tandem_start(left(in, n, &a, &b, out));
    tandem_start(right(&a, &b));
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
