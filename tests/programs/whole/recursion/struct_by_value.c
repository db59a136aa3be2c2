/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* A board by value that every call changes, and calls in a loop. */
#include <stdint.h>

struct board {
    uint8_t cell[4][4];
    int filled;
};

static int fits(const struct board *b, int row, int column, int value)
{
    for (int i = 0; i < 4; i++)
        if (b->cell[row][i] == value || b->cell[i][column] == value)
            return 0;
    for (int i = 0; i < 4; i++)
        if (b->cell[(row & 2) + i / 2][(column & 2) + i % 2] == value)
            return 0;
    return 1;
}

#pragma tandem recursion(18)
static int solve(struct board b, int at, struct board *out)
{
    int found = 0;
    while (at < 16 && b.cell[at >> 2][at & 3])
        at++;
    if (at == 16) {
        *out = b;
        return 1;
    }
    for (int value = 1; value <= 4; value++)
        if (fits(&b, at >> 2, at & 3, value)) {
            b.cell[at >> 2][at & 3] = (uint8_t)value;
            b.filled++;
            found += solve(b, at + 1, out);
            b.cell[at >> 2][at & 3] = 0;
            b.filled--;
        }
    return found;
}

int main(void)
{
    struct board b = {{{1, 0, 0, 0}, {0, 0, 3, 0}, {0, 4, 0, 0}, {0, 0, 0, 2}}, 4}, out = {0};
    unsigned sum = (unsigned)solve(b, 0, &out);
    for (int i = 0; i < 16; i++)
        sum = sum * 5 + out.cell[i >> 2][i & 3];
    return (int)((sum + (unsigned)out.filled) % 251);
}
