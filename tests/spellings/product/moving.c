/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move along a row and down a column */
void product(const int *a, const int *b, int *c)
{
    for (int i = 0; i < 20; i++, a += 20)
        for (int j = 0; j < 20; j++) {
            const int *p = a, *q = b + j;
            int sum = 0;
            while (p != a + 20) {
                sum += *p++ * *q;
                q += 20;
            }
            *c++ = sum;
        }
}

void call(const void *in, void *out) { product(in, (const int *)in + 400, out); }
