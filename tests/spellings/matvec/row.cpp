/* SPDX-License-Identifier: Apache-2.0 */
/* C++: references to rows */
extern "C" void matvec(const int (&a)[16][24], const int (&x)[24], int (&y)[16])
{
    int *to = y;
    for (const auto &row : a) {
        auto p = x;
        *to = 0;
        for (int value : row)
            *to += value * *p++;
        ++to;
    }
}

extern "C" void call(const void *in, void *out)
{
    auto *numbers = static_cast<const int *>(in);
    matvec(*reinterpret_cast<const int (*)[16][24]>(numbers), *reinterpret_cast<const int (*)[24]>(numbers + 384),
           *static_cast<int (*)[16]>(out));
}
