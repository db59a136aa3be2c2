// SPDX-License-Identifier: Apache-2.0
// offload: f
// arguments: 7 2 0
#include <stdint.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
int f(int a, int b, int op){ switch(op){case 0:return a/b;case 1:return a%b;case 2:return a<<b;case 3:return a>>b;case 4: return (unsigned)a/(unsigned)b; case 5: return (unsigned)a%(unsigned)b; case 6: return (unsigned)a>>b; } return 0; }
int main(int c,char**v){ printf("%d\n", f(atoi(v[1]),atoi(v[2]),atoi(v[3]))); return 0; }
