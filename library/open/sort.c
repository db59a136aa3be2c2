/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting in place. Which of two elements that compare alike comes first, ISO C leaves open. */
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef int order(const void *, const void *);

#define SWAP(word)                                                                                 \
    for (size_t i = 0; i < size; i += sizeof(word)) {                                              \
        word x, y;                                                                                 \
        memcpy(&x, a + i, sizeof x);                                                               \
        memcpy(&y, b + i, sizeof y);                                                               \
        memcpy(a + i, &y, sizeof y);                                                               \
        memcpy(b + i, &x, sizeof x);                                                               \
    }

/* In the largest words that an element is made of: a memory is as wide as its narrowest access. */
INLINE void swap(char *a, char *b, size_t size)
{
    if (size % 8 == 0)
        SWAP(uint64_t)
    else if (size % 4 == 0)
        SWAP(uint32_t)
    else if (size % 2 == 0)
        SWAP(uint16_t)
    else
        SWAP(uint8_t)
}

/* Sorts by a heap: n log n comparisons at most, and no memory of its own. First every element finds
 * its place below larger ones, then the largest goes behind the others again and again. */
void qsort(void *base, size_t count, size_t size, order *compare)
{
    char *first = base;
    size_t unplaced = count / 2, end = count;
    while (end > 1) {
        if (unplaced)
            unplaced--;
        else
            swap(first, first + --end * size, size);
        size_t at = unplaced;
        for (size_t below = 2 * at + 1; below < end; below = 2 * at + 1) {
            if (below + 1 < end && compare(first + below * size, first + (below + 1) * size) < 0)
                below++;
            if (compare(first + at * size, first + below * size) >= 0)
                break;
            swap(first + at * size, first + below * size, size);
            at = below;
        }
    }
}
