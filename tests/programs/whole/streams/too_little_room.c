// SPDX-License-Identifier: Apache-2.0
// offload: net
// stops: waits for room in `b`
// deadlock for want of room: needs 40 records of `b` before the first of `a`
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void left(const uint32_t *in, uint32_t n, words *a, words *b) {
    for (uint32_t i = 0; i < n; i++) words_write(b, in[i]);
    for (uint32_t i = 0; i < n; i++) words_write(a, in[i] + 1);
}
static void right(words *a, words *b, uint32_t *out, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) out[i] = words_read(a) * words_read(b);
}
void net(const uint32_t *in, uint32_t *out, uint32_t n) {
    words a = {0}, b = {0};
    words_depth(&b, 8);
    tandem_start(left(in, n, &a, &b));
    tandem_start(right(&a, &b, out, n));
    tandem_join();
}
int main(void) {
    static uint32_t in[64], out[64];
    for (int i = 0; i < 64; i++) in[i] = i * 7919;
    net(in, out, 8);
    net(in, out, 50);
    printf("%u\n", out[49]);
    return 0;
}
