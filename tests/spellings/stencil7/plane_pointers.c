/* SPDX-License-Identifier: Apache-2.0 */
/* a pointer a plane */
void stencil7(const int in[6][8][40], int out[6][8][40])
{
    for (int z = 1; z < 5; z++) {
        const int(*before)[40] = in[z - 1], (*here)[40] = in[z], (*after)[40] = in[z + 1];
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++)
                out[z][y][x] = before[y][x] + after[y][x] + here[y - 1][x] + here[y + 1][x] + here[y][x - 1]
                               + here[y][x + 1] - 6 * here[y][x];
    }
}

void call(const void *in, void *out) { stencil7(in, out); }
