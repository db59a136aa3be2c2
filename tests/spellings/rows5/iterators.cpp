/* SPDX-License-Identifier: Apache-2.0 */
/* C++: iterators and a standard algorithm */
#include <array>
#include <cstdint>
#include <numeric>
using Row = std::array<int32_t, 48>;
static constexpr std::array<int32_t, 5> taps = {1, 4, 6, 4, 1};

extern "C" void rows5(const std::array<Row, 8> &in, std::array<Row, 8> &out)
{
    auto to = out.begin();
    for (const Row &row : in) {
        auto p = row.begin();
        for (auto q = to->begin() + 2; q != to->end() - 2; ++p, ++q)
            *q = std::inner_product(taps.begin(), taps.end(), p, 0);
        ++to;
    }
}

extern "C" void call(const void *in, void *out)
{
    using Image = std::array<Row, 8>;
    rows5(*static_cast<const Image *>(in), *static_cast<Image *>(out));
}
