/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a class with an operator */
template <int N>
struct Matrix {
    int at[N][N];
    int &operator()(int i, int j) { return at[i][j]; }
    int operator()(int i, int j) const { return at[i][j]; }
};
using M = Matrix<20>;

extern "C" void product(const M &a, const M &b, M &c)
{
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            int sum = 0;
            for (int k = 0; k < 20; k++)
                sum += a(i, k) * b(k, j);
            c(i, j) = sum;
        }
}

extern "C" void call(const void *in, void *out)
{
    auto *both = static_cast<const M *>(in);
    product(both[0], both[1], *static_cast<M *>(out));
}
