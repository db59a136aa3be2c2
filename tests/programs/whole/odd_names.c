/* SPDX-License-Identifier: Apache-2.0 */
/* offload: module */
/* names that are keywords or ports elsewhere, or not in ASCII */
#include <stdio.h>
#include <stdint.h>
#pragma tandem extent(b2_valid1, 64)
#pragma tandem extent(x, 64)
#pragma tandem extent(x_read, 64)
static const uint8_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static const uint8_t tab$le[16] = {13, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
uint32_t module(const uint32_t *x, uint32_t *x_read, uint32_t *b2_valid1, uint32_t größe, uint32_t clk, uint32_t begin, uint32_t dol$lar, uint32_t x_read_data, uint32_t result_value, uint32_t done, uint32_t b1_valid1, uint32_t begin2, uint32_t EOFx, uint32_t gr_uf6__udf_e) {
  uint32_t start = 0, reset = clk, b1_active = 5, v = 3, logic[16] = {0}, lög[4] = {1};
  for (uint32_t i = 0; i < größe; i++) logic[i & 15] = i * begin + begin2;
  for (uint32_t i = 0; i < größe; i++) {
    uint32_t finished = x[i & 15] / (dol$lar | 1);
    x_read[(i * 3) & 15] += finished ^ start;
    b2_valid1[i & 15] = reset + table[i & 15] * tab$le[start & 15];
    start += logic[finished & 15] + x_read[i & 15] + lög[i & 3];
    lög[start & 3] += reset ^ x_read_data;
    reset = reset * 3 + b1_active; b1_active ^= start + b1_valid1; v += b1_active;
  }
  return start + reset + v + result_value + done + EOFx + gr_uf6__udf_e + lög[2];
}
int main(void) {
  uint32_t x[16], y[16] = {0}, z[16] = {0};
  for (int i = 0; i < 16; i++) x[i] = i * 1234567;
  for (int i = 0; i < 5; i++) printf("%u\n", module(x, y, z, 9 * i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  for (int i = 0; i < 16; i++) printf("%u %u\n", y[i], z[i]);
  return 0;
}
