/* SPDX-License-Identifier: Apache-2.0 */
/* Stereo to mono and side, two samples a step. */
void deinterleave(const short *in, short *middle, short *side, unsigned int samples)
{
    unsigned int i;

    for (i = 0; i < samples; i += 2) {
        short left = in[i], right = in[i + 1];

        middle[i / 2] = (left + right) >> 1;
        side[i / 2] = left - right;
    }
}
