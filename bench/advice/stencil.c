// SPDX-License-Identifier: Apache-2.0
// run: --offload relax --platform src-6e
// held out
// A grid of two dimensions, each point from its neighbours.
#include <stdio.h>

#define W 64

void relax(const int *in, int *out, int rows)
{
    for (int y = 1; y < rows - 1; y++)
        for (int x = 1; x < W - 1; x++)
            out[y * W + x] =
                (in[y * W + x - 1] + in[y * W + x + 1] + in[(y - 1) * W + x] + in[(y + 1) * W + x]) /
                4;
}

int main(void)
{
    static int in[6][48 * W], out[6][48 * W];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 48 * W; j++)
            in[i][j] = i * j;
    for (int i = 0; i < 6; i++)
        relax(in[i], out[i], 48);
    printf("%d\n", out[5][20 * W + 20]);
    return 0;
}
