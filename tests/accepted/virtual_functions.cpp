// SPDX-License-Identifier: Apache-2.0
// offload: areas
/* C++: virtual functions where the class can be told, and the standard library's templates */
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <utility>

struct Shape {
    virtual int area() const = 0;
    virtual int corners() const { return 4; }
};

struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};

struct Triangle : Shape {
    int base, height;
    Triangle(int base, int height) : base(base), height(height) {}
    int area() const override { return base * height / 2; }
    int corners() const override { return 3; }
};

extern "C" int areas(const int *sizes, std::array<int, 12> &found)
{
    Square square(3);
    Triangle triangle(4, 5);
    for (unsigned i = 0; i < found.size(); i++) {
        square.side += sizes[i];
        const Shape &shape = sizes[i] & 1 ? static_cast<const Shape &>(square) : triangle;
        found[i] = shape.area() * shape.corners();
    }
    std::reverse(found.begin(), found.begin() + 4);
    std::swap(found[0], found[11]);
    auto [least, most] = std::minmax_element(found.begin(), found.end());
    return std::accumulate(found.begin(), found.end(), 0) ^ (*most - *least);
}

int main()
{
    int sizes[12] = {3, -4, 5, 8, 1, 0, -7, 2, 2, 9, -6, 4};
    std::array<int, 12> found;
    int sum = areas(sizes, found);
    for (int x : found)
        std::printf("%d ", x);
    std::printf("%d\n", sum);
    return 0;
}
