// SPDX-License-Identifier: Apache-2.0
// run: --offload find --platform zynq-7000
// held out
// Loops that end where something is found.
#include <stdio.h>

int find(const char *text, int n, const char *word, int m)
{
    for (int i = 0; i + m <= n; i++) {
        int j = 0;
        while (j < m && text[i + j] == word[j])
            j++;
        if (j == m)
            return i;
    }
    return -1;
}

int main(void)
{
    static char text[12][2000];
    long sum = 0;
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 2000; j++)
            text[i][j] = 'a' + (i + j) % 5;
        text[i][1900] = 'x';
    }
    for (int i = 0; i < 12; i++)
        sum += find(text[i], 2000, "xab", 3) + find(text[i], 2000, "x", 1);
    printf("%ld\n", sum);
    return 0;
}
