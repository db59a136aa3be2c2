/* SPDX-License-Identifier: Apache-2.0 */
/* a value that is read at its own pace from a stream that runs on */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void counter(words *to, words *done)
{
    uint32_t t = 0, x;
    while (!words_try_read(done, &x)) {
        words_try_write(to, t);
        t++;
    }
}
static void sample(const uint32_t *in, words *from, words *done, uint32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t y = in[i];
        for (uint32_t p = y & 7; p; p--)
            y = y / 3 + p;
        out[i] = words_read(from) + (y & 1);
    }
    words_write(done, 1);
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words ticks = {0}, done = {0};
    words_depth(&ticks, 2);
    tandem_start(counter(&ticks, &done));
    tandem_start(sample(in, &ticks, &done, out, n));
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
