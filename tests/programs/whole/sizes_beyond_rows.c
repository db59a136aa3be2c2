/* SPDX-License-Identifier: Apache-2.0 */
/* offload: scale */
/* offload: triangle */
/* served: 3 */
/* served: 2 */
/* numbers that are greater than the rows of an array are long, or with which there is nothing to do: such calls are
   the host's */
#include <stdio.h>
#define N 12
void scale(int n, double a[N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = a[i][j] * 2 + a[i][0] + i;
}
void triangle(unsigned n, int a[][N])
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = k + 1; i < n; i++)
            for (unsigned j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
}
int main(void)
{
    static double a[3 * N][N];
    static int b[3 * N][N];
    static const int sizes[] = {5, 0, -3, N, 17, 1, N + 1};
    double sum = 0;
    long long total = 0;
    for (int i = 0; i < 3 * N * N; i++)
        a[0][i] = i % 7, b[0][i] = i % 5;
    for (int k = 0; k < 7; k++)
        scale(sizes[k], a);
    for (int k = 0; k < 7; k++)
        if (sizes[k] > 0)
            triangle(sizes[k], b);
    for (int i = 0; i < 3 * N * N; i++)
        sum += a[0][i] * (i % 11), total = total * 31 + b[0][i];
    printf("%.17g %lld\n", sum, total);
    return 0;
}
