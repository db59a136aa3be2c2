/* SPDX-License-Identifier: Apache-2.0 */
/* offload: words */
/* offload: mixed */
/* offload: floats */
/* offload: bytes */
/* offload: padded */
/* offload: fields */
/* offload: nested */
/* offload: other_number */
/* Structs that a processor takes and returns in registers, with what is between their members. */
#include <stdint.h>
#include <stdio.h>

struct words { int32_t x, y; };
struct mixed { int x; double y; };
struct floats { float x, y, z; };
struct bytes { unsigned char c[3]; };
struct padded { _Bool ok; int value; char last; };
struct fields { unsigned a : 5; int b : 11; unsigned : 3, c : 9; };
struct nested { struct words w; union { int i; float f; } u; };
struct one { double d; };

struct words words(struct words w, int by)
{
    struct words r = {w.x * by, w.y - by};
    return r;
}

struct mixed mixed(struct mixed m, const struct mixed *other)
{
    m.x += other->x;
    m.y *= other->y;
    return m;
}

struct floats floats(float by, struct floats f)
{
    struct floats r = {f.x + by, f.y * by, f.z - by};
    return r;
}

struct bytes bytes(struct bytes b)
{
    struct bytes r;
    for (int i = 0; i < 3; i++)
        r.c[i] = b.c[2 - i] + i;
    return r;
}

struct padded padded(struct padded p, int a)
{
    struct padded r;
    r.ok = !p.ok;
    r.value = p.value / (a | 1);
    r.last = p.last + a;
    return r;
}

struct fields fields(struct fields f, unsigned n)
{
    struct fields r;
    r.a = f.a + n;
    r.b = f.b - (int)n;
    r.c = f.c ^ n;
    return r;
}

struct nested nested(struct nested n, int i)
{
    n.w.x += i;
    n.u.i ^= n.w.y;
    return n;
}

struct one other_number(struct one a, struct one b)
{
    struct one r = {a.d / b.d};
    return r;
}

static void dirty(int depth)
{
    volatile unsigned char stack[256];
    for (int i = 0; i < 256; i++)
        stack[i] = 0xa5 + depth;
}

int main(void)
{
    struct mixed other = {3, 1.5};
    for (int i = 0; i < 4; i++) {
        dirty(i);
        struct words w = words((struct words){i, -i}, 5);
        struct mixed m = mixed((struct mixed){i, i * 0.5}, &other);
        struct floats f = floats(i, (struct floats){1, 2, 3});
        struct bytes b = bytes((struct bytes){{i, i + 1, i + 2}});
        struct padded p = padded((struct padded){i & 1, 100 * i, 'a'}, i);
        struct fields g = fields((struct fields){i, -i, i * 3}, 7);
        struct nested n = nested((struct nested){{i, 2}, {.f = 1.5f}}, i);
        struct one o = other_number((struct one){i}, (struct one){3});
        printf("%d %d, %d %g, %g %g %g, %d %d %d, ", w.x, w.y, m.x, m.y, f.x, f.y, f.z, b.c[0], b.c[1], b.c[2]);
        printf("%d %d %c, %d %d %d, %d %g, %g\n", p.ok, p.value, p.last, g.a, g.b, g.c, n.w.x, n.u.f, o.d);
    }
    return 0;
}
