/* SPDX-License-Identifier: Apache-2.0 */
/* distances in a struct, do and while */
#include <stddef.h>
#include <string.h>
struct graph {
    int distance[28][28];
};

void shortest_paths(struct graph *g)
{
    size_t k = 0;
    do {
        for (size_t i = 0; i < 28; i++)
            for (size_t j = 0; j < 28; j++) {
                int through = g->distance[i][k] + g->distance[k][j];
                if (g->distance[i][j] > through)
                    g->distance[i][j] = through;
            }
    } while (++k < 28);
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
