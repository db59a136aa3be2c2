// SPDX-License-Identifier: Apache-2.0
// offload: crc_bits
/* The checksum of Ethernet, four bits at a time from a table, and Adler's beside it. */
#include <stdint.h>

static const uint32_t table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint64_t crc_bits(const uint8_t *data, uint32_t n)
{
    uint32_t crc = ~0u, a = 1, b = 0;
    for (uint32_t i = 0; i < n; i++) {
        crc ^= data[i];
        crc = table[crc & 15] ^ crc >> 4;
        crc = table[crc & 15] ^ crc >> 4;
        a += data[i];
        if (a >= 65521)
            a -= 65521;
        b += a;
        if (b >= 65521)
            b -= 65521;
    }
    return (uint64_t)~crc << 32 | b << 16 | a;
}
