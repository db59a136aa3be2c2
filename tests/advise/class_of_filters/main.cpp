// SPDX-License-Identifier: Apache-2.0
/* A filter as a class, in a namespace. */
#include <cstdint>
#include <cstdio>
namespace dsp {
const int TAPS = 48;
void fir(const int16_t *in, int32_t *out, const int16_t *taps, int n)
{
    for (int i = 0; i < n; i++) {
        int32_t s = 0;
        for (int k = 0; k < TAPS; k++)
            s += in[i + k] * taps[k];
        out[i] = s >> 4;
    }
}
struct Filter {
    int16_t taps[TAPS];
    Filter()
    {
        for (int k = 0; k < TAPS; k++)
            taps[k] = int16_t(k * 331 - 5000);
    }
    void run(const int16_t *in, int32_t *out, int n) const
    {
        fir(in, out, taps, n);
    }
};
} // namespace dsp
static int16_t in[200048];
static int32_t out[200000];
int main()
{
    dsp::Filter filter;
    for (int i = 0; i < 200048; i++)
        in[i] = int16_t(i * 7919);
    for (int i = 0; i < 3; i++)
        filter.run(in, out, 200000);
    std::printf("%d\n", out[100]);
    return 0;
}
