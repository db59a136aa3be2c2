/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int top(const int *in, int n)
{
    struct node *list = 0;
    for (int i = 0; i < n; i++) {
        struct node *first = malloc(sizeof *first);
        first->next = list;
        first->value = in[i];
        list = first;
    }
    int sum = 0;
    for (; list; list = list->next)
        sum = sum * 3 + list->value;
    return sum;
}
