/* SPDX-License-Identifier: Apache-2.0 */
/* offload: find */
/* offload: align */
/* Knuth, Morris and Pratt's search with a struct of all there is, and Needleman and Wunsch's alignment
   with a matrix of scores and one of ways back. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PATTERN 4
#define TEXT 400
#define LENGTH 32
#define WIDE (LENGTH + 1)

typedef struct {
    char pattern[PATTERN];
    char text[TEXT];
    int32_t next[PATTERN];
    int32_t matches;
} search;

static void prepare(const char pattern[PATTERN], int32_t next[PATTERN])
{
    int32_t k = 0, q;
    next[0] = 0;
    for (q = 1; q < PATTERN; q++) {
        while (k > 0 && pattern[k] != pattern[q])
            k = next[q];
        if (pattern[k] == pattern[q])
            k++;
        next[q] = k;
    }
}

int find(search *s)
{
    int32_t i, q = 0;

    s->matches = 0;
    prepare(s->pattern, s->next);
    for (i = 0; i < TEXT; i++) {
        while (q > 0 && s->pattern[q] != s->text[i])
            q = s->next[q - 1];
        if (s->pattern[q] == s->text[i])
            q++;
        if (q >= PATTERN) {
            s->matches++;
            q = s->next[q - 1];
        }
    }
    return 0;
}

#define SAME 1
#define OTHER -1
#define GAP -1
#define MAX(a, b) ((a) > (b) ? (a) : (b))
enum { DIAGONAL = '\\', UP = '^', LEFT = '<' };

void align(char a[LENGTH], char b[LENGTH], char row_a[2 * LENGTH], char row_b[2 * LENGTH], int scores[WIDE * WIDE],
    char ways[WIDE * WIDE])
{
    int score, up_left, up, left, most, row, row_up, at, x, y, ia, ib;

    for (x = 0; x < WIDE; x++)
        scores[x] = x * GAP;
    for (y = 0; y < WIDE; y++)
        scores[y * WIDE] = y * GAP;

    for (y = 1; y < WIDE; y++)
        for (x = 1; x < WIDE; x++) {
            score = a[x - 1] == b[y - 1] ? SAME : OTHER;
            row_up = (y - 1) * WIDE;
            row = y * WIDE;
            up_left = scores[row_up + x - 1] + score;
            up = scores[row_up + x] + GAP;
            left = scores[row + x - 1] + GAP;
            most = MAX(up_left, MAX(up, left));
            scores[row + x] = most;
            if (most == left)
                ways[row + x] = LEFT;
            else if (most == up)
                ways[row + x] = UP;
            else
                ways[row + x] = DIAGONAL;
        }

    x = LENGTH;
    y = LENGTH;
    ia = 0;
    ib = 0;
    while (x > 0 || y > 0) {
        at = y * WIDE;
        if (x > 0 && y > 0 && ways[at + x] == DIAGONAL) {
            row_a[ia++] = a[x - 1];
            row_b[ib++] = b[y - 1];
            x--;
            y--;
        } else if (x > 0 && (y == 0 || ways[at + x] == LEFT)) {
            row_a[ia++] = a[x - 1];
            row_b[ib++] = '-';
            x--;
        } else {
            row_a[ia++] = '-';
            row_b[ib++] = b[y - 1];
            y--;
        }
    }
    for (; ia < 2 * LENGTH; ia++)
        row_a[ia] = '_';
    for (; ib < 2 * LENGTH; ib++)
        row_b[ib] = '_';
}

static search searched = {.pattern = "abab"};
static char first[LENGTH + 1] = "tcgacgaaataggatgacagcacgttctcgta", second[LENGTH + 1] = "ttcgagggcgcgtgtcgcggtccatcgacatg";
static char row_a[2 * LENGTH], row_b[2 * LENGTH], ways[WIDE * WIDE];
static int scores[WIDE * WIDE];

int main(void)
{
    int i;

    for (i = 0; i < TEXT; i++)
        searched.text[i] = i % 7 < 5 ? "abab"[i % 4] : 'a' + i % 3;
    find(&searched);
    align(first, second, row_a, row_b, scores, ways);
    printf("%d matches, %.64s %.64s %d\n", searched.matches, row_a, row_b, scores[WIDE * WIDE - 1]);
    return searched.matches == 0 || memcmp(row_a, row_b, sizeof row_a) == 0;
}
