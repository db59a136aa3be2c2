/* SPDX-License-Identifier: Apache-2.0 */
/* offload: listed */
/* offload: grown */
/* offload: sorted */
/* offload: freed */
/* served: 3 */
/* served: 3 */
/* served: 2 */
/* served: 2 */
/* blocks from the heap of any size, several at a time: lists, arrays that grow, trees */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; int value; };
#pragma tandem heap(1024)
int listed(const int *in, int n)
{
    struct node *list = NULL;
    for (int i = 0; i < n; i++) {
        struct node *first = malloc(sizeof *first);
        if (!first) return -1;
        first->next = list; first->value = in[i]; list = first;
    }
    unsigned sum = 0;
    while (list) { struct node *next = list->next; sum = sum * 3 + list->value; free(list); list = next; }
    return sum;
}
#pragma tandem heap(1024)
int grown(const short *in, int n)
{
    short *a = NULL; int have = 0, used = 0;
    char *beside = calloc(3, 7);
    for (int i = 0; i < n; i++) {
        if (used == have) { have = have ? 2 * have : 4; short *more = realloc(a, have * sizeof *a); if (!more) return -1; a = more; }
        if (i == 5) { free(beside); beside = calloc(n, 1); }
        a[used++] = in[i]; beside[used / 2] += in[i];
    }
    unsigned sum = 0; while (used--) sum = sum * 5 + a[used] + beside[used / 2];
    free(a); free(beside);
    return sum;
}
struct tree { struct tree *left, *right; int key; };
#pragma tandem heap(4096)
int sorted(const int *in, int *out, int n)
{
    struct tree *root = NULL;
    for (int i = 0; i < n; i++) {
        struct tree **at = &root;
        while (*at) at = in[i] < (*at)->key ? &(*at)->left : &(*at)->right;
        *at = calloc(1, sizeof **at); (*at)->key = in[i];
    }
    int used = 0;
    while (root) {
        struct tree **least = &root;
        while ((*least)->left) least = &(*least)->left;
        struct tree *it = *least; out[used++] = it->key; *least = it->right; free(it);
    }
    return used;
}
unsigned freed(const unsigned char *in, int n)
{
    unsigned sum = 1;
    for (int i = 0; i < n; i++) { /* each given back before the next one */
        int size = 130 + in[i] % 100; unsigned char *a = malloc(size);
        memset(a, in[i], 130); a[size - 1] = i; free(NULL);
        unsigned char *b = i & 1 ? malloc(8) : NULL; if (b) b[i & 7] = i + 1;
        sum = sum * 31 + a[129] + a[size - 1] + (b ? b[i & 7] : 0); free(b); free(a);
    }
    return sum;
}
int main(void)
{
    int in[40], out[40]; short s[40]; unsigned char bytes[16];
    for (int i = 0; i < 40; i++) { in[i] = i * 37 % 29; s[i] = i * 91 % 57 - 20; bytes[i & 15] = i * 23; }
    printf("%d %d %d\n", listed(in, 40), listed(in + 3, 7), listed(in, 0));
    printf("%d %d %d\n", grown(s, 33), grown(s + 1, 9), grown(s, 0));
    int n = sorted(in, out, 25); for (int i = 0; i < n; i++) printf("%d ", out[i]);
    n = sorted(in + 20, out, 15); for (int i = 0; i < n; i++) printf("%d ", out[i]);
    printf("\n%u %u\n", freed(bytes, 16), freed(bytes + 3, 5));
    return 0;
}
