/* SPDX-License-Identifier: Apache-2.0 */
/* offload: merge_sort */
/* offload: radix_sort */
/* Merge sort of runs that double, from one array to another and back through pointers that change
   places, and radix sort with a histogram of each block in a struct. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIZE 64

typedef int32_t word;

/* joins two sorted runs, of which the second may be empty */
static void merge(const word *from, word *to, int start, int middle, int stop)
{
    const word *left = from + start, *right = from + middle;
    int k;

    for (k = start; k < stop; k++)
        to[k] = right == from + stop || (left != from + middle && *left <= *right) ? *left++ : *right++;
}

void merge_sort(word a[SIZE])
{
    word apart[SIZE];
    word *from = a, *to = apart, *other;
    int length, start;

    for (length = 1; length < SIZE; length *= 2) {
        for (start = 0; start < SIZE; start += 2 * length)
            merge(from, to, start, start + length, start + 2 * length);
        other = from;
        from = to;
        to = other;
    }
    if (from != a)
        for (start = 0; start < SIZE; start++)
            a[start] = from[start];
}

enum { DIGIT_BITS = 2, DIGITS = 1 << DIGIT_BITS, BLOCK = 8, BLOCKS = SIZE / BLOCK };

struct histogram {
    word of_block[DIGITS][BLOCKS];
    word of_all[DIGITS];
};

static int digit(word x, int shift)
{
    return x >> shift & (DIGITS - 1);
}

static void count(struct histogram *h, const word a[SIZE], int shift)
{
    int i;
    memset(h, 0, sizeof *h);
    for (i = 0; i < SIZE; i++) {
        h->of_block[digit(a[i], shift)][i / BLOCK]++;
        h->of_all[digit(a[i], shift)]++;
    }
}

/* counts become places: of a digit behind all lower ones, of a block behind those before it */
static void add_up(struct histogram *h)
{
    int d, b;
    word at = 0;

    for (d = 0; d < DIGITS; d++) {
        word behind = at + h->of_all[d];
        for (b = 0; b < BLOCKS; b++) {
            word n = h->of_block[d][b];
            h->of_block[d][b] = at;
            at += n;
        }
        at = behind;
    }
}

static void distribute(word to[SIZE], struct histogram *h, const word from[SIZE], int shift)
{
    int b, i;
    for (b = 0; b < BLOCKS; b++)
        for (i = b * BLOCK; i < (b + 1) * BLOCK; i++)
            to[h->of_block[digit(from[i], shift)][b]++] = from[i];
}

void radix_sort(word a[SIZE], word b[SIZE], struct histogram *h)
{
    int shift, in_b = 0;

    for (shift = 0; shift < 32; shift += DIGIT_BITS) {
        count(h, in_b ? b : a, shift);
        add_up(h);
        if (in_b)
            distribute(a, h, b, shift);
        else
            distribute(b, h, a, shift);
        in_b = !in_b;
    }
}

static word one[SIZE], two[SIZE], other[SIZE];
static struct histogram histogram;

int main(void)
{
    int i, wrong = 0;
    uint32_t random = 5;

    for (i = 0; i < SIZE; i++) {
        random = random * 1664525 + 1013904223;
        one[i] = two[i] = random >> 2;
    }
    merge_sort(one);
    radix_sort(two, other, &histogram);
    for (i = 0; i < SIZE; i++)
        wrong += one[i] != two[i] || (i && one[i] < one[i - 1]);
    printf("%d wrong, %d %d\n", wrong, one[0], one[SIZE - 1]);
    return wrong;
}
