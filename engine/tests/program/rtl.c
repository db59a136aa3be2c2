/* SPDX-License-Identifier: Apache-2.0
 * rtl.so of the kernel to test with, which takes and gives a record a cycle and is done four cycles
 * after it could have taken another one. FAULT makes one of its results wrong. */
#include <stddef.h>
#include <stdint.h>

struct state {
    uint8_t clk, reset, start, done, in_valid, in_ready, out_valid, out_ready;
    uint64_t in_data, out_data, count, key;
    uint64_t cycles, taken, given, last_taken, interval, held;
    uint8_t is_running, holds;
};

struct tandem_signal {
    const char *name, *protocol, *role;
    uint32_t argument, bits;
};

const uint32_t tandem_rtl_signal_count = 12;
const struct tandem_signal tandem_rtl_signals[] = {
    {"clk", "call", "clk", UINT32_MAX, 1},
    {"reset", "call", "reset", UINT32_MAX, 1},
    {"start", "call", "start", UINT32_MAX, 1},
    {"done", "call", "done", UINT32_MAX, 1},
    {"in_valid", "stream_in", "valid", 0, 1},
    {"in_data", "stream_in", "data", 0, 64},
    {"in_ready", "stream_in", "ready", 0, 1},
    {"out_ready", "stream_out", "ready", 1, 1},
    {"out_valid", "stream_out", "valid", 1, 1},
    {"out_data", "stream_out", "data", 1, 64},
    {"count", "value", "value", 2, 64},
    {"key", "value", "value", 3, 64},
};

uint64_t tandem_rtl_state_bytes(void) { return sizeof(struct state); }

void tandem_rtl_begin(void *state, void *const data[], unsigned char *ports[])
{
    static const size_t offsets[] = {
        offsetof(struct state, clk),       offsetof(struct state, reset),
        offsetof(struct state, start),     offsetof(struct state, done),
        offsetof(struct state, in_valid),  offsetof(struct state, in_data),
        offsetof(struct state, in_ready),  offsetof(struct state, out_ready),
        offsetof(struct state, out_valid), offsetof(struct state, out_data),
        offsetof(struct state, count),     offsetof(struct state, key),
    };
    (void)data;
    for (int i = 0; i < 12; i++)
        ports[i] = (unsigned char *)state + offsets[i];
}

static void settle(struct state *s)
{
    int is_active = s->is_running || s->start;
    uint64_t interval = s->interval ? s->interval : 1;
    uint64_t end = s->count ? s->last_taken + interval + 3 : 4;
    s->in_ready = is_active && s->taken < s->count && (!s->holds || s->out_ready);
    s->out_valid = is_active && s->holds;
    s->out_data = s->held;
#ifdef FAULT
    s->out_data ^= s->given == 1;
#endif
    s->done = is_active && s->taken == s->count && !s->holds && s->cycles >= end;
}

static void edge(struct state *s)
{
    if (s->reset) {
        s->cycles = s->taken = s->given = s->last_taken = s->interval = 0;
        s->is_running = s->holds = 0;
        return;
    }
    s->is_running |= s->start;
    s->cycles += s->is_running;
    if (s->out_valid && s->out_ready) {
        s->given++;
        s->holds = 0;
    }
    if (s->in_valid && s->in_ready) {
        s->taken++;
        s->interval = s->cycles - s->last_taken;
        s->last_taken = s->cycles;
        s->held = s->in_data + s->key;
        s->holds = 1;
    }
}

void tandem_rtl_eval(void *state)
{
    struct state *s = state;
    if (s->clk)
        edge(s);
    else
        settle(s);
}
