/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem overlap(from, n)
void top(const unsigned *from, unsigned *to, unsigned n, const char **what)
{
    *what = n ? "some" : "none";
    for (unsigned i = 0; i < n; i++)
        to[i] = from[i];
}
