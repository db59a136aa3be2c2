/* SPDX-License-Identifier: Apache-2.0 */
/* records of two fields, asked for */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

enum { N = 96 };
#ifndef CALLS
#define CALLS 2
#endif

typedef struct {
    uint32_t key;
    uint16_t count;
} entry;
TANDEM_STREAM(entries, entry)

static void source(const uint32_t *in, uint32_t n, entries *to, words *lost)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < n; i++) {
        entry e = {in[i] / 3, (uint16_t)i};
        if (!entries_try_write(to, e))
            missed += e.key;
    }
    entries_close(to);
    words_write(lost, missed);
}
static void sink(entries *from, words *lost, uint32_t *out, uint32_t n)
{
    uint32_t k = 0, idle = 0;
    entry e;
    enum tandem_tried tried;
    while ((tried = entries_try_next(from, &e)) != TANDEM_END) {
        if (tried == TANDEM_NOTHING)
            idle++;
        else
            out[k++ % n] = e.key / (e.count + 1) + idle;
    }
    out[n - 1] = words_read(lost);
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n)
{
    entries a = {0};
    words lost = {0};
    entries_depth(&a, 2);
    tandem_start(source(in, n, &a, &lost));
    tandem_start(sink(&a, &lost, out, n));
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
