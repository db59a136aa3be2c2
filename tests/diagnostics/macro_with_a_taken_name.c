/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static unsigned twice(unsigned clock) { return 2 * clock; }
unsigned top(unsigned a) { return twice(a); }
