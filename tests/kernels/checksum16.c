/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

/* Four bytes a step, both ends included. */
uint16_t checksum16(const uint8_t *data, size_t last)
{
    uint32_t sum = 0;
    size_t i;

    for (i = 0; i <= last; i += 4)
        sum += (data[i] << 8 | data[i + 1]) + (data[i + 2] << 8 | data[i + 3]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}
