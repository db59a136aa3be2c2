// SPDX-License-Identifier: Apache-2.0
// offload: net
// feedback: request and answer
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
TANDEM_STREAM(words, uint32_t)
static void client(const uint32_t *in, uint32_t *out, uint32_t n, words *ask, words *answer) {
    uint32_t state = 1;
    for (uint32_t i = 0; i < n; i++) {
        words_write(ask, in[i] ^ state);
        state = words_read(answer);
        out[i] = state;
    }
    words_close(ask);
}
static void server(words *ask, words *answer) {
    uint32_t v;
    while (words_next(ask, &v)) {
        uint32_t r = 0;
        for (uint32_t k = 0; k < (v & 7); k++) r = r * 3 + v / (k + 1);
        words_write(answer, r + v);
    }
}
uint32_t net(const uint32_t *in, uint32_t *out, uint32_t n) {
    words a = {0}, b = {0};
    words_depth(&a, 2);
    tandem_start(client(in, out, n, &a, &b));
    tandem_start(server(&a, &b));
    tandem_join();
    return out[n - 1];
}
int main(void) {
    static uint32_t in[64], out[64];
    for (int i = 0; i < 64; i++) in[i] = i * 7919;
    printf("%u\n", net(in, out, 50));
    printf("%u\n", net(in, out, 3));
    return 0;
}
