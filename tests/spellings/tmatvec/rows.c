/* SPDX-License-Identifier: Apache-2.0 */
/* a row at a time, added to the result */
void tmatvec(const int a[24][24], const int x[24], int y[24])
{
    for (int j = 0; j < 24; j++)
        y[j] = 0;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            y[j] += a[i][j] * x[i];
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
