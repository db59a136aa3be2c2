/* SPDX-License-Identifier: Apache-2.0 */
/* all loops in one line */
#include <stdint.h>

/* clang-format off */
void box(const uint8_t in[12][40], uint8_t out[12][40])
{
    for (int y = 1; y < 11; y++) for (int x = 1; x < 39; x++) { int sum = 0; for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) sum += in[y + v][x + u]; out[y][x] = sum / 9; }
}
/* clang-format on */

void call(const void *in, void *out) { box(in, out); }
