// SPDX-License-Identifier: Apache-2.0
// run: --offload crc --platform src-6e
// A loop whose iterations wait for each other, over a byte at a time.
#include <stdio.h>

unsigned crc(const unsigned char *in, unsigned n)
{
    unsigned c = ~0u;
    for (unsigned i = 0; i < n; i++) {
        c ^= in[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

int main(void)
{
    static unsigned char text[8][20000];
    unsigned all = 0;
    for (int i = 0; i < 8; i++) {
        text[i][i] = i + 1;
        all ^= crc(text[i], 20000);
    }
    printf("%u\n", all);
    return 0;
}
