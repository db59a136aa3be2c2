/* SPDX-License-Identifier: Apache-2.0 */
void top(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[in[i]] += 1;
}
