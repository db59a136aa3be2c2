/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem extent(out, 4 * out[0])
void top(unsigned *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = i;
}
