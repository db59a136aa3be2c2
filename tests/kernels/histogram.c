/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem extent(counts, 64 * 4)

void histogram(const unsigned char *pixels, unsigned int *counts, int n)
{
    int i;

    for (i = 0; i < n; i++)
        counts[pixels[i] >> 2]++;
}
