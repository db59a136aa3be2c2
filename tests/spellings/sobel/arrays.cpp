/* SPDX-License-Identifier: Apache-2.0 */
/* C++: references to arrays of arrays */
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
using Image = std::array<std::array<uint8_t, 40>, 12>;

extern "C" void sobel(const Image &in, Image &out)
{
    for (std::size_t y = 1; y < in.size() - 1; y++)
        for (std::size_t x = 1; x < in[y].size() - 1; x++) {
            const auto &above = in[y - 1], &here = in[y], &below = in[y + 1];
            int h = above[x + 1] + 2 * here[x + 1] + below[x + 1] - above[x - 1] - 2 * here[x - 1] - below[x - 1];
            int v = below[x - 1] + 2 * below[x] + below[x + 1] - above[x - 1] - 2 * above[x] - above[x + 1];
            out[y][x] = std::min(std::abs(h) + std::abs(v), 255);
        }
}

extern "C" void call(const void *in, void *out)
{
    sobel(*static_cast<const Image *>(in), *static_cast<Image *>(out));
}
