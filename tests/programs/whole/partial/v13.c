// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
void f(const uint32_t *cfg, const uint32_t *in, uint32_t *out)
{
    uint32_t m = cfg[0];
    for (uint32_t i = 0; i < m; i++) out[i] = in[i] + 1;
}
int main(void){ uint32_t cfg[1]={3}, a[4]={5,6,7,8},c[4]={7,7,7,7}; f(cfg,a,c); printf("%u %u %u %u\n",c[0],c[1],c[2],c[3]); return 0; }
