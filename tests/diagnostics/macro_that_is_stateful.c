/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2, stateful)
static unsigned count(unsigned a) { return a; }
unsigned top(unsigned a) { return count(a); }
