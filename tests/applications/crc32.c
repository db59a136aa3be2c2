// SPDX-License-Identifier: Apache-2.0
// offload: crc_update
// A checksum whose state lives between calls; the published check value is cbf43926.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct crc {
    uint32_t value;
    uint64_t bytes;
};

void crc_update(struct crc *crc, const uint8_t *data, size_t length)
{
    uint32_t value = ~crc->value;
    for (size_t i = 0; i < length; i++) {
        value ^= data[i];
        for (int k = 0; k < 8; k++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    }
    crc->value = ~value;
    crc->bytes += length;
}

int main(void)
{
    struct crc whole = {0}, parts = {0};
    uint8_t data[256];
    int wrong = 0;
    crc_update(&whole, (const uint8_t *)"123456789", 9);
    printf("%08x\n", whole.value);
    wrong += whole.value != 0xcbf43926;
    memset(&whole, 0, sizeof whole);
    for (int i = 0; i < 256; i++)
        data[i] = (uint8_t)i;
    crc_update(&whole, data, 256);
    for (size_t i = 0; i < 256; i += 64)
        crc_update(&parts, data + i, 64);
    crc_update(&parts, data, 0);
    wrong += whole.value != 0x29058c73 || parts.value != whole.value || parts.bytes != 256;
    printf("%08x, %d wrong\n", parts.value, wrong);
    return wrong != 0;
}
