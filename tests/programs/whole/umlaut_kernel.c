/* SPDX-License-Identifier: Apache-2.0 */
/* offload: größe */
/* a kernel and an argument with names of their own */
#include <stdio.h>
int größe(int x, int result) { return x * 3 - result; }
int main(void) { printf("%d\n", größe(5, 2)); return 0; }
