/* SPDX-License-Identifier: Apache-2.0 */
typedef short sample;

static sample saturate(int x)
{
    if (x > 32767)
        return 32767;
    else if (x < -32768)
        return -32768;
    return x;
}

/* Returns how many samples were clipped. */
short saturating_mix(const sample *a, const sample *b, sample *out, short n, short gain)
{
    short i, clipped = 0;

    for (i = 0; i < n; i++) {
        int x = a[i] + ((b[i] * gain) >> 8);

        out[i] = saturate(x);
        if (out[i] != x)
            clipped++;
    }
    return clipped;
}
