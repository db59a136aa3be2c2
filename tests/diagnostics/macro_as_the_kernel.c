/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
unsigned top(unsigned a) { return 2 * a; }
