/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* served: 2 */
/* new and delete */
#include <stdio.h>
extern "C" int f(const int *in, unsigned n)
{
    int *p = new int[n & 15], sum = 0;
    for (unsigned i = 0; i < (n & 15); i++) p[i] = in[i] * 2;
    for (unsigned i = 0; i < (n & 15); i++) sum = sum * 3 + p[(n & 15) - 1 - i];
    delete[] p;
    return sum;
}
int main()
{
    int in[16];
    for (int i = 0; i < 16; i++) in[i] = i * i;
    printf("%d %d\n", f(in, 9), f(in, 15));
    return 0;
}
