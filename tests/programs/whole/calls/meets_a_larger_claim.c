// SPDX-License-Identifier: Apache-2.0
// offload: top
#include <stdint.h>
#include <stdio.h>

typedef int8_t T;

#ifdef RECORD
static long reached[8], before[8];
static long at(int k, long i)
{
    if (i >= reached[k])
        reached[k] = i + 1;
    if (i < before[k])
        before[k] = i;
    return i;
}
#define AT(k, i) at(k, (long)(i))
#define TO(k, i) at(k + 4, at(k, (long)(i)))
#else
#define AT(k, i) (i)
#define TO(k, i) (i)
#endif

#pragma tandem extent(c, 32 * sizeof(T))
void top(T *a, T *b, const T *c, uint32_t n, uint32_t s)
{
    uint32_t x = s ^ 7;
    uint32_t i0 = 0;
    while (i0 < n && ((s - 96) == 0u)) {
        i0++;
        x = x * 5 + (uint32_t)b[AT(1, (x & 15))];
    }
    x += i0;
    x = x * 5 + (uint32_t)a[AT(0, 31)];
    b[TO(1, (x & 15))] = (T)(uint32_t)b[AT(1, (n & 3))];
    x = x * 5 + ((uint32_t)b[AT(1, (x & 31))] ^ (uint32_t)b[AT(1, (x & 15))]);
    for (uint32_t i1 = 0; i1 < (s & 7); i1 += 2) {
        for (uint32_t i2 = 0; i2 < n; i2 += 1) {
            a[TO(0, i2 + 3)] = (T)(uint32_t)a[AT(0, (n & 15))];
        }
    }
}

static T pool[600];

static void call(T *a, T *b, T *c, uint32_t n, uint32_t s)
{
    uint64_t hash = 14695981039346656037ull;
#ifdef RECORD
    for (int k = 0; k < 8; k++)
        reached[k] = before[k] = 0;
#endif
    uint64_t result = 0; top(a, b, c, n, s);
    for (int i = 0; i < 600; i++)
        hash = (hash ^ (uint64_t)pool[i]) * 1099511628211ull;
    printf("%llx %llx\n", (unsigned long long)result, (unsigned long long)hash);
#ifdef RECORD
    if (reached[2] > 32 || before[2] < 0) fprintf(stderr, "c%s\n", (reached[6] > 32 || before[6] < 0) ? "!" : "");
#endif
}

int main(void)
{
    uint32_t seed = 107u;
    for (int i = 0; i < 600; i++) {
        seed = seed * 1664525u + 1013904223u;
        pool[i] = (T)(seed >> 0 & 1);
    }
    call(pool + 63, pool + 63, pool + 184, 20, 77);
    call(pool + 249, pool + 499, pool + 38, 1, 5);
    call(pool + 162, pool + 162, pool + 374, 1, 1);
    call(pool + 390, pool + 155, pool + 390, 1, 4000000);
    return 0;
}
