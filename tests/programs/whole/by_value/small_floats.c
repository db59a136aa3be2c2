/* SPDX-License-Identifier: Apache-2.0 */
/* offload: swirled */
/* Structs of floats by value, of which a compiler makes vectors: through functions that are
 * inlined, kept apart, and call themselves. */
#include <stdio.h>

typedef struct {
    float x, y;
} Pair;
typedef struct {
    float x, y, z;
} Triple;

static Triple cross(Triple a, Triple b)
{
    return (Triple){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__attribute__((noinline)) static Pair turned(Pair a, Pair by)
{
    return (Pair){a.x * by.x - a.y * by.y, a.x * by.y + a.y * by.x};
}

__attribute__((noinline)) static Triple scaled(Triple a, float s)
{
    if (s < 0)
        return (Triple){0};
    return (Triple){a.x * s, a.y * s, a.z * s};
}

#pragma tandem recursion(12)
static Pair halved(Pair a, int n)
{
    if (n < 2)
        return a;
    Pair b = halved((Pair){a.y, a.x}, n - 1), c = halved(a, n - 2);
    return (Pair){b.x * 0.5f + c.y, b.y - c.x};
}

Triple swirled(const Triple *p, int n, Pair start, Pair *out)
{
    Triple sum = {start.x, start.y, 1};
    Pair at = start;
    for (int i = 0; i < n; i++) {
        at = turned(at, (Pair){0.6f, 0.8f});
        if (at.x > 1)
            at = turned((Pair){p[i].x, at.y}, at);
        sum = cross(scaled(sum, p[i].z), p[i]);
        out[i] = at;
    }
    *out = halved(at, n);
    return sum;
}

int main(void)
{
    Triple p[8];
    Pair out[8];
    for (int i = 0; i < 8; i++)
        p[i] = (Triple){i * 0.5f, 1 - i * 0.25f, 0.125f * i - 0.25f};
    for (int n = 0; n < 9; n += 4) {
        Triple sum = swirled(p, n, (Pair){1, 2 - n}, out);
        printf("%a %a %a\n", sum.x, sum.y, sum.z);
        for (int i = 0; i < n; i++)
            printf("%a %a\n", out[i].x, out[i].y);
    }
    return 0;
}
