/* SPDX-License-Identifier: Apache-2.0 */
static int fill(int n, int *a)
{
    for (int i = 0; i < 8; i++)
        a[i] = i * n;
    return n;
}

static void save(const int *a, int n, int *out)
{
    for (int i = 0; i < 8; i++)
        out[n * 8 + i] = a[i];
}

void top(int *out, int count)
{
#pragma tandem dataflow
    for (int n = 0; n < count; n++) {
        int a[8];
        int place = fill(n, a);
        save(a, place, out);
    }
}
