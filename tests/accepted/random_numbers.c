/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* `rand` and `srand` where `main` is the kernel: the numbers of the GNU C library */
#include <stdio.h>
#include <stdlib.h>

static int values[32];

int main(void)
{
    int inside = 0;
    srand(42);
    for (int i = 0; i < 32; i++)
        values[i] = rand() % 1000;
    for (int i = 0; i < 64; i++) {
        double x = (double)rand() / RAND_MAX, y = (double)rand() / RAND_MAX;
        inside += x * x + y * y < 1;
    }
    printf("%d %d\n", values[31], inside);
    return (values[7] + inside) & 127;
}
