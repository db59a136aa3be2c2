/* SPDX-License-Identifier: Apache-2.0 */
/* C++: references to rows */
extern "C" void tmatvec(const int (&a)[24][24], const int (&x)[24], int (&y)[24])
{
    for (auto &sum : y)
        sum = 0;
    auto factor = x;
    for (const auto &row : a) {
        for (int j = 0; j < 24; j++)
            y[j] += row[j] * *factor;
        ++factor;
    }
}

extern "C" void call(const void *in, void *out)
{
    auto *numbers = static_cast<const int *>(in);
    tmatvec(*reinterpret_cast<const int (*)[24][24]>(numbers), *reinterpret_cast<const int (*)[24]>(numbers + 576),
            *static_cast<int (*)[24]>(out));
}
