/* SPDX-License-Identifier: Apache-2.0 */
/* C++: references and a function of its own for the lesser */
template <typename T>
static const T &lesser(const T &a, const T &b)
{
    return b < a ? b : a;
}

extern "C" void shortest_paths(int (&d)[28][28])
{
    for (int k = 0; k < 28; k++)
        for (auto &row : d)
            for (int j = 0; j < 28; j++)
                row[j] = lesser(row[j], row[k] + d[k][j]);
}

extern "C" void call(const void *in, void *out)
{
    __builtin_memcpy(out, in, 28 * 28 * 4);
    shortest_paths(*static_cast<int (*)[28][28]>(out));
}
