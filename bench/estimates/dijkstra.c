// SPDX-License-Identifier: Apache-2.0
// offload: dijkstra
/* Shortest ways from one place of a graph, whose nearest open place is searched for each time. */
#include <stdint.h>
#define N 32
#define FAR 0x7fffffff

void dijkstra(const uint16_t way[N][N], int32_t far[N], int from)
{
    uint8_t done[N];
    for (int i = 0; i < N; i++) {
        far[i] = FAR;
        done[i] = 0;
    }
    far[from] = 0;
    for (int turn = 0; turn < N; turn++) {
        int near = -1;
        int32_t least = FAR;
        for (int i = 0; i < N; i++)
            if (!done[i] && far[i] < least) {
                least = far[i];
                near = i;
            }
        if (near < 0)
            break;
        done[near] = 1;
        for (int i = 0; i < N; i++)
            if (way[near][i] && least + way[near][i] < far[i])
                far[i] = least + way[near][i];
    }
}
