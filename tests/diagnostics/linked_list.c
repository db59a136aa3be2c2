/* SPDX-License-Identifier: Apache-2.0 */
struct node {
    struct node *next;
    unsigned value;
};
unsigned top(const struct node *list)
{
    unsigned sum = 0;
    while (list) {
        sum += list->value;
        list = list->next;
    }
    return sum;
}
