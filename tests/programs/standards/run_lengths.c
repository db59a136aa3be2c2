// SPDX-License-Identifier: Apache-2.0
// offload: pack_bits
// Run lengths as in PackBits (TIFF 6.0, section 9): the format's known example, and unpacked again.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int pack_bits(const uint8_t *in, int size, uint8_t *out)
{
    int i = 0, o = 0;
    while (i < size) {
        int run = 1;
        while (run < 128 && i + run < size && in[i + run] == in[i])
            run++;
        if (run > 1) {
            out[o++] = (uint8_t)(1 - run);
            out[o++] = in[i];
            i += run;
            continue;
        }
        int head = o++, count = 0;
        while (count < 128 && i < size &&
               !(i + 2 < size && in[i] == in[i + 1] && in[i] == in[i + 2])) {
            out[o++] = in[i++];
            count++;
        }
        out[head] = (uint8_t)(count - 1);
    }
    return o;
}

static int unpack(const uint8_t *in, int size, uint8_t *out)
{
    int n = 0;
    for (int i = 0; i < size;) {
        int code = (int8_t)in[i++];
        if (code < 0) {
            for (int j = 0; j <= -code; j++)
                out[n++] = in[i];
            i++;
        } else
            for (int j = 0; j <= code; j++)
                out[n++] = in[i++];
    }
    return n;
}

int main(void)
{
    static const uint8_t known[] = {0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x80, 0x00,
                                    0x2a, 0x22, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa};
    static const uint8_t wanted[] = {0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa,
                                     0x03, 0x80, 0x00, 0x2a, 0x22, 0xf7, 0xaa};
    static uint8_t data[1000], packed[1100], again[1000];
    int wrong = pack_bits(known, sizeof known, packed) != sizeof wanted;
    wrong += memcmp(packed, wanted, sizeof wanted) != 0;
    for (int i = 0; i < 1000; i++)
        data[i] = (uint8_t)(i % 300 < 150 ? i / 300 : i * 7 + i / 3);
    int size = pack_bits(data, 1000, packed);
    wrong += unpack(packed, size, again) != 1000 || memcmp(data, again, 1000) != 0 || size > 800;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
