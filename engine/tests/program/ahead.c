/* SPDX-License-Identifier: Apache-2.0
 * ahead.so of the kernel to test with: out[i] = in[i] + key, one record a cycle. */
#include <stdint.h>

void tandem_extents(void *const data[], uint64_t bytes[])
{
    bytes[0] = bytes[1] = 8 * *(uint64_t *)data[2];
    bytes[2] = bytes[3] = 8;
}

uint64_t tandem_cycles(void *const data[], const uint64_t bytes[], const uint32_t intervals[],
                       uint64_t parts[][3], uint32_t apart)
{
    uint32_t pace = intervals[0] > intervals[1] ? intervals[0] : intervals[1];
    parts[0][0] = *(uint64_t *)data[2];
    parts[0][1] = parts[0][0] * pace;
    parts[1][0] = 1;
    parts[1][1] = 5;
    parts[0][2] = 1;
    parts[1][2] = parts[0][1] + 4;
    return parts[0][1] + parts[1][1];
}

uint64_t tandem_touched(void *const data[], const uint64_t bytes[], const uint32_t intervals[],
                        uint64_t parts[][3], int64_t touched[][2], uint32_t apart)
{
    for (int i = 0; i < 4; i++) {
        touched[i][0] = 0;
        touched[i][1] = bytes[i];
    }
    return tandem_cycles(data, bytes, intervals, parts, apart);
}

uint64_t tandem_least_depths(void *const data[], const uint64_t bytes[], const uint32_t intervals[],
                             uint32_t depths[])
{
    (void)depths;
    return tandem_cycles(data, bytes, intervals, 0, 0);
}

uint64_t tandem_fifo_use(void *const data[], const uint64_t bytes[], const uint32_t intervals[],
                         uint64_t part_cycles, uint32_t parts, uint64_t rows[])
{
    (void)part_cycles;
    (void)parts;
    (void)rows;
    return tandem_cycles(data, bytes, intervals, 0, 0);
}

uint32_t tandem_traced(void *const data[], void *meeting, void *tell, void *context)
{
    return 2; /* unknown */
}

const void *tandem_answers(uint32_t *processes)
{
    *processes = 0;
    return 0;
}

const char *tandem_reason(void)
{
    return "";
}
