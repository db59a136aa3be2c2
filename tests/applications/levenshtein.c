// SPDX-License-Identifier: Apache-2.0
// offload: distance
// Edits between two words; kitten and sitting are three apart.
#include <stdio.h>
#include <string.h>

#define LONGEST 63

int distance(const char *a, int a_length, const char *b, int b_length)
{
    int row[LONGEST + 1];
    for (int j = 0; j <= b_length; j++)
        row[j] = j;
    for (int i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int cost = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < cost)
                cost = row[j] + 1;
            if (row[j - 1] + 1 < cost)
                cost = row[j - 1] + 1;
            row[j] = cost;
        }
    }
    return row[b_length];
}

static int slow(const char *a, const char *b)
{
    if (!*a || !*b)
        return (int)(strlen(a) + strlen(b));
    if (*a == *b)
        return slow(a + 1, b + 1);
    int least = slow(a + 1, b), other = slow(a, b + 1), both = slow(a + 1, b + 1);
    least = other < least ? other : least;
    return 1 + (both < least ? both : least);
}

int main(void)
{
    static const char *const words[] = {"kitten", "sitting", "", "saturn", "sunday", "hardware"};
    int wrong = 0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            int found = distance(words[i], (int)strlen(words[i]), words[j], (int)strlen(words[j]));
            wrong += found != slow(words[i], words[j]);
            printf("%3d", found);
        }
        printf("\n");
    }
    wrong += distance("kitten", 6, "sitting", 7) != 3;
    return wrong != 0;
}
