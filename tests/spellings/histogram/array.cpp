/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a loop over a range */
#include <array>
#include <cstdint>

extern "C" void histogram(const std::array<uint8_t, 256> &in, std::array<uint32_t, 256> &counts)
{
    counts.fill(0);
    for (auto value : in)
        counts[value]++;
}

extern "C" void call(const void *in, void *out)
{
    histogram(*static_cast<const std::array<uint8_t, 256> *>(in), *static_cast<std::array<uint32_t, 256> *>(out));
}
