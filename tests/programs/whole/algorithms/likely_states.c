/* SPDX-License-Identifier: Apache-2.0 */
/* offload: likely_path */
/* Viterbi's algorithm on a hidden Markov model, probabilities as negative logarithms in double. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define STEPS 20
#define STATES 8
#define SYMBOLS 8

typedef uint8_t token;
typedef uint8_t state;
typedef double cost;

int likely_path(token seen[STEPS], cost first[STATES], cost change[STATES * STATES], cost show[STATES * SYMBOLS],
    state path[STEPS])
{
    cost costs[STEPS][STATES];
    int32_t t;
    state before, now;
    cost least, cost_;
    state best;

    for (now = 0; now < STATES; now++)
        costs[0][now] = first[now] + show[now * SYMBOLS + seen[0]];

    for (t = 1; t < STEPS; t++)
        for (now = 0; now < STATES; now++) {
            before = 0;
            least = costs[t - 1][before] + change[before * STATES + now] + show[now * SYMBOLS + seen[t]];
            for (before = 1; before < STATES; before++) {
                cost_ = costs[t - 1][before] + change[before * STATES + now] + show[now * SYMBOLS + seen[t]];
                if (cost_ < least)
                    least = cost_;
            }
            costs[t][now] = least;
        }

    best = 0;
    least = costs[STEPS - 1][best];
    for (now = 1; now < STATES; now++) {
        cost_ = costs[STEPS - 1][now];
        if (cost_ < least) {
            least = cost_;
            best = now;
        }
    }
    path[STEPS - 1] = best;

    for (t = STEPS - 2; t >= 0; t--) {
        best = 0;
        least = costs[t][best] + change[best * STATES + path[t + 1]];
        for (now = 1; now < STATES; now++) {
            cost_ = costs[t][now] + change[now * STATES + path[t + 1]];
            if (cost_ < least) {
                least = cost_;
                best = now;
            }
        }
        path[t] = best;
    }
    return 0;
}

static struct model {
    cost first[STATES], change[STATES * STATES], show[STATES * SYMBOLS];
} model;
static token seen[STEPS];
static state path[STEPS];

int main(void)
{
    int i, j, wrong = 0;

    for (i = 0; i < STATES; i++) {
        model.first[i] = -log(1.0 / STATES);
        for (j = 0; j < STATES; j++) {
            model.change[i * STATES + j] = -log(j == (i + 3) % STATES ? 0.5 : 0.5 / (STATES - 1));
            model.show[i * SYMBOLS + j] = -log(i == j ? 0.65 : 0.05);
        }
    }
    for (i = 0; i < STEPS; i++)
        seen[i] = i == 7 ? 0 : (1 + 3 * i) % STATES;
    likely_path(seen, model.first, model.change, model.show, path);
    for (i = 0; i < STEPS; i++) {
        wrong += path[i] != (1 + 3 * i) % STATES;
        printf("%d ", path[i]);
    }
    printf("%d\n", wrong);
    return wrong;
}
