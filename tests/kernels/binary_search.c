/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem extent(keys, 4 * count)

/* The first key not below `wanted`, or `count`. */
int binary_search(const int *keys, int count, int wanted)
{
    int low = 0, high = count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (keys[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
