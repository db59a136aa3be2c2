/* SPDX-License-Identifier: Apache-2.0 */
/* C++: iterators of a template */
#include <stdint.h>

template <typename It, typename T>
static It other_than(It from, It end, const T &value)
{
    while (from != end && *from == value)
        ++from;
    return from;
}

extern "C" int run_lengths(const uint8_t (&in)[256], uint8_t (&values)[256], uint16_t (&lengths)[256])
{
    int runs = 0;
    for (auto *p = in, *end = in + 256; p != end; runs++) {
        const uint8_t value = *p;
        auto *next = other_than(p, end, value);
        values[runs] = value;
        lengths[runs] = next - p;
        p = next;
    }
    return runs;
}

extern "C" void call(const void *in, void *out)
{
    auto *to = static_cast<uint8_t *>(out);
    auto &values = *reinterpret_cast<uint8_t(*)[256]>(to + 4);
    auto &lengths = *reinterpret_cast<uint16_t(*)[256]>(to + 260);
    *static_cast<int *>(out) = run_lengths(*static_cast<const uint8_t(*)[256]>(in), values, lengths);
}
