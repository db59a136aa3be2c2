/* SPDX-License-Identifier: Apache-2.0 */
/* C++: a class with an operator, references */
struct Grid {
    double values[600];
    double &operator()(int y, int x) { return values[60 * y + x]; }
    const double &operator()(int y, int x) const { return values[60 * y + x]; }
};

extern "C" void stencil5(const Grid &in, Grid &out)
{
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 59; x++)
            out(y, x) = 0.2 * (in(y, x) + in(y - 1, x) + in(y + 1, x) + in(y, x - 1) + in(y, x + 1));
}

extern "C" void call(const void *in, void *out)
{
    stencil5(*static_cast<const Grid *>(in), *static_cast<Grid *>(out));
}
