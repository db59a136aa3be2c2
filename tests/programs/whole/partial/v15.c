// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
struct params { uint16_t mode; uint16_t scale; };
int f(const struct params *p, const uint32_t *in, uint32_t *out, uint32_t n)
{
    if (p->mode != 1) return -1;
    for (uint32_t i = 0; i < n; i++) out[i] = in[i] * p->scale;
    return 0;
}
int main(void){ struct params p={1,2}, q={0,3}; uint32_t a[4]={5,6,7,8},c[4]={0},d[4]={7,7,7,7}; int r=f(&p,a,c,4); int s=f(&q,a,d,4); printf("%d %u %u %u %u / %d %u %u %u %u\n",r,c[0],c[1],c[2],c[3],s,d[0],d[1],d[2],d[3]); return 0; }
