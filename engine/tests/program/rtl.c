/* SPDX-License-Identifier: Apache-2.0
 * rtl.so of the kernel to test with, a cycle at a time. FAULT makes one of its results wrong. */
#include <stdint.h>

struct state {
    const uint64_t *in;
    uint64_t *out, count, key, cycles;
    uint32_t pace;
};

uint64_t tandem_rtl_state_bytes(void) { return sizeof(struct state); }

void tandem_rtl_start(void *state, void *const data[], const uint64_t bytes[],
                      const uint32_t intervals[])
{
    struct state *s = state;
    s->in = data[0];
    s->out = data[1];
    s->count = bytes[0] / 8;
    s->key = *(uint64_t *)data[3];
    s->pace = intervals[0] > intervals[1] ? intervals[0] : intervals[1];
}

void tandem_rtl_gates(void *state, uint32_t argument, const uint64_t gates[], uint64_t records)
{
    (void)state, (void)argument, (void)gates, (void)records;
}

int tandem_rtl_run(void *state, uint64_t cycles)
{
    struct state *s = state;
    for (; cycles; cycles--) {
        uint64_t record = s->cycles / s->pace;
        if (record < s->count)
            s->out[record] = s->in[record] + s->key;
        if (++s->cycles == s->count * s->pace + 5) {
#ifdef FAULT
            s->out[1] ^= 1;
#endif
            return 1;
        }
    }
    return 0;
}

uint64_t tandem_rtl_cycles(const void *state) { return ((const struct state *)state)->cycles; }
