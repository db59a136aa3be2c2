/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

int popcount(uint64_t word)
{
    int count = 0;

    for (; word; word &= word - 1)
        count++;
    return count;
}
