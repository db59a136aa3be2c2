/* SPDX-License-Identifier: Apache-2.0 */
/* calls through variables that the program sets to one function only */
/* offload: top */
#include <stdint.h>
#include <stdio.h>

static int (*clipped)(int value);
static void (*told)(int value);

static int clipped_plain(int value)
{
    return value > 255 ? 255 : value < 0 ? 0 : value;
}

static void set_up(void)
{
    clipped = clipped_plain;
}

void top(const int in[16], uint8_t out[16])
{
    for (int i = 0; i < 16; i++) {
        out[i] = clipped(2 * in[i]);
        if (told)
            told(in[i]);
    }
}

static void tell(int value)
{
    printf("%d\n", value);
}

int main(int argc, char **argv)
{
    int in[16], sum = 0;
    uint8_t out[16];
    set_up();
    if (argc > 100)
        told = tell;
    for (int i = 0; i < 16; i++)
        in[i] = 20 * i - 50;
    top(in, out);
    for (int i = 0; i < 16; i++)
        sum += out[i];
    printf("%d\n", sum);
    return sum != 2505;
}
