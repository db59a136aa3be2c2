// SPDX-License-Identifier: Apache-2.0
// run: --offload brighten --platform zynq-7000
// A stream that comes from a buffer and goes back to it.
#include <stdio.h>

void brighten(unsigned char *pixels, unsigned n, int by)
{
    for (unsigned i = 0; i < n; i++) {
        int level = pixels[i] + by;
        pixels[i] = level > 255 ? 255 : level < 0 ? 0 : level;
    }
}

int main(void)
{
    static unsigned char rows[20][4096];
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 4096; j++)
            rows[i][j] = i * j;
    for (int i = 0; i < 20; i++)
        brighten(rows[i], 4096, i - 10);
    printf("%d\n", rows[19][7]);
    return 0;
}
