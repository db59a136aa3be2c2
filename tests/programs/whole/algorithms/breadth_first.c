/* SPDX-License-Identifier: Apache-2.0 */
/* offload: by_levels */
/* offload: by_queue */
/* Breadth first search of a graph of nodes and edges in structs, 64-bit indices: level by level over
   all nodes, and with a queue of nodes. */
#include <stdint.h>
#include <stdio.h>

#define NODES 64
#define EDGES 256
#define LEVELS 10
#define FAR 127

typedef uint64_t edge_index;
typedef uint64_t node_index;
typedef int8_t level;

typedef struct {
    node_index to;
} edge;

typedef struct {
    edge_index first;
    edge_index last;
} node;

typedef struct {
    node nodes[NODES];
    edge edges[EDGES];
    node_index start;
    level levels[NODES];
    edge_index counts[LEVELS];
} graph;

void by_levels(node nodes[NODES], edge edges[EDGES], node_index start, level levels[NODES],
    edge_index counts[LEVELS])
{
    level now = 0;

    levels[start] = 0;
    counts[0] = 1;
    do {
        edge_index found = 0;
        for (node_index n = 0; n < NODES; n++) {
            if (levels[n] != now)
                continue;
            for (edge_index e = nodes[n].first; e < nodes[n].last; e++)
                if (levels[edges[e].to] == FAR) {
                    levels[edges[e].to] = now + 1;
                    found++;
                }
        }
        counts[++now] = found;
    } while (counts[now] != 0 && now < LEVELS - 1);
}

struct queue {
    node_index waiting[NODES];
    node_index in, out;
};

static void put(struct queue *q, node_index n)
{
    q->waiting[q->in++ % NODES] = n;
}

static node_index take(struct queue *q)
{
    return q->waiting[q->out++ % NODES];
}

void by_queue(node nodes[NODES], edge edges[EDGES], node_index start, level levels[NODES],
    edge_index counts[LEVELS])
{
    struct queue queue = {.in = 0, .out = 0};

    levels[start] = 0;
    counts[0] = 1;
    put(&queue, start);
    while (queue.in != queue.out) {
        node_index n = take(&queue);
        edge_index e;
        for (e = nodes[n].first; e < nodes[n].last; e++) {
            node_index to = edges[e].to;
            if (levels[to] == FAR) {
                levels[to] = levels[n] + 1;
                counts[levels[to]]++;
                put(&queue, to);
            }
        }
    }
}

static graph one, other;

static void clear(graph *g)
{
    int i;
    for (i = 0; i < NODES; i++)
        g->levels[i] = FAR;
    for (i = 0; i < LEVELS; i++)
        g->counts[i] = 0;
}

static void fill(graph *g)
{
    uint32_t random = 99;
    edge_index e = 0;
    for (int i = 0; i < NODES; i++) {
        g->nodes[i].first = e;
        for (int k = 0; k < 1 + i % 4; k++) {
            random = random * 1103515245 + 12345;
            g->edges[e++].to = random >> 16 & (NODES - 1);
        }
        g->nodes[i].last = e;
    }
    g->start = 3;
}

int main(void)
{
    int i, wrong = 0;

    fill(&one);
    fill(&other);
    clear(&one);
    clear(&other);
    by_levels(one.nodes, one.edges, one.start, one.levels, one.counts);
    by_queue(other.nodes, other.edges, other.start, other.levels, other.counts);
    for (i = 0; i < NODES; i++)
        wrong += one.levels[i] != other.levels[i];
    for (i = 0; i < LEVELS; i++) {
        wrong += one.counts[i] != other.counts[i];
        printf("%lu ", (unsigned long)one.counts[i]);
    }
    printf("%d\n", wrong);
    return wrong;
}
