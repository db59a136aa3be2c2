/* SPDX-License-Identifier: Apache-2.0 */
/* loops of any kind, with `break`, `continue`, `return` and `goto` inside */
int top(const int *a, int n) {
    for (int i = 0; i < n; i++) {
        if (!a[i]) continue;
        if (a[i] < 0) return i;
        if (a[i] == 7) goto out;
    }
    out: return -1;
}
