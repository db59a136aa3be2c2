// SPDX-License-Identifier: Apache-2.0
// offload: main
/* Loops over pointers of which LLVM keeps the number of turns alone, computed from addresses; and
   distances that it computes from the lowest bits of addresses. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
    uint32_t *next;
    uint8_t weight;
} links[6];
static uint32_t numbers[40];
static const char digits[] = "ABCDEFGHIJKLMNOP";
static volatile unsigned asked[5] = {3, 17, 0, 39, 40};

static unsigned from(const uint32_t *at, const uint32_t *end, unsigned by)
{
    unsigned count = 7;
    for (; at && at < end; at += by)
        count += 5;
    return count;
}

int main(void)
{
    const uint32_t *end = numbers + 40;
    unsigned found = 0;
    for (unsigned i = 0; i < 5; i++)
        links[i].next = numbers + asked[i];
    for (unsigned i = 0; i < 6; i++)
        found = found * 3 + from(links[i].next, end, 1) + from(links[i].next, end, 3);
    for (unsigned i = 0; i < 5; i++)
        found = found * 5 + (unsigned)(links[i].next - numbers) + (links[i].next < end);
    for (unsigned i = 0; i < 5; i++) {
        const char *digit = strchr(digits, 'A' + asked[i] % 20);
        if (digit)
            found = found << 1 | (unsigned)(digit - digits);
    }
    printf("%u\n", found);
    return found & 127;
}
