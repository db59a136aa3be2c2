// SPDX-License-Identifier: Apache-2.0
// offload: net
// merge of two sorted streams with peeking, reconvergent paths
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void feed(const uint32_t *in, uint32_t n, words *out) {
    for (uint32_t i = 0; i < n; i++) words_write(out, in[i]);
    words_write(out, 0xffffffffu);
}
static void merge(words *a, words *b, words *out) {
    for (;;) {
        uint32_t x = words_peek(a), y = words_peek(b), z = x < y ? x : y;
        if (z == 0xffffffffu) break;
        if (x == z) words_read(a); 
        if (y == z) words_read(b);
        words_write(out, z);
    }
    words_close(out);
}
static void keep(words *in, uint32_t *out, uint32_t *count) {
    uint32_t x, k = 0;
    while (words_next(in, &x)) out[k++] = x;
    *count = k;
}
#pragma tandem extent(out, 512)
void net(const uint32_t *in1, const uint32_t *in2, uint32_t n, uint32_t *out, uint32_t *count) {
    words a = {0}, b = {0}, c = {0};
    tandem_start(feed(in1, n, &a));
    tandem_start(feed(in2, n, &b));
    tandem_start(merge(&a, &b, &c));
    tandem_start(keep(&c, out, count));
    tandem_join();
}
int main(void) {
    uint32_t a[50], b[50], o[128], c = 0;
    for (int i = 0; i < 50; i++) a[i] = i * 3, b[i] = i * 5;
    net(a, b, 50, o, &c);
    uint32_t s = 0;
    for (uint32_t i = 0; i < c; i++) s = s * 31 + o[i];
    printf("%u %u\n", c, s);
    return 0;
}
