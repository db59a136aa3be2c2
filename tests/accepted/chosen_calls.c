/* SPDX-License-Identifier: Apache-2.0 */
/* calls through a choice of known functions */
static int inc(int a) {
    return a + 1;
}
static int dec(int a) {
    return a - 1;
}
int top(int a, int up) {
    int (*f)(int) = up ? inc : dec;
    return f(a);
}
