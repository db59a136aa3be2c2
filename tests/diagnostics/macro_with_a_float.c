/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static unsigned half(unsigned a) { return (unsigned)(0.3 * a); }
unsigned top(unsigned a) { return half(a); }
