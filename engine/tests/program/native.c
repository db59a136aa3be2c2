/* SPDX-License-Identifier: Apache-2.0
 * native.so of the kernel to test with: out[i] = in[i] + key, one record a cycle. */
#include <stdint.h>

void tandem_native(void *const data[])
{
    const uint64_t *in = data[0], count = *(uint64_t *)data[2], key = *(uint64_t *)data[3];
    uint64_t *out = data[1];
    for (uint64_t i = 0; i < count; i++)
        out[i] = in[i] + key;
}

uint64_t tandem_cycles(void *const data[], const uint32_t intervals[])
{
    uint32_t pace = intervals[0] > intervals[1] ? intervals[0] : intervals[1];
    return *(uint64_t *)data[2] * pace + 5;
}
