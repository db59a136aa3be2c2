/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* streams that are asked without waiting, so that time decides: `try_read`, `try_next`, `try_write`, `empty`, `full` */
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

static void read_all(const uint32_t *in, uint32_t n, words *out, uint32_t *lost)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!words_try_write(out, in[i]))
            missed++;
    words_close(out);
    *lost = missed;
}

static void write_all(words *in, uint32_t *out, uint32_t *idle)
{
    uint32_t k = 0, waited = 0, x;
    enum tandem_tried tried;
    while ((tried = words_try_next(in, &x)) != TANDEM_END)
        if (tried == TANDEM_RECORD)
            out[k++] = x / 3;
        else
            waited++;
    *idle = waited;
}

#pragma tandem extent(in, 4 * n)
#pragma tandem extent(out, 4 * n)
void top(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t *lost, uint32_t *idle)
{
    words all = {0};
    tandem_start(read_all(in, n, &all, lost));
    tandem_start(write_all(&all, out, idle));
    tandem_join();
}

int main(void)
{
    uint32_t in[40], out[40] = {0}, lost = 0, idle = 0, sum = 0;
    for (uint32_t i = 0; i < 40; i++)
        in[i] = i * 37;
    top(in, out, 40, &lost, &idle);
    for (uint32_t i = 0; i < 40; i++)
        sum = sum * 31 + out[i];
    printf("%u %u %u\n", lost, idle, sum);
    return 0;
}
