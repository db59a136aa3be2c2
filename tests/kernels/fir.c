/* SPDX-License-Identifier: Apache-2.0 */
#define TAPS 5

static const short coefficient[TAPS] = { 3, -11, 25, -11, 3 };

/* The first TAPS - 1 results start from silence. */
void fir(const short *in, short *out, unsigned int n)
{
    short line[TAPS] = { 0 };
    unsigned int i;
    int k;

    for (i = 0; i < n; i++) {
        int sum = 0;

        for (k = TAPS - 1; k > 0; k--)
            line[k] = line[k - 1];
        line[0] = in[i];
        for (k = 0; k < TAPS; k++)
            sum += coefficient[k] * line[k];
        out[i] = (short)(sum >> 4);
    }
}
