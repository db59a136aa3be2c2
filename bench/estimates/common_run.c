// SPDX-License-Identifier: Apache-2.0
// offload: common_run
/* The longest subsequence that two texts have in common, by one row of a table. */
#include <stdint.h>
#define N 128

int common_run(const uint8_t a[N], const uint8_t b[N])
{
    uint8_t row[N + 1];
    for (int j = 0; j <= N; j++)
        row[j] = 0;
    for (int i = 0; i < N; i++) {
        uint8_t before = 0;
        for (int j = 1; j <= N; j++) {
            uint8_t above = row[j];
            if (a[i] == b[j - 1])
                row[j] = before + 1;
            else if (row[j - 1] > above)
                row[j] = row[j - 1];
            before = above;
        }
    }
    return row[N];
}
