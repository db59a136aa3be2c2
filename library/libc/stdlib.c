/* SPDX-License-Identifier: Apache-2.0 */
/* What of <stdlib.h> a kernel may call; the functions have the names of ISO C's, so that a
 * program's calls find them. */
#include <stdlib.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/* The number that text begins with, behind white space; too large ones are not told. */
long strtol(const char *s, char **end, int base)
{
    const char *start = s;
    unsigned long value = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    int negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    if ((base == 0 || base == 16) && s[0] == '0' && (s[1] | 32) == 'x' && digit_of(s[2]) < 16) {
        s += 2;
        base = 16;
    }
    if (base == 0)
        base = *s == '0' ? 8 : 10;
    const char *digits = s;
    for (; digit_of(*s) < base; s++)
        value = value * (unsigned long)base + (unsigned long)digit_of(*s);
    if (end)
        *end = (char *)(s == digits ? start : s);
    return (long)(negative ? -value : value);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *))
{
    const char *first = base;
    while (count) {
        const char *middle = first + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            first = middle + size;
            count--;
        }
        count /= 2;
    }
    return 0;
}
