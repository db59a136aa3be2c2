/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* `ctype.h` in the "C" locale, and `qsort` */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct letter {
    char name;
    short count;
};

static const char text[] = "It was the best of times, it was the Worst of 2 times.";
static struct letter letters[26];

static int by_count(const void *a, const void *b)
{
    const struct letter *left = a, *right = b;
    return left->count != right->count ? right->count - left->count : left->name - right->name;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 26; i++)
        letters[i].name = (char)('a' + i);
    for (const char *c = text; *c; c++) {
        if (isalpha((unsigned char)*c))
            letters[tolower((unsigned char)*c) - 'a'].count++;
        sum += !!isspace(*c) + 2 * !!ispunct(*c) + 4 * !!isdigit(*c) + 8 * !!isupper(*c);
    }
    qsort(letters, 26, sizeof *letters, by_count);
    for (int i = 0; i < 26; i++) {
        putchar(letters[i].name);
        sum = (sum * 31 + letters[i].count + toupper(letters[i].name)) & 0xffff;
    }
    putchar('\n');
    fprintf(stdout, "%d\n", sum);
    return sum % 251;
}
