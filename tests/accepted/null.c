/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* pointer arguments that may be null, and volatile ones */
#include <stdio.h>
typedef struct {
    int a, b;
} pair;

int top(const pair *given, volatile int *out, int n)
{
    if (!given) return -1;
    if (out)
        for (int i = 0; i < n; i++) out[i] = given->a * i + given->b;
    return given->a;
}

int main(void)
{
    const pair some = {3, 4};
    int out[5] = {0};
    printf("%d %d %d\n", top(NULL, out, 5), top(&some, NULL, 5), out[3]);
    printf("%d %d\n", top(&some, out, 5), out[3]);
    return 0;
}
