// SPDX-License-Identifier: Apache-2.0
// offload: filter
// Floating-point stages, each with operators of its own; a process started in a loop.
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(numbers, double)

static void feed(const double *x, uint32_t n, numbers *out)
{
    for (uint32_t i = 0; i < n; i++)
        numbers_write(out, x[i]);
    numbers_close(out);
}

static void smooth(numbers *in, numbers *out, double a)
{
    double before = 0, x;
    while (numbers_next(in, &x)) {
        before = a * before + (1 - a) * x;
        numbers_write(out, before);
    }
    numbers_close(out);
}

static void keep(numbers *in, double *y)
{
    double x;
    for (uint32_t i = 0; numbers_next(in, &x); i++)
        y[i] = x;
}

#pragma tandem extent(y, 8 * n)
void filter(const double *x, double *y, uint32_t n, uint32_t rounds)
{
    for (uint32_t k = 0; k < rounds; k++) {
        numbers a = {0}, b = {0}, c = {0};
        tandem_start(feed(x, n, &a));
        tandem_start(smooth(&a, &b, 0.5 + k));
        tandem_start(smooth(&b, &c, 0.25));
        tandem_start(keep(&c, y));
        tandem_join();
    }
}

int main(void)
{
    double x[20], y[20];
    for (int i = 0; i < 20; i++)
        x[i] = i % 7 - 3.25;
    filter(x, y, 20, 2);
    for (int i = 0; i < 20; i++)
        printf("%.17g\n", y[i]);
    return 0;
}
