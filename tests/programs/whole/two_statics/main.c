/* SPDX-License-Identifier: Apache-2.0 */
/* offload: g */
/* two files with different static functions of one name, neither of them the kernel */
#include <stdio.h>
#include "g.h"
static int f(int x) { return x + 1; }
int main(void) { printf("%d %d\n", f(1), g(2)); return 0; }
