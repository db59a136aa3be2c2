/* SPDX-License-Identifier: Apache-2.0 */
/* offload: mean */
/* `assert`: the C checks it, with all that it does on the way; hardware takes it as so */
#include <assert.h>
#include <stdio.h>

static int state = 3;

static int next(void)
{
    return state = state * 5 & 63;
}

int mean(const int *x, int n)
{
    int sum = 0, drawn;
    assert(n > 0 && "nothing to take the mean of");
    for (int i = 0; i < n; i++) {
        assert((drawn = next()) < 64);
        assert(x[i] != 7);
        sum += x[i] ^ drawn;
    }
    return sum / n;
}

int main(void)
{
    int x[20];
    for (int i = 0; i < 20; i++)
        x[i] = i * i;
    assert(printf("%d\n", mean(x, 20)) > 0);
    printf("%d %d\n", mean(x, 3), state);
    return 0;
}
