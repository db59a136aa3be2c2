/* SPDX-License-Identifier: Apache-2.0 */
/* offload: packed */
/* offload: unpacked */
/* offload: counted */
/* offload: sums */
/* served: 3 */
/* served: 4 */
/* served: 3 */
/* served: 3 */
/* blocks from the heap that a function returns: the caller's own, which it gives back */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
unsigned char *packed(const unsigned char *in, int n, int *size)
{
    if (!in || n <= 0 || !size) return NULL;
    unsigned char *out = malloc(2 * n + 1);
    if (!out) return NULL;
    int w = 0;
    for (int i = 0; i < n;) {
        int k = 1;
        while (i + k < n && k < 255 && in[i + k] == in[i]) k++;
        out[w++] = k; out[w++] = in[i]; i += k;
    }
    out[w++] = 0;
    *size = w;
    return out;
}
unsigned char *unpacked(const unsigned char *in, int n)
{
    unsigned char *out = malloc(n ? n : 1);
    int w = 0;
    for (int i = 0; in[i]; i += 2) {
        if (w + in[i] > n) { free(out); return NULL; }
        for (int k = 0; k < in[i]; k++) out[w++] = in[i + 1];
    }
    return out;
}
#pragma tandem heap(64)
int *counted(const unsigned char *in, unsigned n)
{
    int *count = calloc(32, sizeof *count);
    unsigned char *order = malloc(n); /* its own */
    for (unsigned i = 0; i < n; i++) order[n - 1 - i] = in[i] & 31;
    for (unsigned i = 0; i < n; i++) count[order[i]] += i;
    free(order);
    return count;
}
static double *made(int n) { double *a = malloc(n * sizeof *a); return a; }
double *sums(const double *in, int n)
{
    double *out = made(n), sum = 0;
    for (int i = 0; i < n; i++) { sum += in[i]; out[i] = sum; }
    for (int i = 1; i < n; i += 2) out[i] -= out[i - 1];
    return out;
}
int main(void)
{
    unsigned char in[60]; double d[20];
    for (int i = 0; i < 60; i++) in[i] = i * i / 90;
    for (int i = 0; i < 20; i++) d[i] = i / 3.0;
    int size; unsigned char *p = packed(in, 60, &size), *u = unpacked(p, 60);
    printf("%d %d ", size, memcmp(in, u, 60)); free(u);
    printf("%p ", (void *)unpacked(p, 59)); free(p);
    p = packed(in + 9, 7, &size); u = unpacked(p, 7); printf("%d %d ", size, memcmp(in + 9, u, 7)); free(p); free(u);
    printf("%p %p\n", (void *)packed(in, 0, &size), (void *)unpacked((unsigned char *)"\3a\0", 2));
    for (int k = 0; k < 3; k++) { int *c = counted(in + k, 50); unsigned s = 0; for (int i = 0; i < 32; i++) s = s * 3 + c[i]; printf("%u ", s); free(c); }
    for (int k = 0; k < 3; k++) { double *s = sums(d, 20 - 6 * k); printf("%g %g ", s[1], s[7 - k]); free(s); }
    printf("\n");
    return 0;
}
