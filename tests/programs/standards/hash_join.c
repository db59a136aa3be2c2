// SPDX-License-Identifier: Apache-2.0
// offload: hash_join
// The rows of two tables with equal keys: a hash table with open addressing over the one, probed with
// the other. Checked by a nest over both.
#include <stdint.h>
#include <stdio.h>

#define SLOTS 256

static unsigned slot_of(uint32_t key)
{
    return key * 2654435769u >> 24;
}

int hash_join(const uint32_t *build_keys, const uint32_t *build_values, int build_rows,
              const uint32_t *probe_keys, int probe_rows, uint32_t *out)
{
    uint32_t keys[SLOTS], values[SLOTS];
    uint8_t used[SLOTS] = {0};
    int found = 0;
    if (build_rows >= SLOTS)
        return -1;
    for (int i = 0; i < build_rows; i++) {
        unsigned slot = slot_of(build_keys[i]);
        while (used[slot])
            slot = (slot + 1) % SLOTS;
        used[slot] = 1;
        keys[slot] = build_keys[i];
        values[slot] = build_values[i];
    }
    for (int i = 0; i < probe_rows; i++)
        for (unsigned slot = slot_of(probe_keys[i]); used[slot]; slot = (slot + 1) % SLOTS)
            if (keys[slot] == probe_keys[i]) {
                out[2 * found] = (uint32_t)i;
                out[2 * found + 1] = values[slot];
                found++;
            }
    return found;
}

int main(void)
{
    enum { BUILD = 150, PROBE = 400 };
    static uint32_t keys[BUILD], values[BUILD], probes[PROBE], out[2 * BUILD * 8];
    uint32_t seed = 3, sum = 0, wanted_sum = 0;
    int wanted = 0;
    for (int i = 0; i < BUILD; i++) {
        keys[i] = (uint32_t)i * 7 + 1;
        values[i] = 1000 + (uint32_t)i;
    }
    for (int i = 0; i < PROBE; i++) {
        seed = seed * 1664525u + 1013904223u;
        probes[i] = (seed >> 16) % 1100;
    }
    for (int i = 0; i < PROBE; i++)
        for (int j = 0; j < BUILD; j++)
            if (keys[j] == probes[i]) {
                wanted++;
                wanted_sum = wanted_sum * 31 + (uint32_t)i * 5 + values[j];
            }
    int found = hash_join(keys, values, BUILD, probes, PROBE, out);
    for (int i = 0; i < found; i++)
        sum = sum * 31 + out[2 * i] * 5 + out[2 * i + 1];
    int wrong = found != wanted || found == 0 || sum != wanted_sum;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
