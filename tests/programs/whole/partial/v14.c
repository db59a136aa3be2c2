// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
struct params { uint32_t n; uint32_t scale; };
void f(const struct params *p, const uint32_t *in, uint32_t *out)
{
    uint32_t n = p->n, scale = p->scale;
    for (uint32_t i = 0; i < n; i++) out[i] = in[i] * scale;
}
int main(void){ struct params p={3,2}; uint32_t a[4]={5,6,7,8},c[4]={7,7,7,7}; f(&p,a,c); printf("%u %u %u %u\n",c[0],c[1],c[2],c[3]); return 0; }
