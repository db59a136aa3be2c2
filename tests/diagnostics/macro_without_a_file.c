/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("nowhere/macro.v", latency 2)
static unsigned twice(unsigned a) { return 2 * a; }
unsigned top(unsigned a) { return twice(a); }
