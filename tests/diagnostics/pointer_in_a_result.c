/* SPDX-License-Identifier: Apache-2.0 */
struct found { const unsigned *at; unsigned left; };

struct found top(const unsigned *in, unsigned n)
{
    while (n && *in)
        in++, n--;
    return (struct found){in, n};
}
