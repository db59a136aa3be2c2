/* SPDX-License-Identifier: Apache-2.0 */
/* a row at a time, the first sets the result */
void tmatvec(const int a[24][24], const int x[24], int y[24])
{
    for (int i = 0; i < 24; i++) {
        const int factor = x[i];
        for (int j = 0; j < 24; j++)
            y[j] = (i ? y[j] : 0) + a[i][j] * factor;
    }
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
