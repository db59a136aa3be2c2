/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static void nothing(unsigned a) { (void)a; }
unsigned top(unsigned a) { nothing(a); return a; }
