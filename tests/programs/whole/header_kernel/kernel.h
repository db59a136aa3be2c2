/* SPDX-License-Identifier: Apache-2.0 */
#ifndef K
#define K
struct pair { int a, b; };
static const int weights[4] = {1, 3, 5, 7};
static inline int part(struct pair p) { return p.a * weights[p.b & 3]; }
static inline int mix(int x) { struct pair p = {x, x + 1}; return part(p) + "abcd"[x & 3]; }
#endif
