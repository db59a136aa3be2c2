/* SPDX-License-Identifier: Apache-2.0 */
/* two dimensions, the sum in a variable */
void matvec(const int a[16][24], const int x[24], int y[16])
{
    for (int i = 0; i < 16; i++) {
        int sum = 0;
        for (int j = 0; j < 24; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}

void call(const void *in, void *out) { matvec(in, (const int *)in + 384, out); }
