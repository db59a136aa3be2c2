/* SPDX-License-Identifier: Apache-2.0 */
/* a filter of four taps */
#include "co.h"

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, INT_TYPE(32));
    for (uint32_t i = 0; i < 200; i++) {
        int32_t x = (int32_t)(i * 37 % 101) - 50;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

void fir(co_stream in, co_stream out)
{
    static const int32_t taps[4] = {1, 3, 3, 1};
    int32_t x, last[4] = {0};
    co_stream_open(in, O_RDONLY, INT_TYPE(32));
    co_stream_open(out, O_WRONLY, INT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
#pragma CO PIPELINE
#pragma CO SET stageDelay 32
        int32_t sum = 0;
        for (int i = 3; i; i--)
            last[i] = last[i - 1];
        last[0] = x;
        for (int i = 0; i < 4; i++)
            sum += last[i] * taps[i];
        co_stream_write(out, &sum, sizeof sum);
    }
    co_stream_close(in);
    co_stream_close(out);
}

static void sink(co_stream in)
{
    int32_t x;
    uint32_t sum = 0, count = 0;
    co_stream_open(in, O_RDONLY, INT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        sum = sum * 31 + (uint32_t)x;
        count++;
    }
    co_stream_close(in);
    printf("%u of %u\n", sum, count);
}

static void configure(void *argument)
{
    (void)argument;
    co_stream a = co_stream_create("a", INT_TYPE(32), 4);
    co_stream b = co_stream_create("b", INT_TYPE(32), 4);
    co_process_create("source", (co_function)source, 1, a);
    co_process fir_process = co_process_create("fir", (co_function)fir, 2, a, b);
    co_process_create("sink", (co_function)sink, 1, b);
    co_process_config(fir_process, co_loc, "PE0");
}

co_architecture co_initialize(int argument)
{
    return co_architecture_create("test", "generic", configure, (void *)(intptr_t)argument);
}

int main(void)
{
    co_execute(co_initialize(0));
    return 0;
}
