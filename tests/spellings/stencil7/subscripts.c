/* SPDX-License-Identifier: Apache-2.0 */
/* three dimensions of fixed sizes */
void stencil7(const int in[6][8][40], int out[6][8][40])
{
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++)
                out[z][y][x] = in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x] + in[z][y + 1][x]
                               + in[z][y][x - 1] + in[z][y][x + 1] - 6 * in[z][y][x];
}

void call(const void *in, void *out) { stencil7(in, out); }
