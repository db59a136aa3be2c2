/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* pointers in memory: lists, tables of pointers, pointers to pointers, null */
#include <stdio.h>
#include <string.h>

struct node {
    int value;
    struct node *next, *before;
};
static struct node pool[20], *head;
static int used;
static int low[8] = {1, 2, 3, 4, 5, 6, 7, 8}, high[8] = {9, 8, 7, 6, 5, 4, 3, 2};
static int *const both[3] = {low, high, low + 4};

static struct node *push(struct node *list, int value)
{
    struct node *first = &pool[used++];
    first->value = value;
    first->next = list;
    first->before = NULL;
    if (list) list->before = first;
    return first;
}

static struct node *reverse(struct node *list)
{
    struct node *reversed = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = reversed;
        list->before = next;
        reversed = list;
        list = next;
    }
    return reversed;
}

static void swap(int **a, int **b)
{
    int *kept = *a;
    *a = *b;
    *b = kept;
}

int main(void)
{
    int x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, *p = x, *q = y, *ends[2] = {x + 3, y};
    unsigned sum = 0, count = 0;
    struct node copies[3];
    for (int i = 0; i < 20; i++) head = push(head, i * i % 7);
    head = reverse(head);
    for (struct node *n = head; n; n = n->next) {
        sum = sum * 3 + n->value;
        if (count++ & 1) swap(&p, &q);
        sum += p[count & 3] + *ends[count % 2] + both[count % 3][count & 3];
        if (count % 4 == 0) {
            ends[0] = x;
            ends[1] = y + 1;
        }
    }
    memcpy(copies, head, sizeof copies);
    sum += copies[1].next->value + (copies[1].before ? copies[1].before->value : 100);
    printf("%u\n", sum);
    return sum & 127;
}
