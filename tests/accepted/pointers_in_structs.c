/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* pointers in structs of the caller, and in what these point to; they may be moved */
#include <stdio.h>

typedef struct {
    unsigned sum;
    const unsigned char *key;
} context;

typedef struct {
    const unsigned char *next;
    unsigned left;
    context *own;
} input;

unsigned top(input *in, unsigned n)
{
    if (!in->own) return 0;
    while (n-- && in->left) {
        in->own->sum = in->own->sum * 31 + (*in->next++ ^ in->own->key[n & 3]);
        in->left--;
    }
    return in->own->sum;
}

int main(void)
{
    const unsigned char bytes[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, key[4] = {7, 8, 9, 10};
    context own = {1, key};
    input in = {bytes, 16, &own}, empty = {0, 0, 0};
    printf("%u %u\n", top(&in, 5), top(&empty, 3));
    printf("%u %u %d\n", top(&in, 20), in.left, (int)(in.next - bytes));
    return 0;
}
