// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void give(words *s) { words_write(s, 1); }
static void take(uint32_t *x, words *s) { *x = words_read(s); }
void top(uint32_t x[1])
{
    words s = {0};
    tandem_start(give(&s));
    tandem_start(take(x, &s));
}
