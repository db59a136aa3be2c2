/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static unsigned twice(unsigned a) { return 2 * a; }
#pragma tandem macro("macro.v", latency 1, module "twice")
static unsigned thrice(unsigned a) { return 3 * a; }
unsigned top(unsigned a) { return twice(a) + thrice(a); }
