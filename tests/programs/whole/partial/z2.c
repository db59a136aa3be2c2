// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
/* key valid? then decrypt */
int f(const uint8_t key[8], const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint8_t p = 0;
    for (int i = 0; i < 8; i++) p ^= key[i];
    if (p) return -1;
    for (uint32_t i = 0; i < n; i++) out[i] = in[i] ^ key[0];
    return 0;
}
int main(void){ uint8_t good[8]={1,1,2,2,3,3,4,4}, bad[8]={1}; uint32_t a[4]={5,6,7,8},b[4]={0},c[4]={7,7,7,7}; f(good,a,b,4); int r=f(bad,a,c,4); printf("%d: %u %u %u %u\n",r,c[0],c[1],c[2],c[3]); return 0; }
