/* SPDX-License-Identifier: Apache-2.0 */
/* a pointer that moves down a column */
void tmatvec(const int *a, const int *x, int *y)
{
    for (int j = 0; j < 24; j++) {
        const int *p = a + j, *q = x;
        int sum = 0;
        while (q != x + 24) {
            sum += *p * *q++;
            p += 24;
        }
        *y++ = sum;
    }
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
