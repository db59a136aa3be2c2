// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void left(words *a, words *b)
{
    for (uint32_t i = 0; i < 4; i++)
        words_write(b, words_read(a));
}
static void right(words *a, words *b)
{
    for (uint32_t i = 0; i < 4; i++)
        words_write(b, words_read(a) + 1);
}
void top(void)
{
    words a = {0}, b = {0};
    tandem_start(left(&a, &b));
    tandem_start(right(&b, &a));
    tandem_join();
}
