/* SPDX-License-Identifier: Apache-2.0 */
/* counting down, short counters */
void stencil7(const int in[6][8][40], int out[6][8][40])
{
    for (short z = 4; z; z--)
        for (short y = 6; y; y--)
            for (short x = 38; x; x--)
                out[z][y][x] = in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x] + in[z][y + 1][x]
                               + in[z][y][x - 1] + in[z][y][x + 1] - 6 * in[z][y][x];
}

void call(const void *in, void *out) { stencil7(in, out); }
