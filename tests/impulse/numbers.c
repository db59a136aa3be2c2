/* SPDX-License-Identifier: Apache-2.0 */
/* one function for two processes, each with a number of its own */
#include "co.h"

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    for (uint32_t i = 0; i < 80; i++) {
        uint32_t x = i * 977 % 4001;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

void scale(co_stream in, co_stream out, co_parameter by)
{
    uint32_t x;
    co_stream_open(in, O_RDONLY, UINT_TYPE(32));
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        x = x * (uint32_t)(uintptr_t)by + 1;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(in);
    co_stream_close(out);
}

static void sink(co_stream in)
{
    uint32_t x;
    uint32_t sum = 0, count = 0;
    co_stream_open(in, O_RDONLY, UINT_TYPE(32));
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
    co_stream a = co_stream_create("a", UINT_TYPE(32), 4);
    co_stream b = co_stream_create("b", UINT_TYPE(32), 4);
    co_stream c = co_stream_create("c", UINT_TYPE(32), 4);
    co_process_create("source", (co_function)source, 1, a);
    co_process p = co_process_create("first", (co_function)scale, 3, a, b, (co_parameter)3);
    co_process q = co_process_create("second", (co_function)scale, 3, b, c, (co_parameter)5);
    co_process_create("sink", (co_function)sink, 1, c);
    co_process_config(p, co_loc, "PE0");
    co_process_config(q, co_loc, "PE1");
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
