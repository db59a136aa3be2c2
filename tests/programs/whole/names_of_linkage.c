/* SPDX-License-Identifier: Apache-2.0 */
/* offload: common */
/* offload: weak */
/* names that are words of LLVM's before a function's name */
#include <stdint.h>
#include <stdio.h>

typedef struct {
    int32_t low, high;
} span;

int32_t common(int32_t hidden, int32_t internal)
{
    return hidden * internal + 1;
}

span weak(span private, int32_t protected)
{
    return (span){private.low * protected, private.high - protected};
}

int main(void)
{
    for (int32_t i = 0; i < 4; i++) {
        span s = weak((span){i, 3 * i}, 5);
        printf("%d %d %d\n", common(i, 7), s.low, s.high);
    }
    return 0;
}
