/* SPDX-License-Identifier: Apache-2.0 */
/* sizes that the call tells */
void stencil7(int planes, int rows, int width, const int in[planes][rows][width], int out[planes][rows][width])
{
    for (int z = 1; z < planes - 1; z++)
        for (int y = 1; y < rows - 1; y++)
            for (int x = 1; x < width - 1; x++)
                out[z][y][x] = in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x] + in[z][y + 1][x]
                               + in[z][y][x - 1] + in[z][y][x + 1] - 6 * in[z][y][x];
}

void call(const void *in, void *out) { stencil7(6, 8, 40, in, out); }
