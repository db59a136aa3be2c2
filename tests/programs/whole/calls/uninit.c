// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdio.h>
int f(int c, int x){ int y; if (c) y = x; int z[4]; z[c&3]=1; return y + z[x&3]; }
int main(int c,char**v){ f(0,3); return 0; }
