/* SPDX-License-Identifier: Apache-2.0 */
/* calls of functions of the program, in any of its files */
static int twice(int a) {
    return 2 * a;
}
int top(int a) {
    return twice(a) + twice(a + 1);
}
