// SPDX-License-Identifier: Apache-2.0
// offload: radix_sort
// Words sorted by counting each of their four bytes: in order, and a permutation.
#include <stdint.h>
#include <stdio.h>

#define MOST 512

void radix_sort(uint32_t *words, int n)
{
    uint32_t other[MOST];
    if (n > MOST)
        return;
    for (int shift = 0; shift < 32; shift += 8) {
        uint16_t place[256] = {0};
        for (int i = 0; i < n; i++)
            place[words[i] >> shift & 255]++;
        for (int i = 0, sum = 0; i < 256; i++) {
            int count = place[i];
            place[i] = (uint16_t)sum;
            sum += count;
        }
        for (int i = 0; i < n; i++)
            other[place[words[i] >> shift & 255]++] = words[i];
        for (int i = 0; i < n; i++)
            words[i] = other[i];
    }
}

int main(void)
{
    static uint32_t words[MOST];
    uint32_t seed = 9, sum = 0, after = 0;
    int wrong = 0;
    for (int i = 0; i < MOST; i++) {
        seed = seed * 1664525u + 1013904223u;
        words[i] = i % 5 ? seed : seed >> 24;
        sum += words[i] * words[i] + words[i];
    }
    radix_sort(words, MOST);
    for (int i = 0; i < MOST; i++) {
        after += words[i] * words[i] + words[i];
        wrong += i > 0 && words[i - 1] > words[i];
    }
    wrong += sum != after;
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
