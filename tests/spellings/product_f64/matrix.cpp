/* SPDX-License-Identifier: Apache-2.0 */
/* C++: references to arrays of arrays */
#include <array>
using Matrix = std::array<std::array<double, 40>, 40>;

extern "C" void product_f64(const Matrix &a, const Matrix &b, Matrix &c)
{
    for (std::size_t i = 0; i < a.size(); i++) {
        c[i].fill(0);
        for (std::size_t k = 0; k < b.size(); k++)
            for (std::size_t j = 0; j < b[k].size(); j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}

extern "C" void call(const void *in, void *out)
{
    auto *both = static_cast<const Matrix *>(in);
    product_f64(both[0], both[1], *static_cast<Matrix *>(out));
}
