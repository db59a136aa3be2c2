// SPDX-License-Identifier: Apache-2.0
// offload: decimal
/* Signed numbers as text of decimal digits, each behind the other. */
#include <stdint.h>

int decimal(const int32_t *in, int n, char *out)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        char digits[10];
        int count = 0;
        uint32_t rest = in[i] < 0 ? -(uint32_t)in[i] : in[i];
        if (in[i] < 0)
            out[at++] = '-';
        do {
            digits[count++] = '0' + rest % 10;
            rest /= 10;
        } while (rest);
        while (count)
            out[at++] = digits[--count];
        out[at++] = ' ';
    }
    return at;
}
