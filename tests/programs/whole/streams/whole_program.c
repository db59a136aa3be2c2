// SPDX-License-Identifier: Apache-2.0
// offload: main
// The whole program as a kernel: streams and tables that are variables of its own.
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

typedef struct {
    uint8_t kind;
    uint32_t value;
} message;
TANDEM_STREAM(messages, message)

static const uint32_t key[4] = {0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5ceda4ac};
static uint32_t text[32];
static messages plain, coded;
static uint32_t sum;

static void produce(void)
{
    for (uint32_t i = 0; i < 32; i++) {
        message m = {(uint8_t)(i & 3), text[i]};
        messages_write(&plain, m);
    }
    messages_close(&plain);
}

static void encode(void)
{
    message m;
    while (messages_next(&plain, &m)) {
        uint32_t v = m.value;
        switch (m.kind) {
        case 0: v ^= key[0]; break;
        case 1: v += key[1]; break;
        case 2: v = v << 7 | v >> 25; break;
        default: v *= key[3] | 1;
        }
        m.value = v;
        messages_write(&coded, m);
    }
    messages_close(&coded);
}

static void consume(void)
{
    message m;
    while (messages_next(&coded, &m))
        sum = sum * 33 + m.value + m.kind;
}

int main(void)
{
    for (uint32_t i = 0; i < 32; i++)
        text[i] = i * i * 77;
    tandem_start(produce());
    tandem_start(encode());
    tandem_start(consume());
    tandem_join();
    printf("%u\n", sum);
    return (int)(sum & 63);
}
