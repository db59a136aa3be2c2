/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

/* A checksum of one array, logged step by step, then used on another one. */
void two_passes(const uint8_t *a, uint32_t *log, const uint16_t *b, uint16_t *out, int n, int m)
{
    uint32_t sum = 0;
    int i;

    for (i = 0; i < n; i++) {
        sum = (sum << 1 | sum >> 31) + a[i];
        log[i] = sum;
    }
    for (i = 0; i < m; i++)
        out[i] = b[i] * sum / 7;
}
