/* SPDX-License-Identifier: Apache-2.0 */
/* all three in a struct, do and while */
struct product {
    int a[20][20], b[20][20], c[20][20];
};

void product(struct product *p)
{
    int i = 0;
    do {
        int j = 0;
        do {
            int sum = 0, k = 0;
            do
                sum += p->a[i][k] * p->b[k][j];
            while (++k < 20);
            p->c[i][j] = sum;
        } while (++j < 20);
    } while (++i < 20);
}

#include <string.h>

void call(const void *in, void *out)
{
    struct product p;
    memcpy(&p, in, 2 * sizeof p.a);
    product(&p);
    memcpy(out, p.c, sizeof p.c);
}
