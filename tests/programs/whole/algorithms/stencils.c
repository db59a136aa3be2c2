/* SPDX-License-Identifier: Apache-2.0 */
/* offload: plane */
/* offload: space */
/* A filter of three by three over a plane, and a stencil of seven points over a cube with its
   boundaries copied. */
#include <stdint.h>
#include <stdio.h>

#define ROWS 20
#define COLUMNS 24
#define SIDE 8

typedef int32_t word;
#define AT(x, y, z) ((x) + SIDE * ((y) + SIDE * (z)))

void plane(const word in[ROWS * COLUMNS], word out[ROWS * COLUMNS], const word filter[9])
{
    int r, c, i, j;
    word sum, product;

    for (r = 0; r < ROWS - 2; r++)
        for (c = 0; c < COLUMNS - 2; c++) {
            sum = (word)0;
            for (i = 0; i < 3; i++)
                for (j = 0; j < 3; j++) {
                    product = filter[i * 3 + j] * in[(r + i) * COLUMNS + c + j];
                    sum += product;
                }
            out[r * COLUMNS + c] = sum;
        }
}

void space(const word weights[2], const word in[SIDE * SIDE * SIDE], word out[SIDE * SIDE * SIDE])
{
    int i, j, k;

    for (j = 0; j < SIDE; j++)
        for (k = 0; k < SIDE; k++) {
            out[AT(k, j, 0)] = in[AT(k, j, 0)];
            out[AT(k, j, SIDE - 1)] = in[AT(k, j, SIDE - 1)];
        }
    for (i = 1; i < SIDE - 1; i++)
        for (k = 0; k < SIDE; k++) {
            out[AT(k, 0, i)] = in[AT(k, 0, i)];
            out[AT(k, SIDE - 1, i)] = in[AT(k, SIDE - 1, i)];
        }
    for (i = 1; i < SIDE - 1; i++)
        for (j = 1; j < SIDE - 1; j++) {
            out[AT(0, j, i)] = in[AT(0, j, i)];
            out[AT(SIDE - 1, j, i)] = in[AT(SIDE - 1, j, i)];
        }
    for (i = 1; i < SIDE - 1; i++)
        for (j = 1; j < SIDE - 1; j++)
            for (k = 1; k < SIDE - 1; k++) {
                word middle = in[AT(k, j, i)];
                word around = in[AT(k, j, i + 1)] + in[AT(k, j, i - 1)] + in[AT(k, j + 1, i)] + in[AT(k, j - 1, i)] +
                    in[AT(k + 1, j, i)] + in[AT(k - 1, j, i)];
                out[AT(k, j, i)] = middle * weights[0] + around * weights[1];
            }
}

word picture[ROWS * COLUMNS], filtered[ROWS * COLUMNS], filter[9] = {1, -2, 3, -4, 5, -6, 7, -8, 9};
word cube[SIDE * SIDE * SIDE], smooth[SIDE * SIDE * SIDE], weights[2] = {-6, 1};

int main(void)
{
    int i;
    unsigned sum = 0;

    for (i = 0; i < ROWS * COLUMNS; i++)
        picture[i] = i * i % 97;
    for (i = 0; i < SIDE * SIDE * SIDE; i++)
        cube[i] = i * 13 % 101;
    plane(picture, filtered, filter);
    space(weights, cube, smooth);
    for (i = 0; i < ROWS * COLUMNS; i++)
        sum = sum * 31 + filtered[i];
    for (i = 0; i < SIDE * SIDE * SIDE; i++)
        sum = sum * 31 + smooth[i];
    printf("%u\n", sum);
    return sum == 0;
}
