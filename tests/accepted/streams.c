/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* processes that run beside each other, and streams of records between them (`tandem/stream.h`) */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

typedef struct {
    uint16_t place;
    int32_t value;
} sample;
TANDEM_STREAM(samples, sample)
TANDEM_STREAM(numbers, int32_t)

static void read_all(const int32_t *in, uint32_t n, samples *out)
{
    for (uint32_t i = 0; i < n; i++) {
        sample s = {(uint16_t)i, in[i]};
        samples_write(out, s);
    }
    samples_close(out);
}

static void above(samples *in, numbers *out, int32_t limit)
{
    sample s;
    while (samples_next(in, &s))
        if (s.value > limit)
            numbers_write(out, s.value * 3 + s.place);
    numbers_close(out);
}

static void write_all(numbers *in, int32_t *out, uint32_t *count)
{
    int32_t value;
    uint32_t k = 0;
    for (; numbers_next(in, &value); k++)
        out[k] = value;
    *count = k;
}

#pragma tandem extent(out, 4 * n)
void top(const int32_t *in, int32_t *out, uint32_t n, uint32_t *count)
{
    samples all = {0};
    numbers some = {0};
    numbers_depth(&some, 8);
    tandem_start(read_all(in, n, &all));
    tandem_start(above(&all, &some, 10));
    tandem_start(write_all(&some, out, count));
    tandem_join();
}

int main(void)
{
    int32_t in[40], out[40] = {0};
    uint32_t count = 0, sum = 0;
    for (int i = 0; i < 40; i++)
        in[i] = i * 37 % 41 - 7;
    top(in, out, 40, &count);
    for (uint32_t i = 0; i < count; i++)
        sum = sum * 31 + (uint32_t)out[i];
    printf("%u %u\n", count, sum);
    return 0;
}
