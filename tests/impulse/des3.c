/* SPDX-License-Identifier: Apache-2.0 */
/* triple DES of a stream of bytes, as software has spelled it for decades, between a producer and a consumer */
#include "co.h"

static const uint32_t sp[8][64] = {
    {0x01010400, 0x00000000, 0x00010000, 0x01010404, 0x01010004, 0x00010404, 0x00000004, 0x00010000,
     0x00000400, 0x01010400, 0x01010404, 0x00000400, 0x01000404, 0x01010004, 0x01000000, 0x00000004,
     0x00000404, 0x01000400, 0x01000400, 0x00010400, 0x00010400, 0x01010000, 0x01010000, 0x01000404,
     0x00010004, 0x01000004, 0x01000004, 0x00010004, 0x00000000, 0x00000404, 0x00010404, 0x01000000,
     0x00010000, 0x01010404, 0x00000004, 0x01010000, 0x01010400, 0x01000000, 0x01000000, 0x00000400,
     0x01010004, 0x00010000, 0x00010400, 0x01000004, 0x00000400, 0x00000004, 0x01000404, 0x00010404,
     0x01010404, 0x00010004, 0x01010000, 0x01000404, 0x01000004, 0x00000404, 0x00010404, 0x01010400,
     0x00000404, 0x01000400, 0x01000400, 0x00000000, 0x00010004, 0x00010400, 0x00000000, 0x01010004},
    {0x80108020, 0x80008000, 0x00008000, 0x00108020, 0x00100000, 0x00000020, 0x80100020, 0x80008020,
     0x80000020, 0x80108020, 0x80108000, 0x80000000, 0x80008000, 0x00100000, 0x00000020, 0x80100020,
     0x00108000, 0x00100020, 0x80008020, 0x00000000, 0x80000000, 0x00008000, 0x00108020, 0x80100000,
     0x00100020, 0x80000020, 0x00000000, 0x00108000, 0x00008020, 0x80108000, 0x80100000, 0x00008020,
     0x00000000, 0x00108020, 0x80100020, 0x00100000, 0x80008020, 0x80100000, 0x80108000, 0x00008000,
     0x80100000, 0x80008000, 0x00000020, 0x80108020, 0x00108020, 0x00000020, 0x00008000, 0x80000000,
     0x00008020, 0x80108000, 0x00100000, 0x80000020, 0x00100020, 0x80008020, 0x80000020, 0x00100020,
     0x00108000, 0x00000000, 0x80008000, 0x00008020, 0x80000000, 0x80100020, 0x80108020, 0x00108000},
    {0x00000208, 0x08020200, 0x00000000, 0x08020008, 0x08000200, 0x00000000, 0x00020208, 0x08000200,
     0x00020008, 0x08000008, 0x08000008, 0x00020000, 0x08020208, 0x00020008, 0x08020000, 0x00000208,
     0x08000000, 0x00000008, 0x08020200, 0x00000200, 0x00020200, 0x08020000, 0x08020008, 0x00020208,
     0x08000208, 0x00020200, 0x00020000, 0x08000208, 0x00000008, 0x08020208, 0x00000200, 0x08000000,
     0x08020200, 0x08000000, 0x00020008, 0x00000208, 0x00020000, 0x08020200, 0x08000200, 0x00000000,
     0x00000200, 0x00020008, 0x08020208, 0x08000200, 0x08000008, 0x00000200, 0x00000000, 0x08020008,
     0x08000208, 0x00020000, 0x08000000, 0x08020208, 0x00000008, 0x00020208, 0x00020200, 0x08000008,
     0x08020000, 0x08000208, 0x00000208, 0x08020000, 0x00020208, 0x00000008, 0x08020008, 0x00020200},
    {0x00802001, 0x00002081, 0x00002081, 0x00000080, 0x00802080, 0x00800081, 0x00800001, 0x00002001,
     0x00000000, 0x00802000, 0x00802000, 0x00802081, 0x00000081, 0x00000000, 0x00800080, 0x00800001,
     0x00000001, 0x00002000, 0x00800000, 0x00802001, 0x00000080, 0x00800000, 0x00002001, 0x00002080,
     0x00800081, 0x00000001, 0x00002080, 0x00800080, 0x00002000, 0x00802080, 0x00802081, 0x00000081,
     0x00800080, 0x00800001, 0x00802000, 0x00802081, 0x00000081, 0x00000000, 0x00000000, 0x00802000,
     0x00002080, 0x00800080, 0x00800081, 0x00000001, 0x00802001, 0x00002081, 0x00002081, 0x00000080,
     0x00802081, 0x00000081, 0x00000001, 0x00002000, 0x00800001, 0x00002001, 0x00802080, 0x00800081,
     0x00002001, 0x00002080, 0x00800000, 0x00802001, 0x00000080, 0x00800000, 0x00002000, 0x00802080},
    {0x00000100, 0x02080100, 0x02080000, 0x42000100, 0x00080000, 0x00000100, 0x40000000, 0x02080000,
     0x40080100, 0x00080000, 0x02000100, 0x40080100, 0x42000100, 0x42080000, 0x00080100, 0x40000000,
     0x02000000, 0x40080000, 0x40080000, 0x00000000, 0x40000100, 0x42080100, 0x42080100, 0x02000100,
     0x42080000, 0x40000100, 0x00000000, 0x42000000, 0x02080100, 0x02000000, 0x42000000, 0x00080100,
     0x00080000, 0x42000100, 0x00000100, 0x02000000, 0x40000000, 0x02080000, 0x42000100, 0x40080100,
     0x02000100, 0x40000000, 0x42080000, 0x02080100, 0x40080100, 0x00000100, 0x02000000, 0x42080000,
     0x42080100, 0x00080100, 0x42000000, 0x42080100, 0x02080000, 0x00000000, 0x40080000, 0x42000000,
     0x00080100, 0x02000100, 0x40000100, 0x00080000, 0x00000000, 0x40080000, 0x02080100, 0x40000100},
    {0x20000010, 0x20400000, 0x00004000, 0x20404010, 0x20400000, 0x00000010, 0x20404010, 0x00400000,
     0x20004000, 0x00404010, 0x00400000, 0x20000010, 0x00400010, 0x20004000, 0x20000000, 0x00004010,
     0x00000000, 0x00400010, 0x20004010, 0x00004000, 0x00404000, 0x20004010, 0x00000010, 0x20400010,
     0x20400010, 0x00000000, 0x00404010, 0x20404000, 0x00004010, 0x00404000, 0x20404000, 0x20000000,
     0x20004000, 0x00000010, 0x20400010, 0x00404000, 0x20404010, 0x00400000, 0x00004010, 0x20000010,
     0x00400000, 0x20004000, 0x20000000, 0x00004010, 0x20000010, 0x20404010, 0x00404000, 0x20400000,
     0x00404010, 0x20404000, 0x00000000, 0x20400010, 0x00000010, 0x00004000, 0x20400000, 0x00404010,
     0x00004000, 0x00400010, 0x20004010, 0x00000000, 0x20404000, 0x20000000, 0x00400010, 0x20004010},
    {0x00200000, 0x04200002, 0x04000802, 0x00000000, 0x00000800, 0x04000802, 0x00200802, 0x04200800,
     0x04200802, 0x00200000, 0x00000000, 0x04000002, 0x00000002, 0x04000000, 0x04200002, 0x00000802,
     0x04000800, 0x00200802, 0x00200002, 0x04000800, 0x04000002, 0x04200000, 0x04200800, 0x00200002,
     0x04200000, 0x00000800, 0x00000802, 0x04200802, 0x00200800, 0x00000002, 0x04000000, 0x00200800,
     0x04000000, 0x00200800, 0x00200000, 0x04000802, 0x04000802, 0x04200002, 0x04200002, 0x00000002,
     0x00200002, 0x04000000, 0x04000800, 0x00200000, 0x04200800, 0x00000802, 0x00200802, 0x04200800,
     0x00000802, 0x04000002, 0x04200802, 0x04200000, 0x00200800, 0x00000000, 0x00000002, 0x04200802,
     0x00000000, 0x00200802, 0x04200000, 0x00000800, 0x04000002, 0x04000800, 0x00000800, 0x00200002},
    {0x10001040, 0x00001000, 0x00040000, 0x10041040, 0x10000000, 0x10001040, 0x00000040, 0x10000000,
     0x00040040, 0x10040000, 0x10041040, 0x00041000, 0x10041000, 0x00041040, 0x00001000, 0x00000040,
     0x10040000, 0x10000040, 0x10001000, 0x00001040, 0x00041000, 0x00040040, 0x10040040, 0x10041000,
     0x00001040, 0x00000000, 0x00000000, 0x10040040, 0x10000040, 0x10001000, 0x00041040, 0x00040000,
     0x00041040, 0x00040000, 0x10041000, 0x00001000, 0x00000040, 0x10040040, 0x00001000, 0x00041040,
     0x10001000, 0x00000040, 0x10000040, 0x10040000, 0x10040040, 0x10000000, 0x00040000, 0x10001040,
     0x00000000, 0x10041040, 0x00040040, 0x10000040, 0x10040000, 0x10001000, 0x10001040, 0x00000000,
     0x10041040, 0x00041000, 0x00041000, 0x00001040, 0x00001040, 0x00040040, 0x10000000, 0x10041000}};

/* Bits of one half that change places with bits of the other. */
#define EXCHANGE(a, b, by, mask)        \
    do {                                \
        work = ((a >> by) ^ b) & mask;  \
        b ^= work;                      \
        a ^= work << by;                \
    } while (0)

/* One round: the key is six bits for each of the even boxes, and for each of the odd ones. */
#define ROUND(to, from, key)                    \
    do {                                        \
        work = (from >> 4 | from << 28) ^ key[0]; \
        to ^= sp[0][work >> 24 & 63];           \
        to ^= sp[2][work >> 16 & 63];           \
        to ^= sp[4][work >> 8 & 63];            \
        to ^= sp[6][work & 63];                 \
        work = from ^ key[1];                   \
        to ^= sp[1][work >> 24 & 63];           \
        to ^= sp[3][work >> 16 & 63];           \
        to ^= sp[5][work >> 8 & 63];            \
        to ^= sp[7][work & 63];                 \
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

        EXCHANGE(left, right, 4, 0x0f0f0f0f);
        EXCHANGE(left, right, 16, 0x0000ffff);
        EXCHANGE(right, left, 2, 0x33333333);
        EXCHANGE(right, left, 8, 0x00ff00ff);
        right = right << 1 | right >> 31;
        EXCHANGE(left, right, 0, 0xaaaaaaaa);
        left = left << 1 | left >> 31;

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

        right = right << 31 | right >> 1;
        EXCHANGE(left, right, 0, 0xaaaaaaaa);
        left = left << 31 | left >> 1;
        EXCHANGE(left, right, 8, 0x00ff00ff);
        EXCHANGE(left, right, 2, 0x33333333);
        EXCHANGE(right, left, 16, 0x0000ffff);
        EXCHANGE(right, left, 4, 0x0f0f0f0f);

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
