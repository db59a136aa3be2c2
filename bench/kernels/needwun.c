// SPDX-License-Identifier: Apache-2.0
// offload: needleman_wunsch
/* Needleman-Wunsch global alignment of two sequences of up to 64 characters, with traceback. */
#include <stdio.h>
#include <string.h>

#define MAX 64
#define MATCH 2
#define MISMATCH (-1)
#define GAP (-2)

enum { DIAG, UP, LEFT };

/* Writes the two aligned rows ('-' for gaps), their common length to *len; returns the score. */
int needleman_wunsch(const char *a, int n, const char *b, int m, char row_a[2 * MAX], char row_b[2 * MAX], int *len)
{
    int score[MAX + 1][MAX + 1];
    unsigned char from[MAX + 1][MAX + 1];
    int i, j, k = 0;

    for (i = 0; i <= n; i++) {
        score[i][0] = i * GAP;
        from[i][0] = UP;
    }
    for (j = 1; j <= m; j++) {
        score[0][j] = j * GAP;
        from[0][j] = LEFT;
    }
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) {
            int best = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
            int up = score[i - 1][j] + GAP, left = score[i][j - 1] + GAP;
            from[i][j] = DIAG;
            if (up > best) {
                best = up;
                from[i][j] = UP;
            }
            if (left > best) {
                best = left;
                from[i][j] = LEFT;
            }
            score[i][j] = best;
        }

    i = n;
    j = m;
    while (i > 0 || j > 0) {            /* backwards, then reversed below */
        int dir = from[i][j];
        row_a[k] = dir == LEFT ? '-' : a[i - 1];
        row_b[k] = dir == UP ? '-' : b[j - 1];
        if (dir != LEFT)
            i--;
        if (dir != UP)
            j--;
        k++;
    }
    for (i = 0, j = k - 1; i < j; i++, j--) {
        char t = row_a[i];
        row_a[i] = row_a[j];
        row_a[j] = t;
        t = row_b[i];
        row_b[i] = row_b[j];
        row_b[j] = t;
    }
    *len = k;
    return score[n][m];
}

static int best_of_suffixes(const char *a, int n, const char *b, int m)    /* other direction, one row */
{
    int row[MAX + 1];
    for (int j = 0; j <= m; j++)
        row[j] = (m - j) * GAP;
    for (int i = n - 1; i >= 0; i--) {
        int diag = row[m];
        row[m] += GAP;
        for (int j = m - 1; j >= 0; j--) {
            int s = diag + (a[i] == b[j] ? MATCH : MISMATCH);
            diag = row[j];
            row[j] = (row[j] > row[j + 1] ? row[j] : row[j + 1]) + GAP;
            if (s > row[j])
                row[j] = s;
        }
    }
    return row[0];
}

int main(void)
{
    char a[MAX], b[MAX], ra[2 * MAX], rb[2 * MAX];
    unsigned seed = 17;

    for (int t = 0; t < 3; t++) {
        int n = t == 2 ? 37 : MAX, m = MAX, len = 0, i = 0, j = 0, sum = 0, bad = 0;
        for (int k = 0, s = 0; k < MAX; k++) {  /* b: a with substitutions, deletions, insertions */
            seed = seed * 1664525u + 1013904223u;
            a[k] = "ACGT"[seed >> 30];
            b[k] = t == 1 || (seed >> 20 & 7) == 0 ? "ACGT"[seed >> 24 & 3] : a[s];
            s += (seed >> 16 & 15) == 0 && s < k ? 2 : (seed >> 16 & 15) == 1 ? 0 : s < k;
        }
        int got = needleman_wunsch(a, n, b, m, ra, rb, &len);
        int want = best_of_suffixes(a, n, b, m);
        for (int k = 0; k < len; k++) {         /* the rows must spell a and b and earn the score */
            if (ra[k] == '-' || rb[k] == '-')
                sum += GAP;
            else
                sum += ra[k] == rb[k] ? MATCH : MISMATCH;
            if (ra[k] != '-')
                bad |= i >= n || ra[k] != a[i++];
            if (rb[k] != '-')
                bad |= j >= m || rb[k] != b[j++];
        }
        if (bad || i != n || j != m || sum != want || got != want) {
            printf("case %d: score %d want %d, rows give %d (%d of %d, %d of %d)\n", t, got, want, sum, i, n, j, m);
            return 1;
        }
    }
    printf("ok\n");
    return 0;
}
