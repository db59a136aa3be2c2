/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move */
void matvec(const int *a, const int *x, int *y)
{
    for (int *end = y + 16; y != end; y++) {
        int sum = 0;
        for (const int *p = x; p != x + 24;)
            sum += *a++ * *p++;
        *y = sum;
    }
}

void call(const void *in, void *out) { matvec(in, (const int *)in + 384, out); }
