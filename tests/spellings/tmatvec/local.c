/* SPDX-License-Identifier: Apache-2.0 */
/* sums in an array of its own */
void tmatvec(const int a[24][24], const int x[24], int y[24])
{
    int sums[24] = {0};
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            sums[j] += a[i][j] * x[i];
    for (int j = 0; j < 24; j++)
        y[j] = sums[j];
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
