// SPDX-License-Identifier: Apache-2.0
// offload: net
// Two records taken, and two given, in one turn of a loop; a directive; a peek that decides.
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(words, uint32_t)

static void halves(const uint64_t *in, uint32_t n, words *out)
{
    for (uint32_t i = 0; i < n; i++) {
        words_write(out, (uint32_t)in[i]);
        words_write(out, (uint32_t)(in[i] >> 32));
    }
}

static void swapped(words *in, words *out, uint32_t n)
{
#pragma tandem pipeline off
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = words_read(in);
        if (words_peek(in) & 1)
            low = ~low;
        uint32_t high = words_read(in);
        words_write(out, high);
        words_write(out, low);
    }
}

static void whole(words *in, uint64_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t low = words_read(in);
        out[i] = low | (uint64_t)words_read(in) << 32;
    }
}

void net(const uint64_t *in, uint64_t *out, uint32_t n)
{
    words a = {0}, b = {0};
    tandem_start(whole(&b, out, n));
    tandem_start(swapped(&a, &b, n));
    tandem_start(halves(in, n, &a));
    tandem_join();
}

int main(void)
{
    uint64_t in[12], out[12];
    for (int i = 0; i < 12; i++)
        in[i] = 0x123456789abcdefull * (i + 1);
    net(in, out, 12);
    for (int i = 0; i < 12; i++)
        printf("%016llx\n", (unsigned long long)out[i]);
    return 0;
}
