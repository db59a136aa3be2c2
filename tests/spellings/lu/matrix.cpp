/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a class with an operator */
struct Matrix {
    double values[24][24];
    double &operator()(int i, int j) { return values[i][j]; }
};

extern "C" void lu(Matrix &a)
{
    for (int k = 0; k < 24; k++)
        for (int i = k + 1; i < 24; i++) {
            a(i, k) /= a(k, k);
            for (int j = k + 1; j < 24; j++)
                a(i, j) -= a(i, k) * a(k, j);
        }
}

extern "C" void call(const void *in, void *out)
{
    __builtin_memcpy(out, in, 576 * 8);
    lu(*static_cast<Matrix *>(out));
}
