// SPDX-License-Identifier: Apache-2.0
// offload: net
// chain of three equal stages, a filter with conditional writes, multi-word records, reduction
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
typedef struct { int32_t x; uint16_t tag; uint8_t w[9]; } item;
TANDEM_STREAM(items, item)
TANDEM_STREAM(words, uint32_t)
static void source(const int32_t *in, uint32_t n, items *out) {
    for (uint32_t i = 0; i < n; i++) {
        item it = {in[i], (uint16_t)i, {1,2,3,4,5,6,7,8,(uint8_t)in[i]}};
        items_write(out, it);
    }
    items_close(out);
}
static void stage(items *in, items *out, int k) {
    item it;
    while (items_next(in, &it)) {
        it.x = it.x * 7 + k;
        if (it.x & 3) items_write(out, it);
    }
    items_close(out);
}
static void split(items *in, words *a, words *b) {
    item it;
    while (items_next(in, &it)) {
        if (it.x > 0) words_write(a, (uint32_t)it.x + it.w[8]);
        else words_write(b, it.tag);
    }
    words_close(a); words_close(b);
}
static void sum(words *in, uint32_t *out) {
    uint32_t v, s = 0, c = 0;
    while (words_next(in, &v)) { s = s * 31 + v; c++; }
    out[0] = s; out[1] = c;
}
void net(const int32_t *in, uint32_t n, uint32_t *ra, uint32_t *rb) {
    items a = {0}, b = {0}, c = {0};
    words p = {0}, q = {0};
    tandem_start(source(in, n, &a));
    tandem_start(stage(&a, &b, 1));
    tandem_start(stage(&b, &c, 5));
    tandem_start(split(&c, &p, &q));
    tandem_start(sum(&p, ra));
    tandem_start(sum(&q, rb));
    tandem_join();
}
int main(void) {
    static int32_t in[300]; uint32_t ra[2], rb[2];
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 300; i++) in[i] = (i * 7919 + k) % 1013 - 500;
      net(in, 100 * k + 17 , ra, rb);
      printf("%u %u %u %u\n", ra[0], ra[1], rb[0], rb[1]);
    }
    return 0;
}
