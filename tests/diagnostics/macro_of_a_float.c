/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static float twice(float a) { return 2 * a; }
float top(float a) { return twice(a); }
