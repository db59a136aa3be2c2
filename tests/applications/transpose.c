// SPDX-License-Identifier: Apache-2.0
// offload: transpose
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void transpose(const int16_t *restrict src, int16_t *restrict dst, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            dst[j * rows + i] = src[i * columns + j];
}

int main(void)
{
    enum { ROWS = 13, COLUMNS = 61 };
    static int16_t matrix[ROWS][COLUMNS], turned[COLUMNS][ROWS];
    int wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = (int16_t)(1000 * i - 77 * j);
    transpose(&matrix[0][0], &turned[0][0], ROWS, COLUMNS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            wrong += turned[j][i] != 1000 * i - 77 * j;
    transpose(&matrix[0][0], &turned[0][0], 0, COLUMNS);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
