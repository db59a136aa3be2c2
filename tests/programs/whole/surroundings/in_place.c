/* SPDX-License-Identifier: Apache-2.0
 * Source and destination are one buffer, as a block cipher is often called; or one element apart.
 * offload: turn
 * served: 12
 * offload: shift
 * served: 6 */
#include <stdio.h>

void turn(const unsigned char *in, unsigned char *out, unsigned key)
{
    unsigned left = in[0] | in[1] << 8, right = in[2] | in[3] << 8;
    for (int i = 0; i < 5; i++) {
        unsigned next = left ^ ((right * key + i) & 0xffff);
        left = right;
        right = next;
    }
    out[0] = left;
    out[1] = left >> 8;
    out[2] = right;
    out[3] = right >> 8;
}

/* With `to` behind `from` each call reads what it has written; before it, it does not. */
void shift(const int *from, int *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] * 3 + 1;
}

int main(void)
{
    unsigned char block[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int a[16];
    for (int k = 0; k < 12; k++)
        turn(block + k % 4, block + k % 4, 77 + k);
    for (int i = 0; i < 8; i++)
        printf("%d ", block[i]);
    for (int i = 0; i < 16; i++)
        a[i] = i;
    for (int k = 0; k < 6; k++) {
        shift(a + 3, a + 1, 8 + k % 3);
        shift(a + 1, a + 3, 8 + k % 3);
    }
    for (int i = 0; i < 16; i++)
        printf("%d ", a[i]);
    puts("");
    return 0;
}
