/* SPDX-License-Identifier: Apache-2.0 */
/* offload: transform */
/* offload: delayed */
/* served: 3 */
/* served: 3 */
/* a static array that each call fills is local, one that a call fills for the next one is not */
#include <stdio.h>
#include <string.h>
void transform(const short in[64], short out[64])
{
    static int rows[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            rows[j][i] = in[8 * i + j] * (j + 3) + in[8 * i + 7 - j];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            out[8 * i + j] = (rows[i][j] + rows[i][7 - j] * 3) >> 3;
}
void delayed(const short in[64], short out[64])
{
    static short before[64];
    static short line[16];
    memset(line, 0, sizeof line);
    int x = 0;
    for (int i = 0; i < 64; i++) {
        out[i] = before[63 - i] + line[x];
        line[x] = in[i] - before[i];
        if (++x == 11) x = 0;
    }
    for (int i = 0; i < 64; i++) before[i] = in[i];
}
int main(void)
{
    short a[64], b[64];
    unsigned sum = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 64; i++) a[i] = (short)(i * 397 + k * 1001);
        transform(a, b);
        for (int i = 0; i < 64; i++) sum = sum * 31 + (unsigned short)b[i];
        delayed(b, a);
        for (int i = 0; i < 64; i++) sum = sum * 31 + (unsigned short)a[i];
    }
    printf("%u\n", sum);
    return 0;
}
