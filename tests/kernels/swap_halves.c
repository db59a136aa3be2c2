/* SPDX-License-Identifier: Apache-2.0 */
/* In place, from both ends towards the middle. */
#pragma tandem extent(words, 2 * (unsigned)n)

void swap_halves(unsigned short *words, int n)
{
    int low, high;

    for (low = 0, high = n - 1; low < high; low++, high--) {
        unsigned short kept = words[low];

        words[low] = words[high];
        words[high] = kept;
    }
}
