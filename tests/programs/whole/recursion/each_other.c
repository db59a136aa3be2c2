/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* Two functions that call each other and themselves, with pointers into each other's frames. */
static int right(int n, int *sum);

#pragma tandem recursion(20)
static int left(int n, int *sum)
{
    int own = n * 3;
    *sum += n;
    if (n <= 0)
        return own;
    int r = right(n - 1, &own) + left(n - 2, sum);
    return r + own;
}

static int right(int n, int *sum)
{
    int own[2] = {n, n + 1};
    if (n <= 0)
        return *sum;
    *sum += left(n - 1, &own[n & 1]);
    return own[0] * 2 + own[1] + *sum;
}

int main(void)
{
    int sum = 3;
    unsigned found = (unsigned)left(9, &sum) * 31 + (unsigned)right(4, &sum);
    return (int)((found + (unsigned)sum) % 251);
}
