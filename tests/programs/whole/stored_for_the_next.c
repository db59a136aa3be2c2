/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* an iteration reads what the one before has stored, with a store of characters between them, which
   may be anywhere */
#include <stdio.h>

void f(int *sums, char *signs, const int *in, int n)
{
    for (int i = 1; i < n; i++) {
        sums[i] = sums[i - 1] + in[i];
        signs[i] = sums[i] < 0 ? '-' : '+';
    }
}

int main(void)
{
    int in[20], sums[20] = {7};
    char signs[21] = "+";
    for (int i = 0; i < 20; i++)
        in[i] = i % 3 * 10 - 12;
    f(sums, signs, in, 20);
    printf("%d %s\n", sums[19], signs);
    return 0;
}
