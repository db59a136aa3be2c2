/* SPDX-License-Identifier: Apache-2.0 */
/* a block in shared memory, and signals when it is there and done */
#include "co.h"

enum { WORDS = 64 };

static void software(co_memory memory, co_signal go, co_signal done)
{
    uint32_t *words = (uint32_t *)co_memory_ptr(memory), sum = 0;
    int32_t count = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u >> 5;
    co_signal_post(go, WORDS);
    co_signal_wait(done, &count);
    for (uint32_t i = 0; i < WORDS; i++)
        sum = sum * 31 + words[i];
    printf("%u of %d\n", sum, count);
}

void reverse(co_memory memory, co_signal go, co_signal done)
{
    int32_t count = 0;
    uint32_t block[WORDS];
    co_signal_wait(go, &count);
    co_memory_readblock(memory, 0, block, sizeof block);
    for (int i = 0; i < WORDS / 2; i++) {
        uint32_t kept = block[i];
        block[i] = block[WORDS - 1 - i] + 1;
        block[WORDS - 1 - i] = kept ^ 0xff;
    }
    co_memory_writeblock(memory, 0, block, sizeof block);
    co_signal_post(done, count * 2);
}

static void configure(void *argument)
{
    (void)argument;
    co_memory memory = co_memory_create("memory", "heap0", WORDS * sizeof(uint32_t));
    co_signal go = co_signal_create("go");
    co_signal done = co_signal_create("done");
    co_process_create("software", (co_function)software, 3, memory, go, done);
    co_process hardware = co_process_create("reverse", (co_function)reverse, 3, memory, go, done);
    co_process_config(hardware, co_loc, "PE0");
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
