// SPDX-License-Identifier: Apache-2.0
// offload: seidel
#define N 40
#define T 2
void seidel(double A[N][N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i <= N - 2; i++)
      for (int j = 1; j <= N - 2; j++)
        A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1] + A[i][j-1] + A[i][j] + A[i][j+1]
                 + A[i+1][j-1] + A[i+1][j] + A[i+1][j+1]) / 9.0;
}
