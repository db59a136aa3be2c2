/* SPDX-License-Identifier: Apache-2.0
 * A context and a pointer into it: what one reads and the other writes is apart.
 * offload: stir
 * served: 20 */
#include <stdio.h>
#include <string.h>

struct state {
    unsigned char data[32];
    unsigned sums[4];
    unsigned filled;
};

void stir(struct state *s, const unsigned char *data)
{
    unsigned a = s->sums[0], b = s->sums[3];
    for (int i = 0; i < 32; i++) {
        a = (a << 7 | a >> 25) + data[i];
        b ^= a;
    }
    s->sums[0] = b;
    s->sums[3] = a;
}

int main(void)
{
    static struct state s = {.filled = 32};
    for (int k = 0; k < 20; k++) {
        memset(s.data, 3 * k + 1, sizeof s.data);
        stir(&s, s.data);
    }
    printf("%08x %08x\n", s.sums[0], s.sums[3]);
    return 0;
}
