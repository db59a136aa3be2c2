/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* functions of `string.h` and `stdlib.h`: strlen, strcmp, strchr, memcmp, strtol, bsearch and the like */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[4] = {"alpha", "beta", "gamma", "delta"};
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    char line[64] = "beta 42 -17 0x1f", part[16], *end;
    int found = -1, sum = 0, key = 13;
    const char *space = strchr(line, ' ');
    strncpy(part, line, space - line);
    part[space - line] = 0;
    for (int i = 0; i < 4; i++)
        if (!strcmp(words[i], part)) found = i;
    sum = atoi(space) * 1000 + (int)strtol(strrchr(line, '-'), &end, 0) + (int)(end - line);
    sum += (int)strtol(end, NULL, 16) + (strncmp(line, part, 9) > 0) + (memcmp(line, part, 4) == 0);
    strcat(part, words[3]);
    const int *place = bsearch(&key, primes, 8, sizeof *primes, order);
    const char *a = memchr(part, 'a', sizeof part);
    printf("%d %d %s %d %d %d\n", found, sum, part, (int)strlen(part),
           place ? (int)(place - primes) : -1, a ? (int)(a - part) : -1);
    for (const char *c = part; *c; c++) sum = sum * 3 + *c;
    sum += found * 11 + (place ? (int)(place - primes) : -1) * 5 + (a ? (int)(a - part) : -1);
    return sum & 127;
}
