// SPDX-License-Identifier: Apache-2.0
// offload: gesummv
#define N 30
void gesummv(double alpha, double beta, double A[N][N], double B[N][N], double tmp[N], double x[N], double y[N]) {
  for (int i = 0; i < N; i++) {
    tmp[i] = 0.0; y[i] = 0.0;
    for (int j = 0; j < N; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}
