/* SPDX-License-Identifier: Apache-2.0 */
/* offload: by_rows */
/* offload: by_lengths */
/* offload: run */
/* A sparse matrix of doubles times a vector: in compressed rows, and in rows padded to one length. */
#include <stdint.h>
#include <stdio.h>

#define ROWS 32
#define NONZEROS 128
#define LENGTH 6

typedef double value;

struct sparse {
    value values[NONZEROS];
    int32_t columns[NONZEROS];
    int32_t starts[ROWS + 1];
    value vector[ROWS];
    value product[ROWS];
};

void by_rows(value values[NONZEROS], int32_t columns[NONZEROS], int32_t starts[ROWS + 1], value vector[ROWS],
    value product[ROWS])
{
    int i, j;
    value sum, term;

    for (i = 0; i < ROWS; i++) {
        sum = 0;
        term = 0;
        int first = starts[i];
        int last = starts[i + 1];
        for (j = first; j < last; j++) {
            term = values[j] * vector[columns[j]];
            sum = sum + term;
        }
        product[i] = sum;
    }
}

void by_lengths(value values[ROWS * LENGTH], int32_t columns[ROWS * LENGTH], value vector[ROWS], value product[ROWS])
{
    int i, j;
    value term;

    for (i = 0; i < ROWS; i++) {
        value sum = product[i];
        for (j = 0; j < LENGTH; j++) {
            term = values[j + i * LENGTH] * vector[columns[j + i * LENGTH]];
            sum += term;
        }
        product[i] = sum;
    }
}

void run(struct sparse *s)
{
    by_rows(s->values, s->columns, s->starts, s->vector, s->product);
}

static struct sparse matrix;
static value padded[ROWS * LENGTH], other[ROWS];
static int32_t columns[ROWS * LENGTH];

int main(void)
{
    int i, k, at = 0, wrong = 0;
    double sum = 0;

    for (i = 0; i < ROWS; i++) {
        matrix.starts[i] = at;
        matrix.vector[i] = (i * 11 % 17 - 8) / 4.0;
        for (k = 0; k < i * 5 % (LENGTH + 1) && at < NONZEROS; k++) {
            matrix.values[at] = padded[i * LENGTH + k] = (i * 3 + k * 7) % 10 - 4.5;
            matrix.columns[at++] = columns[i * LENGTH + k] = (i * k + 3 * k) % ROWS;
        }
    }
    matrix.starts[ROWS] = at;
    run(&matrix);
    by_rows(matrix.values, matrix.columns, matrix.starts, matrix.vector, matrix.product);
    by_lengths(padded, columns, matrix.vector, other);
    for (i = 0; i < ROWS; i++) {
        wrong += matrix.product[i] != other[i];
        sum += other[i] * i;
    }
    printf("%d nonzeros, %d wrong, %f\n", at, wrong, sum);
    return wrong;
}
