// SPDX-License-Identifier: Apache-2.0
// offload: base_pairs
// iterations: 34220
/* as many as match in a folded string, after Nussinov */
#include "numbers.h"

enum { N = 60 };
#define MOST(a, b) ((a) >= (b) ? (a) : (b))

void base_pairs(char base[N], int table[N][N])
{
    for (int i = N - 1; i >= 0; i--)
        for (int j = i + 1; j < N; j++) {
            if (j - 1 >= 0)
                table[i][j] = MOST(table[i][j], table[i][j - 1]);
            if (i + 1 < N)
                table[i][j] = MOST(table[i][j], table[i + 1][j]);
            if (j - 1 >= 0 && i + 1 < N) {
                if (i < j - 1)
                    table[i][j] = MOST(table[i][j], table[i + 1][j - 1] + (base[i] + base[j] == 3));
                else
                    table[i][j] = MOST(table[i][j], table[i + 1][j - 1]);
            }
            for (int k = i + 1; k < j; k++)
                table[i][j] = MOST(table[i][j], table[i][k] + table[k + 1][j]);
        }
}

int main(void)
{
    static char base[N];
    static int table[N][N];
    static double sum[N];
    for (int i = 0; i < N; i++)
        base[i] = (i * i + 3 * i) / 5 % 4;
    base_pairs(base, table);
    for (int i = 0; i < N; i++)
        sum[i] = table[i][N - 1];
    return told(sum, sizeof sum);
}
