// SPDX-License-Identifier: Apache-2.0
// offload: bfs
// Breadth-first search with a queue, of a grid with walls: the distances are known.
#include <stdint.h>
#include <stdio.h>

#define NODES 256
#define FAR 0xffff

int bfs(const uint16_t *first, const uint16_t *edges, uint16_t *distance, int nodes, int start)
{
    uint16_t queue[NODES];
    int head = 0, tail = 0;
    for (int i = 0; i < nodes; i++)
        distance[i] = FAR;
    distance[start] = 0;
    queue[tail++] = (uint16_t)start;
    while (head < tail) {
        int node = queue[head++];
        for (int e = first[node]; e < first[node + 1]; e++) {
            int other = edges[e];
            if (distance[other] == FAR) {
                distance[other] = distance[node] + 1;
                queue[tail++] = (uint16_t)other;
            }
        }
    }
    return tail;
}

/* A grid of 16 by 16 in which a wall in row 8 leaves only column 15 open. */
static int is_wall(int node)
{
    return node / 16 == 8 && node % 16 != 15;
}

static int add_edges(int node, uint16_t *edges, int count)
{
    int x = node % 16, y = node / 16;
    if (is_wall(node))
        return count;
    if (x > 0 && !is_wall(node - 1))
        edges[count++] = (uint16_t)(node - 1);
    if (x < 15 && !is_wall(node + 1))
        edges[count++] = (uint16_t)(node + 1);
    if (y > 0 && !is_wall(node - 16))
        edges[count++] = (uint16_t)(node - 16);
    if (y < 15 && !is_wall(node + 16))
        edges[count++] = (uint16_t)(node + 16);
    return count;
}

static int wanted(int node)
{
    int x = node % 16, y = node / 16;
    if (is_wall(node))
        return FAR;
    return y < 8 ? x + y : 15 + y + 15 - x;
}

int main(void)
{
    static uint16_t first[NODES + 1], edges[4 * NODES], distance[NODES];
    int count = 0, wrong = 0;
    for (int node = 0; node < NODES; node++) {
        first[node] = (uint16_t)count;
        count = add_edges(node, edges, count);
    }
    first[NODES] = (uint16_t)count;
    wrong += bfs(first, edges, distance, NODES, 0) != NODES - 15;
    for (int node = 0; node < NODES; node++)
        wrong += distance[node] != wanted(node);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
