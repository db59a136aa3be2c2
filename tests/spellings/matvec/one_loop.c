/* SPDX-License-Identifier: Apache-2.0 */
/* one loop over the whole matrix */
void matvec(const int *a, const int *x, int *y)
{
    int row = 0, column = 0, sum = 0;
    for (int i = 0; i < 384; i++) {
        sum += a[i] * x[column];
        if (++column == 24) {
            y[row++] = sum;
            sum = column = 0;
        }
    }
}

void call(const void *in, void *out) { matvec(in, (const int *)in + 384, out); }
