/* SPDX-License-Identifier: Apache-2.0 */
/* grids in structs */
struct grid {
    int at[6][8][40];
};

void stencil7(const struct grid *in, struct grid *out)
{
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++)
                out->at[z][y][x] = in->at[z - 1][y][x] + in->at[z + 1][y][x] + in->at[z][y - 1][x]
                                   + in->at[z][y + 1][x] + in->at[z][y][x - 1] + in->at[z][y][x + 1]
                                   - 6 * in->at[z][y][x];
}

void call(const void *in, void *out) { stencil7(in, out); }
