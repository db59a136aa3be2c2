// SPDX-License-Identifier: Apache-2.0
// offload: unpack
/* Text packed by Lempel and Ziv: literals, and copies of what was before. */
#include <stdint.h>

int unpack(const uint8_t *in, int n, uint8_t *out, int most)
{
    int at = 0, i = 0;
    while (i < n) {
        uint8_t flags = in[i++];
        for (int b = 0; b < 8 && i < n; b++, flags >>= 1) {
            if (flags & 1) {
                if (at >= most)
                    return -1;
                out[at++] = in[i++];
                continue;
            }
            int back = in[i] | (in[i + 1] & 15) << 8, length = (in[i + 1] >> 4) + 3;
            i += 2;
            if (back == 0 || back > at || at + length > most)
                return -1;
            for (int k = 0; k < length; k++, at++)
                out[at] = out[at - back];
        }
    }
    return at;
}
