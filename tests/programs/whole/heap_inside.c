/* SPDX-License-Identifier: Apache-2.0 */
/* offload: median */
/* offload: rows */
/* offload: counts */
/* served: 3 */
/* served: 2 */
/* served: 2 */
/* blocks from the heap that do not outlive the call: bounded, in every iteration, cleared */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int median(const int *in, unsigned n)
{
    if (n > 32 || !n) return -1;
    int *own = malloc(n * sizeof *own);
    if (!own) return -2;
    memcpy(own, in, n * sizeof *own);
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = i; j && own[j - 1] > own[j]; j--) { int t = own[j]; own[j] = own[j - 1]; own[j - 1] = t; }
    int found = own[n / 2];
    free(own);
    return found;
}
static int row(const int *in, unsigned n)
{
    short *last = malloc(64), *first = malloc(32);
    for (unsigned i = 0; i < 16; i++) { last[i + n % 16] = in[i]; first[i] = last[i + n % 16] + n; }
    int sum = first[n % 16] * 3 + last[n % 16];
    free(first);
    free(last);
    return sum;
}
int rows(const int *in, unsigned n)
{
    int sum = 0;
    for (unsigned i = 0; i < n; i++) sum = sum * 5 + row(in + i, n + i);
    return sum;
}
unsigned counts(const unsigned char *in, unsigned n, unsigned *out)
{
    unsigned *count = calloc(64, sizeof *count), most = 0;
    for (unsigned i = 0; i < n; i++) count[in[i] & 63]++;
    for (unsigned i = 0; i < 64; i++) { out[i] = count[i]; most = count[i] > most ? count[i] : most; }
    free(count);
    return most;
}
int main(void)
{
    int in[32]; unsigned out[64]; for (int i = 0; i < 32; i++) in[i] = i * 37 % 29;
    printf("%d %d %d\n", median(in, 31), median(in, 8), median(in, 40));
    printf("%d %d\n", rows(in, 3), rows(in, 9));
    printf("%u ", counts((unsigned char *)in, 128, out)); printf("%u %u\n", counts((unsigned char *)in, 40, out), out[5]);
    return 0;
}
