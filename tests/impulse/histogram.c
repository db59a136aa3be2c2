/* SPDX-License-Identifier: Apache-2.0 */
/* a count of bytes, given when the stream ends */
#include "co.h"

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    for (uint32_t i = 0; i < 400; i++) {
        uint8_t x = (uint8_t)(i * i * 7 >> 4);
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

void count(co_stream in, co_stream out)
{
    uint8_t x;
    uint32_t bins[256] = {0};
    co_stream_open(in, O_RDONLY, UINT_TYPE(8));
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none)
        bins[x]++;
    for (int i = 0; i < 256; i++)
        co_stream_write(out, &bins[i], sizeof bins[i]);
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
    co_stream a = co_stream_create("a", UINT_TYPE(8), 8);
    co_stream b = co_stream_create("b", UINT_TYPE(32), 8);
    co_process_create("source", (co_function)source, 1, a);
    co_process p = co_process_create("count", (co_function)count, 2, a, b);
    co_process_create("sink", (co_function)sink, 1, b);
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
