/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a standard algorithm over iterators */
#include <array>
#include <cstdint>
#include <numeric>

extern "C" void fir(const std::array<int16_t, 135> &in, const std::array<int16_t, 8> &taps,
                    std::array<int32_t, 128> &out)
{
    auto x = in.begin();
    for (int32_t &sum : out)
        sum = std::inner_product(taps.begin(), taps.end(), x++, int32_t{0});
}

extern "C" void call(const void *in, void *out)
{
    auto *samples = static_cast<const int16_t *>(in);
    fir(*reinterpret_cast<const std::array<int16_t, 135> *>(samples),
        *reinterpret_cast<const std::array<int16_t, 8> *>(samples + 135),
        *static_cast<std::array<int32_t, 128> *>(out));
}
