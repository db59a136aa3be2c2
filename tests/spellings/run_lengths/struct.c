/* SPDX-License-Identifier: Apache-2.0 */
/* a run is a struct of two */
#include <stdint.h>
struct run {
    uint8_t value;
    uint16_t length;
};

int run_lengths(const uint8_t in[256], struct run runs[256])
{
    int count = 0;
    struct run run = {in[0], 1};
    for (int i = 1; i < 256; i++) {
        if (in[i] == run.value) {
            run.length++;
            continue;
        }
        runs[count++] = run;
        run.value = in[i];
        run.length = 1;
    }
    runs[count++] = run;
    return count;
}

void call(const void *in, void *out)
{
    struct run runs[256];
    int count = run_lengths(in, runs);
    *(int *)out = count;
    for (int i = 0; i < count; i++) {
        ((uint8_t *)out)[4 + i] = runs[i].value;
        ((uint16_t *)out)[130 + i] = runs[i].length;
    }
}
