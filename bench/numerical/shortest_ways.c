// SPDX-License-Identifier: Apache-2.0
// offload: shortest_ways
// iterations: 216000
/* between all pairs of nodes, after Floyd and Warshall */
#include "numbers.h"

enum { N = 60 };

SIZED void shortest_ways(int n, int way[N][N])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                way[i][j] = way[i][j] < way[i][k] + way[k][j] ? way[i][j] : way[i][k] + way[k][j];
}

int main(void)
{
    static int way[N][N];
    static double sum[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            way[i][j] = (i * j % 7 + 1) * ((i + j) % 13 ? 1 : 99);
    shortest_ways(N, way);
    for (int i = 0; i < N; i++)
        sum[i] = way[i][(i * 7 + 3) % N];
    return told(sum, sizeof sum);
}
