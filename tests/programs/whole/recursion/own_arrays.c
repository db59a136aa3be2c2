/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* Every call has an array and a struct of its own, and some change the caller's. */
struct pair {
    int low, high;
};

#pragma tandem recursion(8)
static void permute(int *a, int k, int n, unsigned *sum)
{
    int used[6] = {0};
    if (k == n) {
        for (int i = 0; i < n; i++)
            *sum = *sum * 7 + (unsigned)a[i];
        return;
    }
    for (int i = k; i < n; i++) {
        if (used[a[i]])
            continue;
        used[a[i]] = 1;
        int t = a[k];
        a[k] = a[i];
        a[i] = t;
        permute(a, k + 1, n, sum);
        t = a[k];
        a[k] = a[i];
        a[i] = t;
    }
}

#pragma tandem recursion(9)
static struct pair extremes(const int *a, int low, int high)
{
    struct pair r = {a[low], a[low]};
    if (low == high)
        return r;
    struct pair left = extremes(a, low, (low + high) / 2);
    struct pair right = extremes(a, (low + high) / 2 + 1, high);
    r.low = left.low < right.low ? left.low : right.low;
    r.high = left.high > right.high ? left.high : right.high;
    return r;
}

int main(void)
{
    unsigned sum = 1;
    int a[5] = {2, 0, 1, 2, 4}, v[13];
    permute(a, 0, 5, &sum);
    for (int i = 0; i < 13; i++)
        v[i] = i * 29 % 17 - 5;
    struct pair found = extremes(v, 0, 12);
    return (int)((sum + (unsigned)(found.low * 100 + found.high)) % 251);
}
