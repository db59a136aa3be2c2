/* SPDX-License-Identifier: Apache-2.0 */
/* compilers' built-in functions on integers */
int top(unsigned a) {
    return __builtin_popcount(a) + __builtin_clz(a | 1) + (int)__builtin_bswap32(a);
}
