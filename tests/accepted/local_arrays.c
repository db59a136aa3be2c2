/* SPDX-License-Identifier: Apache-2.0 */
/* local arrays of a fixed size */
int top(const unsigned char *in, int n) {
    int h[256] = {0};
    for (int i = 0; i < n; i++) h[in[i]]++;
    return h[65];
}
