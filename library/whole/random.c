/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers as the GNU C library makes them: an additive generator of 31 words (D. E. Knuth, The
 * Art of Computer Programming, volume 2, 3.2.2; x^31 + x^3 + 1), which the generator of S. K. Park and
 * K. W. Miller ("Random number generators: good ones are hard to find", 1988) seeds. */
#include <stdint.h>
#include <stdlib.h>

#define WORDS 31
#define APART 3
#define DROPPED 310 /* numbers behind each seed */

static uint32_t words[WORDS];
static uint32_t last; /* of the word that was made last but 30; 0 before the first seed, too */
static uint32_t is_seeded;

static uint32_t next_number(void)
{
    const uint32_t ahead = last + APART < WORDS ? last + APART : last + APART - WORDS;
    const uint32_t sum = words[ahead] + words[last];
    words[ahead] = sum;
    last = last + 1 < WORDS ? last + 1 : 0;
    return sum >> 1;
}

void srandom(unsigned seed)
{
    int64_t word = seed ? (int32_t)seed : 1;
    for (int i = 0; i < WORDS; i++) {
        words[i] = (uint32_t)word;
        const int64_t high = word / 127773, low = word % 127773;
        word = 16807 * low - 2836 * high;
        word = word < 0 ? word + 2147483647 : word;
    }
    last = 0;
    is_seeded = 1;
    for (int i = 0; i < DROPPED; i++)
        next_number();
}

long random(void)
{
    if (!is_seeded)
        srandom(1);
    return (long)next_number();
}

void srand(unsigned seed)
{
    srandom(seed);
}

int rand(void)
{
    return (int)random();
}
