/* SPDX-License-Identifier: Apache-2.0 */
#include "other.h"
#include "kernel.h"
static int helper(int x) { return x + 100; }
static const int table[4] = {1, 2, 3, 4};
int other(int x) { return helper(mix(x)) + table[x & 3] + "xyz"[x & 1]; }
