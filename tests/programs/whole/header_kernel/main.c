/* SPDX-License-Identifier: Apache-2.0 */
/* offload: mix */
/* a static inline function of a header that two files include */
#include <stdio.h>
#include "kernel.h"
#include "other.h"
static int helper(int x) { return x * 5; }
static const int table[4] = {9, 8, 7, 6};
int main(void) { printf("%d %d %d\n", mix(3), other(4), helper(2) + table[1]); return 0; }
