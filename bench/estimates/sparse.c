// SPDX-License-Identifier: Apache-2.0
// offload: sparse
/* A sparse matrix of whole numbers times a vector, with sums that stay at their ends. */
#include <stdint.h>

void sparse(const int32_t *values, const uint16_t *columns, const uint32_t *rows, const int32_t *vector, int32_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        int64_t sum = 0;
        for (uint32_t k = rows[i]; k < rows[i + 1]; k++)
            sum += (int64_t)values[k] * vector[columns[k]];
        sum >>= 16;
        out[i] = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    }
}
