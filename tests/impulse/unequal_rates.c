/* SPDX-License-Identifier: Apache-2.0 */
/* three records for one, and one for two */
#include "co.h"

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    for (uint32_t i = 0; i < 150; i++) {
        uint32_t x = i * 2654435761u >> 9;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

void expand(co_stream in, co_stream out)
{
    uint32_t x;
    co_stream_open(in, O_RDONLY, UINT_TYPE(32));
    co_stream_open(out, O_WRONLY, UINT_TYPE(16));
    while (co_stream_read(in, &x, sizeof x) == co_err_none)
        for (int i = 0; i < 3; i++) {
            uint16_t part = (uint16_t)(x >> 8 * i);
            co_stream_write(out, &part, sizeof part);
        }
    co_stream_close(in);
    co_stream_close(out);
}

void halve(co_stream in, co_stream out)
{
    uint16_t x, y;
    co_stream_open(in, O_RDONLY, UINT_TYPE(16));
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        if (co_stream_read(in, &y, sizeof y) != co_err_none)
            y = 0;
        uint32_t both = (uint32_t)x * y + x;
        co_stream_write(out, &both, sizeof both);
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
    co_stream b = co_stream_create("b", UINT_TYPE(16), 8);
    co_stream c = co_stream_create("c", UINT_TYPE(32), 4);
    co_process_create("source", (co_function)source, 1, a);
    co_process first = co_process_create("expand", (co_function)expand, 2, a, b);
    co_process second = co_process_create("halve", (co_function)halve, 2, b, c);
    co_process_create("sink", (co_function)sink, 1, c);
    co_process_config(first, co_loc, "PE0");
    co_process_config(second, co_loc, "PE0");
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
