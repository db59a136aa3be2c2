/* SPDX-License-Identifier: Apache-2.0 */
/* the result is cleared first */
void matvec(const int a[16][24], const int x[24], int y[16])
{
    for (int i = 0; i < 16; i++)
        y[i] = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 24; j++)
            y[i] += a[i][j] * x[j];
}

void call(const void *in, void *out) { matvec(in, (const int *)in + 384, out); }
