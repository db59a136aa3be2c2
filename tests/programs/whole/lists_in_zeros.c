// SPDX-License-Identifier: Apache-2.0
// offload: main
/* Lists that end in what no statement has set. */
#include <stdio.h>

struct node {
    struct node *next;
    int value;
};
static struct node pool[8];
static struct node *heads[4];
static int used;
static void put(int value)
{
    struct node *node = &pool[used++];
    node->value = value;
    node->next = heads[value & 3];
    heads[value & 3] = node;
}
static int has(int value)
{
    for (struct node *node = heads[value & 3]; node != 0; node = node->next)
        if (node->value == value)
            return 1;
    return 0;
}
static volatile int numbers[6] = {3, 7, 8, 12, 21, 15};
int main(void)
{
    int found = 0;
    for (int i = 0; i < 6; i++)
        put(numbers[i]);
    for (int i = 0; i < 24; i++)
        found += has(i) * i;
    printf("%d\n", found);
    return found & 127;
}
