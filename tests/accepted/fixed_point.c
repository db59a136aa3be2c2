/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* numbers with a fixed point (`tandem/fixed.h`) */
#include <stdio.h>
#include <tandem/fixed.h>

TANDEM_FIXED(q16, int32_t, int64_t, 16)
TANDEM_FIXED(q7, int8_t, int16_t, 7)

int top(const q16 x[16], const q7 g[16], q16 y[16])
{
    q16 sum = q16_of_int(0), most = x[0];
    q7 level = g[0];
    for (int i = 0; i < 16; i++) {
        q16 scaled = q16_mul(x[i], q16_of(0.7071));
        sum = q16_add(sum, scaled);
        level = q7_sub_saturated(q7_add_saturated(level, g[i]), q7_neg(q7_mul(g[i], g[i])));
        y[i] = q16_div(sum, q16_of_int(i + 1));
        if (q16_less(most, y[i])) most = y[i];
    }
    return q16_int(most) * 256 + level.parts;
}

int main(void)
{
    q16 x[16], y[16];
    q7 g[16];
    for (int i = 0; i < 16; i++) {
        x[i] = q16_of((i - 6.3) * 111.25);
        g[i] = q7_of((i * 5 % 16 - 7) / 9.0);
    }
    printf("%d\n", top(x, g, y));
    for (int i = 0; i < 16; i++) printf("%.6f\n", q16_double(y[i]));
    return 0;
}
