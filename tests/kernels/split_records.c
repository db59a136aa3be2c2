/* SPDX-License-Identifier: Apache-2.0 */
/* Two bytes in, one byte and three words out, a turn. */
void split_records(const unsigned char *in, unsigned char *low, unsigned int *parts, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        unsigned int x = in[2 * i] * 257u + in[2 * i + 1];

        low[i] = x;
        parts[3 * i] = x / 3;
        parts[3 * i + 1] = x % 5;
        parts[3 * i + 2] = ~x;
    }
}
