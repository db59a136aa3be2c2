/* SPDX-License-Identifier: Apache-2.0 */
#include "g.h"
static int f(int x) { return x + 2; }
int g(int x) { return f(x); }
