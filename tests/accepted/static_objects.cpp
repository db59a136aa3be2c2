// SPDX-License-Identifier: Apache-2.0
// offload: counted
/* C++: static objects in functions, with constructors, which run at the first call */
#include <cstdio>

static int made;

class Counter {
    int total;

  public:
    explicit Counter(int start) : total(start) { made++; }
    Counter &operator+=(int a)
    {
        total += a;
        return *this;
    }
    int value() const { return total; }
};

int counted(int which, int a)
{
    static Counter even(a), odd(-a);
    static Counter sums[4] = {Counter(1), Counter(a), Counter(3), Counter(4)};
    Counter &one = which & 1 ? odd : even;
    sums[which & 3] += a;
    one += sums[which & 3].value();
    return one.value();
}

int main()
{
    for (int i = 0; i < 12; i++) {
        int count = counted(i, 5 * i + 2);
        std::printf("%d %d\n", count, made);
    }
    return 0;
}
