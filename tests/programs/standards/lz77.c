// SPDX-License-Identifier: Apache-2.0
// offload: lz77
// LZ77 of triples (distance, length, next byte) with a search of the last 64 bytes; unpacked again.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WINDOW 64
#define LONGEST 15

int lz77(const uint8_t *in, int size, uint8_t *out)
{
    int o = 0;
    for (int i = 0; i < size;) {
        int best = 0, distance = 0;
        for (int d = 1; d <= WINDOW && d <= i; d++) {
            int length = 0;
            while (length < LONGEST && i + length + 1 < size && in[i + length - d] == in[i + length])
                length++;
            if (length > best) {
                best = length;
                distance = d;
            }
        }
        out[o++] = (uint8_t)distance;
        out[o++] = (uint8_t)best;
        out[o++] = in[i + best];
        i += best + 1;
    }
    return o;
}

static int unpack(const uint8_t *in, int size, uint8_t *out)
{
    int n = 0;
    for (int i = 0; i < size; i += 3) {
        for (int j = 0; j < in[i + 1]; j++, n++)
            out[n] = out[n - in[i]];
        out[n++] = in[i + 2];
    }
    return n;
}

int main(void)
{
    static const uint8_t wanted[] = {0, 0, 'a', 0, 0, 'b', 2, 2, 'c', 3, 5, 'd'};
    static uint8_t data[600], packed[1800], again[600];
    int wrong = lz77((const uint8_t *)"ababcabcabd", 11, packed) != sizeof wanted;
    wrong += memcmp(packed, wanted, sizeof wanted) != 0;
    for (int i = 0; i < 600; i++)
        data[i] = "she sells sea shells "[i * (i % 97 ? 1 : 5) % 21];
    int size = lz77(data, 600, packed);
    wrong += size > 300 || unpack(packed, size, again) != 600 || memcmp(data, again, 600) != 0;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
