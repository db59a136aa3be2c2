/* SPDX-License-Identifier: Apache-2.0 */
/* two streams from software, of other lengths */
#include "co.h"

static void letters(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    for (uint32_t i = 0; i < 70; i++) {
        uint8_t x = (uint8_t)('a' + i % 26);
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

static void keys(co_stream out)
{
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    for (uint32_t i = 0; i < 9; i++) {
        uint8_t x = (uint8_t)(i * 29 + 3);
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(out);
}

void cipher(co_stream text, co_stream key, co_stream out)
{
    uint8_t keys[16], x;
    uint32_t count = 0, k = 0;
    co_stream_open(text, O_RDONLY, UINT_TYPE(8));
    co_stream_open(key, O_RDONLY, UINT_TYPE(8));
    co_stream_open(out, O_WRONLY, UINT_TYPE(8));
    while (co_stream_read(key, &x, sizeof x) == co_err_none)
        keys[count++ & 15] = x;
    while (co_stream_read(text, &x, sizeof x) == co_err_none) {
        x ^= keys[k];
        k = k + 1 == count ? 0 : k + 1;
        co_stream_write(out, &x, sizeof x);
    }
    co_stream_close(text);
    co_stream_close(key);
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
    co_stream text = co_stream_create("text", UINT_TYPE(8), 8);
    co_stream key = co_stream_create("key", UINT_TYPE(8), 8);
    co_stream out = co_stream_create("out", UINT_TYPE(8), 8);
    co_process_create("letters", (co_function)letters, 1, text);
    co_process_create("keys", (co_function)keys, 1, key);
    co_process p = co_process_create("cipher", (co_function)cipher, 3, text, key, out);
    co_process_create("sink", (co_function)sink, 1, out);
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
