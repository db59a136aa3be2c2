// SPDX-License-Identifier: Apache-2.0
/* Numbers are read from a text, character by character. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define N 400000
static char text[N + 16];
uint32_t parsed(const char *p, int n)
{
    uint32_t sum = 0, number = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] >= '0' && p[i] <= '9')
            number = number * 10 + (p[i] - '0');
        else {
            sum += number;
            number = 0;
        }
    }
    return sum + number;
}
int main(void)
{
    int n = 0;
    while (n < N)
        n += sprintf(text + n, "%d,", n * 7);
    printf("%u\n", parsed(text, (int)strlen(text)));
    return 0;
}
