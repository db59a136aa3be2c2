/* SPDX-License-Identifier: Apache-2.0 */
/* integers of any width, signed or not, and `_Bool` */
long top(char a, short b, long long c, _Bool d) {
    return a * b - c + d;
}
