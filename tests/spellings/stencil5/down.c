/* SPDX-License-Identifier: Apache-2.0 */
/* counting down, short counters */
void stencil5(const double in[10][60], double out[10][60])
{
    for (short y = 8; y > 0; y--)
        for (short x = 58; x > 0; x--)
            out[y][x] = 0.2 * (in[y][x] + in[y - 1][x] + in[y + 1][x] + in[y][x - 1] + in[y][x + 1]);
}

void call(const void *in, void *out) { stencil5(in, out); }
