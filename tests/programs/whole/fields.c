/* SPDX-License-Identifier: Apache-2.0 */
/* offload: sum */
/* offload: look */
/* offload: copy */
/* served: 1 */
/* served: 4 */
/* served: 2 */
/* pointers in structs: read, two levels of them, some null, and moved */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
struct image { const unsigned char *pixels; unsigned count; };
unsigned sum(const struct image *image)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < image->count; i++)
        sum += image->pixels[i];
    return sum;
}
struct state { unsigned mode; unsigned short *window; unsigned size; };
struct stream { unsigned char *next_in; unsigned avail_in; unsigned char *next_out; struct state *state; unsigned total; };
unsigned look(struct stream *s, unsigned k)
{
    if (!s || !s->state) return 7;
    s->state->mode += 1;
    s->state->window[k] += 3;
    return s->state->window[k] + s->state->size;
}
int copy(struct stream *s, unsigned n)
{
    while (n-- && s->avail_in) {
        unsigned char c = *s->next_in++;
        *s->next_out++ = c ^ 1;
        s->avail_in--;
        s->total++;
    }
    return s->avail_in;
}
int main(void)
{
    unsigned char a[40], b[40] = {0}; unsigned short w[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int i = 0; i < 40; i++) a[i] = i * i;
    struct image m = {a, 40};
    struct state t = {0, w, 9};
    struct stream s = {a, 40, b, &t, 0}, none = {0};
    printf("%u %u\n", sum(&m), look(&s, 3));
    printf("%u %u %u\n", look(&none, 2), look(0, 2), look(&s, 4));
    printf("%d ", copy(&s, 10)); printf("%d\n", copy(&s, 12));
    printf("%d %d %u %u\n", (int)(s.next_in - a), (int)(s.next_out - b), s.total, t.mode);
    for (int i = 0; i < 40; i++) printf("%d ", b[i]);
    puts("");
    return 0;
}
