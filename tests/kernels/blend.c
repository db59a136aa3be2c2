/* SPDX-License-Identifier: Apache-2.0 */
/* One of two pictures, pixel by pixel. */
void blend(const unsigned char *mask, const short *a, const short *b, short *out, int n)
{
    int i;

    for (i = 0; i < n; i++)
        out[i] = mask[i] & 1 ? a[i] : b[i];
}
