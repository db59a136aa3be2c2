/* SPDX-License-Identifier: Apache-2.0 */
/* arrays that are exchanged */
#include <stdint.h>
#include <array>
#include <utility>

extern "C" void changing_places(const uint32_t *in, uint32_t *out)
{
    std::array<uint32_t, 256> one, other;
    auto *from = &one, *to = &other;
    for (unsigned i = 0; i < 256; i++)
        one[i] = in[i], other[i] = 7;
    for (unsigned round = 0; round < 8; round++) {
        for (unsigned i = 0; i < 256; i++)
            (*to)[((*from)[i] + 5 * i) & 255] = (*from)[i] + round;
        std::swap(from, to);
    }
    for (unsigned i = 0; i < 256; i++)
        out[i] = (*from)[i];
}

extern "C" void call(const void *in, void *out)
{
    changing_places(static_cast<const uint32_t *>(in), static_cast<uint32_t *>(out));
}
