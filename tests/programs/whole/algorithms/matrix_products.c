/* SPDX-License-Identifier: Apache-2.0 */
/* offload: multiply */
/* offload: multiply_blocks */
/* Products of matrices of doubles, by rows and by blocks, of plain pointers and of a struct. */
#include <stdio.h>

#define SIZE 16
#define BLOCK 4

typedef double number;

struct matrices {
    number left[SIZE * SIZE];
    number right[SIZE * SIZE];
    number product[SIZE * SIZE];
};

void multiply(const number left[SIZE * SIZE], const number right[SIZE * SIZE], number product[SIZE * SIZE])
{
    int i, j, k;

rows:
    for (i = 0; i < SIZE; i++) {
    columns:
        for (j = 0; j < SIZE; j++) {
            number sum = 0;
            int row = i * SIZE;
        terms:
            for (k = 0; k < SIZE; k++) {
                number term = left[row + k] * right[k * SIZE + j];
                sum += term;
            }
            product[row + j] = sum;
        }
    }
}

void multiply_blocks(const number left[SIZE * SIZE], const number right[SIZE * SIZE], number product[SIZE * SIZE])
{
    int i, j, k, jj, kk;

    for (jj = 0; jj < SIZE; jj += BLOCK)
        for (kk = 0; kk < SIZE; kk += BLOCK)
            for (i = 0; i < SIZE; i++)
                for (k = 0; k < BLOCK; k++) {
                    number factor = left[i * SIZE + k + kk];
                    for (j = 0; j < BLOCK; j++)
                        product[i * SIZE + j + jj] += factor * right[(k + kk) * SIZE + j + jj];
                }
}

void run(struct matrices *m)
{
    multiply(m->left, m->right, m->product);
    multiply_blocks(m->product, m->right, m->left);
}

static struct matrices data;
static number blocks[SIZE * SIZE];

int main(void)
{
    int i, wrong = 0;

    for (i = 0; i < SIZE * SIZE; i++) {
        data.left[i] = (i * 7 % 13 - 6) * 0.25;
        data.right[i] = (i * 5 % 11 - 5) * 0.5;
    }
    multiply_blocks(data.left, data.right, blocks);
    multiply(data.left, data.right, data.product);
    for (i = 0; i < SIZE * SIZE; i++)
        if (blocks[i] != data.product[i])
            wrong++;
    run(&data);
    printf("%d wrong, %f %f\n", wrong, data.left[17], data.product[200]);
    return wrong != 0;
}
