/* SPDX-License-Identifier: Apache-2.0 */
struct pair { unsigned a, b; };
#pragma tandem macro("macro.v", latency 2)
static unsigned sum(struct pair p) { return p.a + p.b; }
unsigned top(unsigned a, unsigned b) { return sum((struct pair){a, b}); }
