/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* a body of 512 sums, each of the one before: deeper than Python's stack where one calls itself */
#include <stdint.h>
#include <stdio.h>
#define ONE(k) s += x ^ (k);
#define FOUR(k) ONE(k) ONE(k * 3u + 1u) ONE(k * 5u + 2u) ONE(k * 7u + 3u)
#define SIXTEEN(k) FOUR((k)) FOUR((k * 11u)) FOUR((k * 13u)) FOUR((k * 17u))
#define SIXTY_FOUR(k) SIXTEEN(k) SIXTEEN((k + 1u)) SIXTEEN((k + 2u)) SIXTEEN((k + 3u))

uint32_t f(const uint32_t *a, uint32_t n)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = a[i] + s;
        SIXTY_FOUR(1100u) SIXTY_FOUR(21u) SIXTY_FOUR(31u) SIXTY_FOUR(41u)
        SIXTY_FOUR(51u) SIXTY_FOUR(61u) SIXTY_FOUR(71u) SIXTY_FOUR(81u)
    }
    return s;
}

int main(void)
{
    uint32_t a[3] = {1, 2, 3};
    printf("%u\n", f(a, 3));
    return 0;
}
