// SPDX-License-Identifier: Apache-2.0
// run: --offload price --platform src-6e
// held out
// Nothing but scalars, and a result that the program keeps.
#include <stdio.h>

int price(int base, int count, int weight, int distance, int tax, int bonus)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += (base + weight * i - bonus) / (1 + (distance >> 4)) + tax;
    return sum;
}

int main(void)
{
    static int prices[120];
    long all = 0;
    for (int i = 0; i < 120; i++)
        prices[i] = price(1000 + i, 10 + i % 7, i, 3 * i, 19, i / 2);
    for (int i = 0; i < 120; i++)
        all += prices[i];
    printf("%ld\n", all);
    return 0;
}
