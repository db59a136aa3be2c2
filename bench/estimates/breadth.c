// SPDX-License-Identifier: Apache-2.0
// offload: breadth
/* Steps from a corner of a maze of bits to each of its places, by a queue. */
#include <stdint.h>
#define N 32

int breadth(const uint32_t walls[N], uint16_t steps[N * N])
{
    uint16_t queue[N * N];
    uint32_t seen[N];
    int head = 0, tail = 0;
    for (int i = 0; i < N; i++)
        seen[i] = walls[i];
    queue[tail++] = 0;
    seen[0] |= 1;
    steps[0] = 0;
    while (head < tail) {
        int at = queue[head++], x = at & (N - 1), y = at / N, far = steps[at] + 1;
        for (int way = 0; way < 4; way++) {
            int nx = x + (way == 0) - (way == 1), ny = y + (way == 2) - (way == 3);
            if (nx < 0 || nx >= N || ny < 0 || ny >= N || (seen[ny] >> nx & 1))
                continue;
            seen[ny] |= 1u << nx;
            steps[ny * N + nx] = far;
            queue[tail++] = ny * N + nx;
        }
    }
    return tail;
}
