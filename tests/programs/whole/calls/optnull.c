// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#pragma tandem extent(t, 16)
int f(const uint32_t *t, uint32_t x){ if (t) return t[x&3]; return x; }
int main(void){ uint32_t b[4]={1,2,3,4}; printf("%d\n", f(b,2)); fflush(stdout); printf("%d\n", f(0,9)); return 0; }
