/* SPDX-License-Identifier: Apache-2.0 */
/* arrays of several dimensions */
int top(int a[8][8], int i) {
    return a[i & 7][3];
}
