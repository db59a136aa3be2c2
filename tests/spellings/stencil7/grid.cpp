/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a class with an operator */
class Grid {
    int values[6 * 8 * 40];

  public:
    int &at(int z, int y, int x) { return values[(z * 8 + y) * 40 + x]; }
    int at(int z, int y, int x) const { return values[(z * 8 + y) * 40 + x]; }
};

extern "C" void stencil7(const Grid &in, Grid &out)
{
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++)
                out.at(z, y, x) = in.at(z - 1, y, x) + in.at(z + 1, y, x) + in.at(z, y - 1, x) + in.at(z, y + 1, x)
                                  + in.at(z, y, x - 1) + in.at(z, y, x + 1) - 6 * in.at(z, y, x);
}

extern "C" void call(const void *in, void *out)
{
    stencil7(*static_cast<const Grid *>(in), *static_cast<Grid *>(out));
}
