// SPDX-License-Identifier: Apache-2.0
// offload: main
// refused: endless
/* LLVM sees that the program goes on for ever, and leaves nothing of it. */
int sums[5][7];

static int again(int rows)
{
    int columns = 9;
start:
    for (rows = 0; rows < 5; rows++)
        for (columns = 0; columns < 7; columns++)
            sums[rows][columns] = 1;
    if (columns)
        goto start;
    return rows;
}

int main(void)
{
    return again(sums[0][0]);
}
