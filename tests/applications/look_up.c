// SPDX-License-Identifier: Apache-2.0
// offload: correct
// A tone curve by a table of the program: out[i] = table[x[i]].
#include <stdint.h>
#include <stdio.h>

void correct(const uint8_t table[256], const uint8_t *x, uint8_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = table[x[i]];
}

int main(void)
{
    uint8_t table[256], x[333], out[333];
    int wrong = 0;
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)(i * i / 255);
    for (int i = 0; i < 333; i++)
        x[i] = (uint8_t)(i * 41);
    correct(table, x, out, 333);
    for (int i = 0; i < 333; i++)
        wrong += out[i] != (uint8_t)(i * 41) * (uint8_t)(i * 41) / 255;
    printf("%d %d, %d wrong\n", out[1], out[332], wrong);
    return wrong != 0;
}
