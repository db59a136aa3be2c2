/* SPDX-License-Identifier: Apache-2.0 */
/* Each result is the sum of three neighbours. */
void moving_sum(const int *in, int *out, int n)
{
    int i;

    for (i = 0; i < n; i++)
        out[i] = in[i] + in[i + 1] + in[i + 2];
}
