/* SPDX-License-Identifier: Apache-2.0 */
/* structs by pointer, with arrays and bit fields inside */
struct s {
    int a[4];
    unsigned low : 5, high : 11;
};

int top(struct s *s) {
    s->a[s->low & 3] += s->high;
    return s->a[0];
}
