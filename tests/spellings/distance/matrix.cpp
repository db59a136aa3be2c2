/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a class with an operator, a function of its own for the lesser */
#include <stdint.h>
struct Matrix {
    int values[25 * 25];
    int &operator()(int i, int j) { return values[25 * i + j]; }
};

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

extern "C" int distance(const uint8_t (&a)[24], const uint8_t (&b)[24], Matrix &d)
{
    for (int i = 0; i <= 24; i++)
        d(i, 0) = i;
    for (int j = 0; j <= 24; j++)
        d(0, j) = j;
    for (int i = 1; i <= 24; i++)
        for (int j = 1; j <= 24; j++)
            d(i, j) = lesser(d(i - 1, j - 1) + (a[i - 1] != b[j - 1]), lesser(d(i - 1, j), d(i, j - 1)) + 1);
    return d(24, 24);
}

extern "C" void call(const void *in, void *out)
{
    static Matrix d;
    auto *words = static_cast<const uint8_t(*)[24]>(in);
    *static_cast<int *>(out) = distance(words[0], words[1], d);
}
