// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void move(words *from, words *to, words *other, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        words_write(i & 1 ? to : other, words_read(from));
}
static void give(words *s) { words_write(s, 1); }
static void take(uint32_t *x, words *s) { *x = words_read(s); }
void top(uint32_t x[1], uint32_t y[1], uint32_t n)
{
    words a = {0}, b = {0}, c = {0};
    tandem_start(give(&a));
    tandem_start(move(&a, &b, &c, n));
    tandem_start(take(x, &b));
    tandem_start(take(y, &c));
    tandem_join();
}
