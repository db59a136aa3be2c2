// SPDX-License-Identifier: Apache-2.0
// says: used uninitialized whenever
#include <stdio.h>
int f(int c, int x){ int y; if (c) y = x; int z[64]; z[c&63]=1; return y + z[x&63] + z[x+9&63] + z[x+31&63]; }
/* what f finds where it writes nothing */
__attribute__((noinline)) static void leave(int x){ volatile int z[4096]; for (int i = 0; i < 4096; i++) z[i] = x + i; }
int main(int c,char**v){ for (int i = 0; i < 9; i++) { leave(77777 * (c + i)); f(0,3 + i); } return 0; }
