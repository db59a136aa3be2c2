// SPDX-License-Identifier: Apache-2.0
// offload: insertion
/* An insertion sort of records by key, of keys that are equal by number. */
#include <stdint.h>

struct record {
    int16_t key, number;
    int32_t value;
};

void insertion(struct record *a, int n)
{
    for (int i = 1; i < n; i++) {
        struct record r = a[i];
        int j = i;
        while (j > 0 && (a[j - 1].key > r.key || (a[j - 1].key == r.key && a[j - 1].number > r.number))) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = r;
    }
}
