/* SPDX-License-Identifier: Apache-2.0 */
/* triple DES of a stream of bytes, as software has spelled it for decades, between a producer and a consumer */
#include "co.h"
#include "../../studies/impulse-c/boxes.h"

static const uint32_t boxes[8][64] = {{BOX_0}, {BOX_1}, {BOX_2}, {BOX_3},
                                      {BOX_4}, {BOX_5}, {BOX_6}, {BOX_7}};

#define ROUND(to, from, key)                      \
    do {                                          \
        work = (from >> 4 | from << 28) ^ key[0]; \
        to ^= boxes[0][work >> 24 & 63];          \
        to ^= boxes[2][work >> 16 & 63];          \
        to ^= boxes[4][work >> 8 & 63];           \
        to ^= boxes[6][work & 63];                \
        work = from ^ key[1];                     \
        to ^= boxes[1][work >> 24 & 63];          \
        to ^= boxes[3][work >> 16 & 63];          \
        to ^= boxes[5][work >> 8 & 63];           \
        to ^= boxes[7][work & 63];                \
    } while (0)

enum { BLOCKS = 24 };

static void producer(co_stream blocks, co_memory memory)
{
    uint32_t *keys = (uint32_t *)co_memory_ptr(memory);
    for (uint32_t i = 0; i < 96; i++)
        keys[i] = (i * 2654435761u >> 3) & 0x3f3f3f3f;
    co_stream_open(blocks, O_WRONLY, UINT_TYPE(8));
    for (uint32_t i = 0; i < 8 * BLOCKS; i++) {
        uint8_t x = (uint8_t)(i * 7);
        co_stream_write(blocks, &x, sizeof x);
    }
    co_stream_close(blocks);
}

void des3(co_stream blocks_in, co_stream blocks_out, co_memory memory)
{
    uint32_t keys[3][16][2];
    uint8_t block[8];
    co_memory_readblock(memory, 0, keys, sizeof keys);
    co_stream_open(blocks_in, O_RDONLY, UINT_TYPE(8));
    co_stream_open(blocks_out, O_WRONLY, UINT_TYPE(8));
    while (co_stream_read(blocks_in, &block[0], sizeof block[0]) == co_err_none) {
        uint32_t left, right, work;
        for (int i = 1; i < 8; i++)
            co_stream_read(blocks_in, &block[i], sizeof block[i]);
        left = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
        right = (uint32_t)block[4] << 24 | (uint32_t)block[5] << 16 | (uint32_t)block[6] << 8 | block[7];

        BEGIN(left, right);

        ROUND(left, right, keys[0][0]);
        ROUND(right, left, keys[0][1]);
        ROUND(left, right, keys[0][2]);
        ROUND(right, left, keys[0][3]);
        ROUND(left, right, keys[0][4]);
        ROUND(right, left, keys[0][5]);
        ROUND(left, right, keys[0][6]);
        ROUND(right, left, keys[0][7]);
        ROUND(left, right, keys[0][8]);
        ROUND(right, left, keys[0][9]);
        ROUND(left, right, keys[0][10]);
        ROUND(right, left, keys[0][11]);
        ROUND(left, right, keys[0][12]);
        ROUND(right, left, keys[0][13]);
        ROUND(left, right, keys[0][14]);
        ROUND(right, left, keys[0][15]);

        ROUND(right, left, keys[1][0]);
        ROUND(left, right, keys[1][1]);
        ROUND(right, left, keys[1][2]);
        ROUND(left, right, keys[1][3]);
        ROUND(right, left, keys[1][4]);
        ROUND(left, right, keys[1][5]);
        ROUND(right, left, keys[1][6]);
        ROUND(left, right, keys[1][7]);
        ROUND(right, left, keys[1][8]);
        ROUND(left, right, keys[1][9]);
        ROUND(right, left, keys[1][10]);
        ROUND(left, right, keys[1][11]);
        ROUND(right, left, keys[1][12]);
        ROUND(left, right, keys[1][13]);
        ROUND(right, left, keys[1][14]);
        ROUND(left, right, keys[1][15]);

        ROUND(left, right, keys[2][0]);
        ROUND(right, left, keys[2][1]);
        ROUND(left, right, keys[2][2]);
        ROUND(right, left, keys[2][3]);
        ROUND(left, right, keys[2][4]);
        ROUND(right, left, keys[2][5]);
        ROUND(left, right, keys[2][6]);
        ROUND(right, left, keys[2][7]);
        ROUND(left, right, keys[2][8]);
        ROUND(right, left, keys[2][9]);
        ROUND(left, right, keys[2][10]);
        ROUND(right, left, keys[2][11]);
        ROUND(left, right, keys[2][12]);
        ROUND(right, left, keys[2][13]);
        ROUND(left, right, keys[2][14]);
        ROUND(right, left, keys[2][15]);

        FINISH(left, right);

        for (int i = 0; i < 4; i++) {
            block[i] = (uint8_t)(right >> (24 - 8 * i));
            block[i + 4] = (uint8_t)(left >> (24 - 8 * i));
        }
        for (int i = 0; i < 8; i++)
            co_stream_write(blocks_out, &block[i], sizeof block[i]);
    }
    co_stream_close(blocks_in);
    co_stream_close(blocks_out);
}

static void consumer(co_stream blocks)
{
    uint8_t x;
    uint32_t sum = 0, count = 0;
    co_stream_open(blocks, O_RDONLY, UINT_TYPE(8));
    while (co_stream_read(blocks, &x, sizeof x) == co_err_none) {
        sum = sum * 31 + x;
        count++;
    }
    co_stream_close(blocks);
    printf("%u of %u\n", sum, count);
}

static void configure(void *argument)
{
    (void)argument;
    co_stream in = co_stream_create("blocks_in", UINT_TYPE(8), 16);
    co_stream out = co_stream_create("blocks_out", UINT_TYPE(8), 16);
    co_memory memory = co_memory_create("keys", "heap0", 96 * sizeof(uint32_t));
    co_process_create("producer", (co_function)producer, 2, in, memory);
    co_process p = co_process_create("des3", (co_function)des3, 3, in, out, memory);
    co_process_create("consumer", (co_function)consumer, 1, out);
    co_process_config(p, co_loc, "PE0");
}

co_architecture co_initialize(int argument)
{
    return co_architecture_create("des3", "generic", configure, (void *)(intptr_t)argument);
}

int main(void)
{
    co_execute(co_initialize(0));
    return 0;
}
