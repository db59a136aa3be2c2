/* SPDX-License-Identifier: Apache-2.0 */
/* Each turn reads one place of a ring of eight and writes the one before it. */
unsigned int ring_buffer(const unsigned int *in, int n)
{
    unsigned int ring[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    unsigned int sum = 0;
    int i;

    for (i = 0; i < n; i++) {
        unsigned int x = ring[i & 7];

        ring[(i + 7) & 7] = (x ^ in[i]) / 3 + x / 7;
    }
    for (i = 0; i < 8; i++)
        sum = sum * 31 + ring[i];
    return sum;
}
