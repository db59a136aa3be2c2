/* SPDX-License-Identifier: Apache-2.0 */
/* offload: unpack */
/* arrays that may overlap, in whatever way each call has them (`#pragma tandem overlap`) */
#include <stdio.h>
#include <string.h>

/* Each token: how many bytes, how far back; 0 bytes end it. */
#pragma tandem overlap(window, out)
int unpack(const unsigned char *tokens, const unsigned char *window, unsigned char *out)
{
    int at = 0;
    for (int t = 0; tokens[t]; t += 2)
        for (int i = 0; i < tokens[t]; i++, at++)
            out[at] = window[at - tokens[t + 1]];
    return at;
}

int main(void)
{
    static const unsigned char tokens[] = {5, 1, 7, 5, 30, 3, 1, 42, 0, 0};
    unsigned char text[100] = "so", other[100];
    memset(other, '-', sizeof other);
    int bytes = unpack(tokens, text + 1, text + 2);
    bytes += unpack(tokens, text + 50, other + 50);
    bytes += unpack(tokens + 2, other + 50, other + 50);
    printf("%d %.50s %.50s\n", bytes, (const char *)text, (const char *)other + 40);
    return 0;
}
