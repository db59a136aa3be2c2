/* SPDX-License-Identifier: Apache-2.0 */
/* all loops of one macro */
#include <stdint.h>

#define FROM_TO(i, from, to) for (int i = (from); i < (to); i++)
#define BOX(in, out)                                                                               \
    FROM_TO (y, 1, 11)                                                                             \
        FROM_TO (x, 1, 39) {                                                                       \
            int sum = 0;                                                                           \
            FROM_TO (v, -1, 2)                                                                     \
                FROM_TO (u, -1, 2)                                                                 \
                    sum += in[y + v][x + u];                                                       \
            out[y][x] = sum / 9;                                                                   \
        }

void box(const uint8_t in[12][40], uint8_t out[12][40])
{
    BOX(in, out)
}

void call(const void *in, void *out) { box(in, out); }
