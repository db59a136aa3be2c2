/* SPDX-License-Identifier: Apache-2.0 */
/* a column at a time */
void tmatvec(const int a[24][24], const int x[24], int y[24])
{
    for (int j = 0; j < 24; j++) {
        int sum = 0;
        for (int i = 0; i < 24; i++)
            sum += a[i][j] * x[i];
        y[j] = sum;
    }
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
