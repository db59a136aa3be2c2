/* SPDX-License-Identifier: Apache-2.0 */
/* counting down */
void matvec(const int a[16][24], const int x[24], int y[16])
{
    for (short i = 15; i >= 0; i--) {
        int sum = 0;
        short j = 24;
        while (j--)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}

void call(const void *in, void *out) { matvec(in, (const int *)in + 384, out); }
