/* SPDX-License-Identifier: Apache-2.0 */
/* What of <string.h> a kernel may call, as hardware is to do it: a character a turn. The functions
 * have the names of ISO C's, so that a program's calls find them. */
#include <string.h>

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

/* The difference of the first two characters that differ, as the unsigned ones they count as. */
int strcmp(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!a[i] || a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
    return 0;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i])
            return left[i] - right[i];
    return 0;
}

/* What compilers make of a comparison whose sign nobody asks for. */
int bcmp(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}

char *strcpy(char *to, const char *from)
{
    size_t i = 0;
    do
        to[i] = from[i];
    while (from[i++]);
    return to;
}

char *strncpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t n)
{
    char *end = to + strlen(to);
    size_t i = 0;
    for (; i < n && from[i]; i++)
        end[i] = from[i];
    end[i] = 0;
    return to;
}

char *strchr(const char *s, int wanted)
{
    for (;; s++) {
        if (*s == (char)wanted)
            return (char *)s;
        if (!*s)
            return 0;
    }
}

char *strrchr(const char *s, int wanted)
{
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)wanted)
            found = s;
        if (!*s)
            return (char *)found;
    }
}

void *memchr(const void *s, int wanted, size_t n)
{
    const unsigned char *bytes = s;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == (unsigned char)wanted)
            return (void *)(bytes + i);
    return 0;
}
