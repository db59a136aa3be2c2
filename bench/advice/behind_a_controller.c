// SPDX-License-Identifier: Apache-2.0
// run: --offload seal --platform ibm-coprocessor
// Short operations that a processor in the device drives.
#include <stdio.h>

void seal(const unsigned char *in, unsigned char *out, const unsigned char key[8], unsigned n)
{
    unsigned char last = 0;
    for (unsigned i = 0; i < n; i++) {
        last = (in[i] ^ last) + key[i & 7];
        out[i] = last;
    }
}

int main(void)
{
    static unsigned char in[40][80], out[40][80];
    const unsigned char key[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    unsigned sum = 0;
    for (int i = 0; i < 40; i++) {
        in[i][3] = i;
        seal(in[i], out[i], key, 80);
    }
    for (int i = 0; i < 40; i++)
        sum += out[i][79];
    printf("%u\n", sum);
    return 0;
}
