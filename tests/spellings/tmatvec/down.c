/* SPDX-License-Identifier: Apache-2.0 */
/* counting down */
void tmatvec(const int a[24][24], const int x[24], int y[24])
{
    for (short j = 23; j >= 0; j--) {
        int sum = 0;
        for (short i = 23; i >= 0; i--)
            sum += a[i][j] * x[i];
        y[j] = sum;
    }
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
