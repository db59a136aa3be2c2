// SPDX-License-Identifier: Apache-2.0
// offload: pipeline
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>
TANDEM_STREAM(samples, int32_t)
static void scale(const int32_t *in, uint32_t n, samples *out) {
    for (uint32_t i = 0; i < n; i++) samples_write(out, 3 * in[i]);
    samples_close(out);
}
static void keep(samples *in, int32_t *out) {
    int32_t x;
    for (uint32_t k = 0; samples_next(in, &x); k++) out[k] = x;
}
#pragma tandem extent(out, 4*n)
void pipeline(const int32_t *in, int32_t *out, uint32_t n) {
    samples a = {0};
    tandem_start(keep(&a, out));
    tandem_start(scale(in, n, &a));
    tandem_join();
}
int main(void) {
    int32_t in[100], out[100];
    for (int i = 0; i < 100; i++) in[i] = i * i - 7;
    pipeline(in, out, 100);
    uint32_t s = 0;
    for (int i = 0; i < 100; i++) s = s * 31 + out[i];
    printf("%u\n", s);
    return 0;
}
