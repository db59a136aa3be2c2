/* SPDX-License-Identifier: Apache-2.0 */
/* a stream in two, one part slower than the other, and together again as records come */
#include "co.h"

static void source(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    for (uint32_t i = 0; i < 90; i++) {
        uint32_t x = i * 40503u >> 2;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

void split(co_stream in, co_stream left, co_stream right)
{
    uint32_t x;
    co_stream_open(in, O_RDONLY, UINT_TYPE(32));
    co_stream_open(left, O_WRONLY, UINT_TYPE(32));
    co_stream_open(right, O_WRONLY, UINT_TYPE(32));
    while (co_stream_read(in, &x, sizeof x) == co_err_none) {
        uint32_t low = x & 0xffff, high = x >> 16;
        co_stream_write(left, &low, sizeof low);
        co_stream_write(right, &high, sizeof high);
    }
    co_stream_close(in);
    co_stream_close(left);
    co_stream_close(right);
}

void divide(co_stream in, co_stream out)
{
    uint32_t x = 0;
    co_stream_open(in, O_RDONLY, UINT_TYPE(32));
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    while (!co_stream_eos(in)) {
        co_stream_read(in, &x, sizeof x);
        x = 100000 / (x + 1);
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(in);
    co_stream_close(out);
}

void merge(co_stream left, co_stream right, co_stream out)
{
    uint32_t x, sum = 0, count = 0;
    co_error from_left = co_err_no_data, from_right = co_err_no_data;
    co_stream_open(left, O_RDONLY, UINT_TYPE(32));
    co_stream_open(right, O_RDONLY, UINT_TYPE(32));
    co_stream_open(out, O_WRONLY, UINT_TYPE(32));
    while (from_left != co_err_eos || from_right != co_err_eos) {
        if (from_left != co_err_eos)
            from_left = co_stream_read_nb(left, &x, sizeof x);
        if (from_left == co_err_none) {
            sum += x * 7;
            count++;
        }
        if (from_right != co_err_eos)
            from_right = co_stream_read_nb(right, &x, sizeof x);
        if (from_right == co_err_none) {
            sum += x;
            count++;
        }
    }
    co_stream_write(out, &sum, sizeof sum);
    co_stream_write(out, &count, sizeof count);
    co_stream_close(left);
    co_stream_close(right);
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
    co_stream words = co_stream_create("words", UINT_TYPE(32), 4);
    co_stream left = co_stream_create("left", UINT_TYPE(32), 4);
    co_stream divided = co_stream_create("divided", UINT_TYPE(32), 4);
    co_stream right = co_stream_create("right", UINT_TYPE(32), 64);
    co_stream joined = co_stream_create("joined", UINT_TYPE(32), 4);
    co_process_create("source", (co_function)source, 1, words);
    co_process p = co_process_create("split", (co_function)split, 3, words, left, right);
    co_process q = co_process_create("divide", (co_function)divide, 2, left, divided);
    co_process r = co_process_create("merge", (co_function)merge, 3, divided, right, joined);
    co_process_create("sink", (co_function)sink, 1, joined);
    co_process_config(p, co_loc, "PE0");
    co_process_config(q, co_loc, "PE0");
    co_process_config(r, co_loc, "PE0");
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
