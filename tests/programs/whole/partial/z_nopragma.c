// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>

int f(const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += in[i];
    if (sum == 0)
        return -1; /* nothing to do: out stays as it is */
    for (uint32_t i = 0; i < n; i++)
        out[i] = sum + i;
    return 0;
}

int main(void)
{
    uint32_t a[4] = {1, 2, 3, 4}, zero[4] = {0}, b[4] = {0}, c[4] = {7, 7, 7, 7};
    f(a, b, 4);
    int r = f(zero, c, 4);
    printf("%d: %u %u %u %u\n", r, c[0], c[1], c[2], c[3]);
    return 0;
}
