/* SPDX-License-Identifier: Apache-2.0 */
/* an image in three stages: brightness, edges across, a threshold */
#include "co.h"

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    for (uint32_t i = 0; i < 32 * 24; i++) {
        uint8_t x = (uint8_t)(i * i >> 3 ^ i);
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

enum { WIDTH = 32 };

void brighten(co_stream in, co_stream out)
{
    uint8_t x;
    co_stream_open(in, O_RDONLY, UINT_TYPE(8));
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
#pragma CO PIPELINE
        uint8_t y = (uint8_t)(x > 215 ? 255 : x + 40);
        co_stream_write(out, &y, sizeof y);
    }
    co_stream_close(in);
    co_stream_close(out);
}

void edges(co_stream in, co_stream out)
{
    uint8_t x, above[WIDTH] = {0}, left = 0;
    uint32_t column = 0;
    co_stream_open(in, O_RDONLY, UINT_TYPE(8));
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        int across = x > left ? x - left : left - x;
        int down = x > above[column] ? x - above[column] : above[column] - x;
        uint8_t y = (uint8_t)(across + down > 255 ? 255 : across + down);
        above[column] = x;
        left = x;
        column = column == WIDTH - 1 ? 0 : column + 1;
        co_stream_write(out, &y, sizeof y);
    }
    co_stream_close(in);
    co_stream_close(out);
}

void threshold(co_stream in, co_stream out)
{
    uint8_t x;
    co_stream_open(in, O_RDONLY, UINT_TYPE(8));
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        uint8_t y = x > 90;
        co_stream_write(out, &y, sizeof y);
    }
    co_stream_close(in);
    co_stream_close(out);
}

static void sink(co_stream in)
{
    uint8_t x;
    uint32_t sum = 0, count = 0;
    co_stream_open(in, O_RDONLY, UINT_TYPE(8));
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
    co_stream a = co_stream_create("pixels", UINT_TYPE(8), 8);
    co_stream b = co_stream_create("bright", UINT_TYPE(8), 8);
    co_stream c = co_stream_create("edges", UINT_TYPE(8), 8);
    co_stream d = co_stream_create("found", UINT_TYPE(8), 8);
    co_process_create("source", (co_function)source, 1, a);
    co_process one = co_process_create("brighten", (co_function)brighten, 2, a, b);
    co_process two = co_process_create("edges", (co_function)edges, 2, b, c);
    co_process three = co_process_create("threshold", (co_function)threshold, 2, c, d);
    co_process_create("sink", (co_function)sink, 1, d);
    co_process_config(one, co_loc, "PE0");
    co_process_config(two, co_loc, "PE0");
    co_process_config(three, co_loc, "PE0");
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
