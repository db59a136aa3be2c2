/* SPDX-License-Identifier: Apache-2.0 */
/* offload: blended */
/* vectors of numbers (`vector_size`, `ext_vector_type`), in memory, as arguments and as results */
#include <stdio.h>

typedef float four __attribute__((vector_size(16)));
typedef int places __attribute__((vector_size(16)));
typedef short three __attribute__((ext_vector_type(3)));
typedef short shorts __attribute__((vector_size(8)));
typedef unsigned char bytes __attribute__((vector_size(8)));

static const struct {
    float shift;
    four weights;
} table[2] = {{1, {0.25f, 0.5f, 0.75f, 1}}, {2, {1, 0.5f, 0.25f, 0}}};

static bytes turned(bytes x)
{
    return __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0) ^ (bytes){0x55};
}

four blended(const four *a, int n, places limits, three *sums, bytes *text)
{
    four sum = {0};
    for (int i = 0; i < n; i++) {
        four x = a[i] * table[i & 1].weights + table[i & 1].shift;
        places large = __builtin_convertvector(x, places) > limits;
        sum += (four)((places)x & large);
        shorts near = __builtin_convertvector(large, shorts), now = {i};
        *sums += __builtin_shufflevector(near, now, 0, 3, 4);
        text[i & 1] = turned(text[i & 1]);
        text[0][i & 7] += x[i & 3];
    }
    return sum;
}

int main(void)
{
    four a[6];
    bytes text[2] = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10}};
    three sums = {3, 2, 1};
    for (int i = 0; i < 6; i++)
        a[i] = (four){i, 1.5f * i, 7 - i, -i};
    four sum = blended(a, 6, (places){1, 2, 3, 4}, &sums, text);
    printf("%g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);
    for (int i = 0; i < 8; i++)
        printf("%d %d %d\n", text[0][i], text[1][i], sums[i % 3]);
    return 0;
}
