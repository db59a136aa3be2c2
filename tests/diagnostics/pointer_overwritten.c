/* SPDX-License-Identifier: Apache-2.0 */
struct state {
    unsigned char *next;
    unsigned filled;
    unsigned char buffer[64];
};
void top(struct state *s, unsigned n)
{
    while (n--)
        s->buffer[s->filled++] = *s->next++;
}
