// SPDX-License-Identifier: Apache-2.0
// offload: net
// refused: deadlock
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void left(words *a, words *b) { for (uint32_t i = 0; i < 4; i++) words_write(b, words_read(a)); }
static void right(words *a, words *b) { for (uint32_t i = 0; i < 4; i++) words_write(b, words_read(a)); }
void net(uint32_t n) {
    words a = {0}, b = {0};
    tandem_start(left(&a, &b));
    tandem_start(right(&b, &a));
    tandem_join();
}
int main(void) { net(3); return 0; }
