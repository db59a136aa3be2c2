/* SPDX-License-Identifier: Apache-2.0 */
/* offload: kernel */
/* served: 2 */
/* what is left out of the hardware, and what is there only */
#include <stdio.h>
int kernel(const int *in, int n)
{
    int sum = 0;
#ifndef __SYNTHESIS__
    static int calls;
    char name[32];
    snprintf(name, sizeof name, "call %d of %d", ++calls, n);
    puts(name);
#endif
    for (int i = 0; i < n; i++) {
#ifdef __SYNTHESIS__
        sum += sum + sum + in[i];
#else
        sum = sum * 3 + in[i];
#endif
    }
    return sum;
}
int main(void)
{
    int in[4] = {1, 2, 3, 4};
    printf("%d\n", kernel(in, 3));
    printf("%d\n", kernel(in, 4));
    return 0;
}
