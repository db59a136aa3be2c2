/* SPDX-License-Identifier: Apache-2.0 */
static const float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};
unsigned top(unsigned i)
{
    return (unsigned)table[i & 3];
}
