/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* variables of the program, static ones in functions too: their values live on between calls */
#include <stdio.h>

static int history[8];
int gain = 3;
static unsigned calls;
struct { short low, high; } seen = {32767, -32768};

int top(int x)
{
    static int position;
    int sum = 0;
    history[position] = x;
    position = (position + 1) & 7;
    calls++;
    if (x < seen.low) seen.low = x;
    if (x > seen.high) seen.high = x;
    for (int i = 0; i < 8; i++) sum += history[i] * gain;
    return sum;
}

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 20; i++) {
        gain = i & 3;
        history[i & 7] ^= 5; /* the caller writes too */
        sum = sum * 31 + top(i * 77);
    }
    printf("%u %u %d %d\n", sum, calls, seen.low, seen.high);
    return calls != 20;
}
