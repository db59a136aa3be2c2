/* SPDX-License-Identifier: Apache-2.0 */
/* a gain in a register, and a count in another one */
#include "co.h"

static void source(co_stream out, co_register gain)
{
    co_register_put(gain, 12);
    co_stream_open(out, O_WRONLY, INT_TYPE(16));
    for (int16_t i = -60; i < 60; i++)
        co_stream_write(out, &i, sizeof i);
    co_stream_close(out);
}

void amplify(co_stream in, co_register gain, co_stream out, co_register clipped)
{
    int16_t x;
    int32_t count = 0, by = co_register_get(gain);
    co_stream_open(in, O_RDONLY, INT_TYPE(16));
    co_stream_open(out, O_WRONLY, INT_TYPE(16));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        int32_t y = x * by;
        if (y > 500 || y < -500) {
            y = y < 0 ? -500 : 500;
            count++;
        }
        x = (int16_t)y;
        co_stream_write(out, &x, sizeof x);
    }
    co_register_put(clipped, count);
    co_stream_close(in);
    co_stream_close(out);
}

static void sink(co_stream in, co_register clipped)
{
    int16_t x;
    uint32_t sum = 0;
    co_stream_open(in, O_RDONLY, INT_TYPE(16));
    while (co_stream_read(in, &x, sizeof x) == co_err_none)
        sum = sum * 31 + (uint32_t)x;
    co_stream_close(in);
    printf("%u, %d clipped\n", sum, co_register_get(clipped));
}

static void configure(void *argument)
{
    (void)argument;
    co_stream a = co_stream_create("a", INT_TYPE(16), 4), b = co_stream_create("b", INT_TYPE(16), 4);
    co_register gain = co_register_create("gain", INT_TYPE(32));
    co_register clipped = co_register_create("clipped", INT_TYPE(32));
    co_process_create("source", (co_function)source, 2, a, gain);
    co_process p = co_process_create("amplify", (co_function)amplify, 4, a, gain, b, clipped);
    co_process_create("sink", (co_function)sink, 2, b, clipped);
    co_process_config(p, co_loc, "PE0");
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
