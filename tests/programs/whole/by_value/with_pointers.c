/* SPDX-License-Identifier: Apache-2.0 */
/* offload: scaled */
/* Structs by value that hold pointers to arrays. */
#include <stddef.h>
#include <stdio.h>

struct view {
    const short *first;
    size_t count;
};
struct place {
    int *at;
};

static long sum_of(struct view v)
{
    long sum = 0;
    while (v.count--)
        sum += *v.first++;
    return sum;
}

#pragma tandem extent(in.first, 2 * in.count)
#pragma tandem extent(other.first, 2 * other.count)
long scaled(struct view in, struct place out, double factor, struct view other)
{
    for (size_t i = 0; i < in.count; i++)
        out.at[i] = (int)(in.first[i] * factor) + other.first[i % other.count];
    struct view rest = {in.first + in.count / 2, in.count - in.count / 2};
    return sum_of(rest) - sum_of(other);
}

int main(void)
{
    short in[12], other[] = {5, -7, 9};
    int out[12];
    for (int i = 0; i < 12; i++)
        in[i] = 1000 - 317 * i;
    for (size_t n = 12; n > 3; n -= 4) {
        printf("%ld\n", scaled((struct view){in, n}, (struct place){out}, 0.37, (struct view){other, 3}));
        for (size_t i = 0; i < n; i++)
            printf("%d ", out[i]);
    }
    return 0;
}
