/* SPDX-License-Identifier: Apache-2.0 */
void vector_add(const int *a, const int *b, int *sum, int n)
{
    int i;

    for (i = 0; i < n; i++)
        sum[i] = a[i] + b[i];
}
