/* SPDX-License-Identifier: Apache-2.0 */
/* a worker that runs until it is told to stop */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void run(words *stop, uint32_t *out, uint32_t n)
{
    uint32_t state = 1, turns = 0, x;
    while (!words_try_read(stop, &x)) {
        state = state * 1664525 + 1013904223;
        out[turns % n] = state;
        turns++;
    }
    out[0] = turns + x;
}
static void clock(const uint32_t *in, uint32_t n, words *stop)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += in[i] / (i + 1);
    words_write(stop, sum);
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words stop = {0};
    tandem_start(run(&stop, out, n));
    tandem_start(clock(in, n, &stop));
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
