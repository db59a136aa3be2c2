/* SPDX-License-Identifier: Apache-2.0 */
#define COUNT 12

void insertion_sort(const signed char *in, signed char *out)
{
    signed char a[COUNT];
    int i, j;

    for (i = 0; i < COUNT; i++)
        a[i] = in[i];
    for (i = 1; i < COUNT; i++) {
        signed char key = a[i];

        for (j = i - 1; j >= 0 && a[j] > key; j--)
            a[j + 1] = a[j];
        a[j + 1] = key;
    }
    for (i = 0; i < COUNT; i++)
        out[i] = a[i];
}
