// SPDX-License-Identifier: Apache-2.0
// offload: knapsack
/* The most value that fits a knapsack, and which things it is made of. */
#include <stdint.h>
#define ROOM 200
#define THINGS 24

uint32_t knapsack(const uint8_t weight[THINGS], const uint16_t value[THINGS], uint32_t *taken)
{
    uint32_t best[ROOM + 1], chosen[ROOM + 1];
    for (int w = 0; w <= ROOM; w++)
        best[w] = chosen[w] = 0;
    for (int i = 0; i < THINGS; i++)
        for (int w = ROOM; w >= weight[i]; w--) {
            uint32_t with = best[w - weight[i]] + value[i];
            if (with > best[w]) {
                best[w] = with;
                chosen[w] = chosen[w - weight[i]] | 1u << i;
            }
        }
    *taken = chosen[ROOM];
    return best[ROOM];
}
