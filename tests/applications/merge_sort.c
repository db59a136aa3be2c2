// SPDX-License-Identifier: Apache-2.0
// offload: merge_pass
// observed: from to
// Sorted runs of `run` records merged in pairs: a pass of a sort that keeps equal keys in order.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct record {
    uint16_t key;
    uint16_t number;
};

void merge_pass(const struct record *from, struct record *to, size_t count, size_t run)
{
    for (size_t start = 0; start < count; start += 2 * run) {
        size_t middle = start + run < count ? start + run : count;
        size_t end = middle + run < count ? middle + run : count;
        size_t a = start, b = middle;
        for (size_t i = start; i < end; i++) {
            if (a < middle && (b >= end || from[a].key <= from[b].key))
                to[i] = from[a++];
            else
                to[i] = from[b++];
        }
    }
}

int main(void)
{
    enum { COUNT = 100 };
    static struct record first[COUNT], second[COUNT];
    struct record *from = first, *to = second;
    uint32_t seen = 0, wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        first[i] = (struct record){(uint16_t)(i * 7919 % 64), (uint16_t)i};
    for (size_t run = 1; run < COUNT; run *= 2) {
        merge_pass(from, to, COUNT, run);
        struct record *swap = from;
        from = to;
        to = swap;
    }
    for (int i = 0; i < COUNT; i++) {
        if (i > 0)
            wrong += from[i - 1].key > from[i].key ||
                     (from[i - 1].key == from[i].key && from[i - 1].number >= from[i].number);
        wrong += from[i].key != from[i].number * 7919u % 64;
        seen += from[i].number;
    }
    printf("%u %u, %u wrong\n", from[0].number, from[99].number, wrong);
    return wrong || seen != 99 * 100 / 2;
}
