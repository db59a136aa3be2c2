// SPDX-License-Identifier: Apache-2.0
// offload: stencil3d
// Seven points of a cube: of x*x + y*y + z*z the sum of the second differences is 6 everywhere.
#include <stdint.h>
#include <stdio.h>

#define SIZE 12

void stencil3d(const int32_t *in, int32_t *out, int size)
{
    for (int z = 1; z < size - 1; z++)
        for (int y = 1; y < size - 1; y++)
            for (int x = 1; x < size - 1; x++) {
                int i = (z * size + y) * size + x;
                out[i] = in[i - 1] + in[i + 1] + in[i - size] + in[i + size] +
                         in[i - size * size] + in[i + size * size] - 6 * in[i];
            }
}

int main(void)
{
    static int32_t in[SIZE * SIZE * SIZE], out[SIZE * SIZE * SIZE];
    int wrong = 0;
    for (int i = 0; i < SIZE * SIZE * SIZE; i++) {
        int x = i % SIZE, y = i / SIZE % SIZE, z = i / SIZE / SIZE;
        in[i] = x * x + y * y + z * z;
    }
    stencil3d(in, out, SIZE);
    for (int i = 0; i < SIZE * SIZE * SIZE; i++) {
        int x = i % SIZE, y = i / SIZE % SIZE, z = i / SIZE / SIZE;
        int inner = x % (SIZE - 1) && y % (SIZE - 1) && z % (SIZE - 1);
        wrong += out[i] != (inner ? 6 : 0);
    }
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
