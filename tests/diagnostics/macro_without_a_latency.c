/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v")
static unsigned twice(unsigned a) { return 2 * a; }
unsigned top(unsigned a) { return twice(a); }
