// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void give(const uint32_t *x, words *s) { words_write(s, x[0]); }
static void take(uint32_t *y, words *s) { y[0] = words_read(s); }
#pragma tandem overlap(x, y)
void top(uint32_t x[1], uint32_t y[1])
{
    words s = {0};
    tandem_start(give(x, &s));
    tandem_start(take(y, &s));
    tandem_join();
}
