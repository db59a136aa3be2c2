/* SPDX-License-Identifier: Apache-2.0 */
/* a stream of structs */
#include "co.h"

typedef struct {
    int16_t re, im;
    uint8_t kind;
} sample;

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, STRUCT_TYPE(sample));
    for (int i = 0; i < 120; i++) {
        sample s = {(int16_t)(i * 7 - 300), (int16_t)(500 - i * 11), (uint8_t)(i & 3)};
        co_stream_write(out, &s, sizeof s);
    }
    co_stream_close(out);
}

void rotate(co_stream in, co_stream out)
{
    sample s;
    co_stream_open(in, O_RDONLY, STRUCT_TYPE(sample));
    co_stream_open(out, O_WRONLY, STRUCT_TYPE(sample));
    while (co_stream_read(in, &s, sizeof s) == co_err_none) {
        sample turned = {(int16_t)(s.re - s.im), (int16_t)(s.re + s.im), (uint8_t)(s.kind + 1)};
        if (s.kind != 2)
            co_stream_write(out, &turned, sizeof turned);
    }
    co_stream_close(in);
    co_stream_close(out);
}

static void sink(co_stream in)
{
    sample x;
    uint32_t sum = 0, count = 0;
    co_stream_open(in, O_RDONLY, STRUCT_TYPE(sample));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        sum = sum * 31 + (uint32_t)(x.re * 3 + x.im * 5 + x.kind);
        count++;
    }
    co_stream_close(in);
    printf("%u of %u\n", sum, count);
}

static void configure(void *argument)
{
    (void)argument;
    co_stream a = co_stream_create("a", STRUCT_TYPE(sample), 4);
    co_stream b = co_stream_create("b", STRUCT_TYPE(sample), 4);
    co_process_create("source", (co_function)source, 1, a);
    co_process turn = co_process_create("rotate", (co_function)rotate, 2, a, b);
    co_process_create("sink", (co_function)sink, 1, b);
    co_process_config(turn, co_loc, "PE0");
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
