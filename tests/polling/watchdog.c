/* SPDX-License-Identifier: Apache-2.0 */
/* a watcher that sees whether a worker is alive */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

static void work(const uint32_t *in, uint32_t n, words *alive, words *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = in[i];
        for (uint32_t p = x & 15; p; p--)
            x = x * 3 + p;
        words_try_write(alive, i);
        words_write(to, x);
    }
    words_close(alive);
    words_close(to);
}
static void watch(words *alive, words *to)
{
    uint32_t silent = 0, worst = 0, x;
    enum tandem_tried tried;
    while ((tried = words_try_next(alive, &x)) != TANDEM_END) {
        if (tried == TANDEM_RECORD) {
            worst = silent > worst ? silent : worst;
            silent = 0;
        } else {
            silent++;
        }
    }
    words_write(to, worst);
}
static void keep(words *from, words *told, uint32_t *out, uint32_t n)
{
    uint32_t k = 0, x;
    while (words_next(from, &x))
        out[k++ % n] = x;
    out[0] += words_read(told);
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    words alive = {0}, all = {0}, told = {0};
    words_depth(&alive, 2);
    tandem_start(work(in, n, &alive, &all));
    tandem_start(watch(&alive, &told));
    tandem_start(keep(&all, &told, out, n));
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
