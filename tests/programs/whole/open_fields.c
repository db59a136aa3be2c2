/* SPDX-License-Identifier: Apache-2.0 */
/* offload: fill */
/* offload: count */
/* offload: later */
/* served: 3 */
/* served: 1 */
/* served: 2 */
/* contexts with pointers beside arrays that are written at any index, over the pointer too */
#include <stdio.h>
#include <string.h>

struct context {
    const unsigned char *next;
    unsigned filled;
    unsigned char buffer[16];
    const unsigned char *behind;
};

unsigned fill(struct context *c, unsigned n)
{
    while (n--) {
        if (c->filled == 16) c->filled = 0;
        c->buffer[c->filled++] = *c->next++;
    }
    return c->filled;
}

/* `at` may lead to `behind`: then another pointer is there when it is read */
int count(struct context *c, unsigned at, unsigned char low)
{
    ((unsigned char *)c)[at] = low;
    return *c->behind;
}

/* what is written after the last reading counts for the caller alone */
int later(struct context *c, unsigned at, unsigned char low)
{
    int found = *c->behind;
    ((unsigned char *)c)[at] = low;
    return found;
}

int main(void)
{
    static unsigned char bytes[64] __attribute__((aligned(256)));
    for (unsigned i = 0; i < 64; i++) bytes[i] = i * 7;
    struct context c = {bytes, 3, {0}, bytes + 9};
    unsigned at = (unsigned)((char *)&c.behind - (char *)&c);
    printf("%u %u %u %d\n", fill(&c, 5), fill(&c, 13), fill(&c, 0), (int)(c.next - bytes));
    for (unsigned i = 0; i < 16; i++) printf("%d ", c.buffer[i]);
    printf("%d ", count(&c, at - 3, 2));
    printf("%d %d\n", count(&c, at, 12), (int)(c.behind - bytes));
    printf("%d ", later(&c, at - 3, 2));
    printf("%d %d\n", later(&c, at, 20), (int)(c.behind - bytes));
    return 0;
}
