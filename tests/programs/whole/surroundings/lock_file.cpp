// SPDX-License-Identifier: Apache-2.0
// Begins and ends once, whatever looks at it: a file that is there already would end it.
// offload: total
// served: 1
#include <cstdio>
#include <cstdlib>

static int total(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

struct lock {
    lock()
    {
        std::FILE *file = std::fopen("held", "wx");
        if (!file)
            std::exit(9);
        std::fclose(file);
        std::puts("taken");
    }
    ~lock()
    {
        std::remove("held");
        std::puts("given back");
    }
} held;

int main()
{
    const int a[3] = {1, 2, 3};
    std::printf("%d\n", total(a, 3));
}
