# SPDX-License-Identifier: Apache-2.0
"""C of FIFOs between processes that are walked: the cycles of their records, what polls have been
answered, how deep they have to be and what becomes of them."""

from __future__ import annotations

from tandem.schedule.fifos import PUSH_TO_VALID_CYCLES

PROCESSES_C = f"""
#define TANDEM_NEVER UINT64_MAX
#define TANDEM_OPEN 2
static _Thread_local const uint32_t *tandem_depths_tried;
static _Thread_local char tandem_stuck_text[4096];

/* `given` and `taken`: the cycles in which the last records came and went. */
struct tandem_fifo {{ uint64_t *given, *taken, gives, takes, depth; }};

static struct tandem_fifo tandem_fifo_of(uint64_t depth)
{{
    uint64_t *cycles = calloc(2 * depth, sizeof *cycles);
    return (struct tandem_fifo){{cycles, cycles + depth, 0, 0, depth}};
}}

/* Where it is counted what becomes of FIFOs in each part of a call: `rows` of `tandem_fifo_use`. */
struct tandem_use {{ uint64_t part_cycles, *rows; uint32_t parts; }};
static _Thread_local struct tandem_use tandem_use;

enum {{ TANDEM_GIVEN, TANDEM_TAKEN, TANDEM_NO_RECORD, TANDEM_NO_ROOM, TANDEM_USES }};

/* Nearly no walk counts: those that do not are not to be slower for it. */
#define tandem_used(use, ...) \\
    do {{ if (__builtin_expect(!!(use)->rows, 0)) tandem_count(use, __VA_ARGS__); }} while (0)
#define tandem_waited(use, ...) \\
    do {{ if (__builtin_expect(!!(use)->rows, 0)) tandem_count_wait(use, __VA_ARGS__); }} while (0)

__attribute__((cold, noinline)) static void tandem_count(
    const struct tandem_use *use, uint32_t fifo, int what, uint64_t cycle, uint64_t count)
{{
    uint64_t part = cycle / use->part_cycles;
    if (part >= use->parts)
        part = use->parts - 1;
    use->rows[(fifo * (uint64_t)use->parts + part) * TANDEM_USES + what] += count;
}}

/* A process has waited from cycle `from` to cycle `to`. */
__attribute__((cold, noinline)) static void tandem_count_wait(
    const struct tandem_use *use, uint32_t fifo, int what, uint64_t from, uint64_t to)
{{
    while (from < to) {{
        uint64_t next = (from / use->part_cycles + 1) * use->part_cycles;
        uint64_t until = next < to ? next : to;
        tandem_count(use, fifo, what, from, until - from);
        from = until;
    }}
}}

/* The first cycle from `t` on in which there is a record. */
static inline uint64_t tandem_record(const struct tandem_fifo *f, uint64_t t)
{{
    if (f->takes == f->gives)
        return TANDEM_NEVER;
    uint64_t there = f->given[f->takes & (f->depth - 1)] + {PUSH_TO_VALID_CYCLES};
    return there > t ? there : t;
}}

/* The first cycle from `t` on in which there is room for one more than are on their way. */
static inline uint64_t tandem_room(const struct tandem_fifo *f, uint64_t t, uint64_t on_way)
{{
    for (;;) {{
        uint64_t n = f->gives;
        while (n && n + on_way > f->gives && f->given[(n - 1) & (f->depth - 1)] >= t)
            n--;
        if (n + on_way < f->depth)
            return t;
        uint64_t must = n + on_way + 1 - f->depth;
        if (f->takes < must)
            return TANDEM_NEVER;
        uint64_t free = f->taken[(must - 1) & (f->depth - 1)] + 1;
        if (free <= t)
            return t;
        t = free;
    }}
}}

/* Whether there is a record in cycle `t`; TANDEM_OPEN where that is not known yet. */
static inline int tandem_has(const struct tandem_fifo *f, uint64_t t)
{{
    uint64_t there = tandem_record(f, t);
    return there == t ? 1 : there == TANDEM_NEVER ? TANDEM_OPEN : 0;
}}

/* Whether there is room in cycle `t` for one more than are on their way, in the same way. */
static inline int tandem_has_room(const struct tandem_fifo *f, uint64_t t, uint64_t on_way)
{{
    uint64_t there = tandem_room(f, t, on_way);
    return there == t ? 1 : there == TANDEM_NEVER ? TANDEM_OPEN : 0;
}}

static void tandem_says(const char *process, int line, const char *what, const char *fifo,
                        const struct tandem_fifo *f)
{{
    size_t used = strlen(tandem_stuck_text);
    snprintf(tandem_stuck_text + used, sizeof tandem_stuck_text - used,
             "%s`%s` (line %d) %s `%s`, which holds %llu of %llu", used ? "; " : "",
             process, line, what, fifo, (unsigned long long)(f->gives - f->takes),
             (unsigned long long)f->depth);
    tandem_reason_text = tandem_stuck_text;
}}
"""
ANSWERS = "const struct tandem_seen *tandem_answers(uint32_t *processes)"
SEEN = "struct tandem_seen { unsigned char *answers; uint64_t count, room; };\n"
"""What the polls of one process have answered, in the order in which it asked."""
SEEN_C = f"""
{SEEN}static _Thread_local struct tandem_seen *tandem_seen_by;
static _Thread_local uint32_t tandem_tellers, tandem_tellers_room;

{ANSWERS}
{{
    *processes = tandem_tellers;
    return tandem_seen_by;
}}
"""
TELL_C = """
static void *tandem_more(void *old, uint64_t bytes)
{
    void *found = realloc(old, bytes);
    if (!found)
        abort();
    return found;
}

static uint32_t tandem_teller(void)
{
    if (tandem_tellers == tandem_tellers_room) {
        uint32_t room = tandem_tellers_room ? 2 * tandem_tellers_room : 8;
        tandem_seen_by = tandem_more(tandem_seen_by, room * sizeof *tandem_seen_by);
        memset(tandem_seen_by + tandem_tellers_room, 0,
               (room - tandem_tellers_room) * sizeof *tandem_seen_by);
        tandem_tellers_room = room;
    }
    tandem_seen_by[tandem_tellers].count = 0;
    return tandem_tellers++;
}

static inline void tandem_answer(uint32_t teller, int answer)
{
    struct tandem_seen *s = tandem_seen_by + teller;
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 4096;
        s->answers = tandem_more(s->answers, s->room);
    }
    s->answers[s->count++] = (unsigned char)answer;
}
"""
MOST_RECORDS = 1 << 16
"""A FIFO as deep as anybody could want: what is more, a memory should hold."""


def least_depths_c(signature: str, count: int, polls: bool) -> str:
    """C of `tandem_least_depths` (docs/package.md) for so many FIFOs: each in turn is as small as
    it may be, where those before it are and those behind it hold as much as could be. Of a kernel
    that polls nothing is told: with another depth it computes something else."""
    if polls:
        return (
            f"{signature}\n{{\n    (void)data; (void)bytes; (void)intervals; (void)depths;\n"
            "    return TANDEM_NEVER;\n}\n"
        )
    if not count:
        return (
            f"{signature}\n{{\n    (void)depths;\n"
            "    return tandem_cycles(data, bytes, intervals, 0, 0);\n}\n"
        )
    return f"""{signature}
{{
    for (int i = 0; i < {count}; i++)
        depths[i] = {MOST_RECORDS};
    tandem_depths_tried = depths;
    uint64_t least = tandem_cycles(data, bytes, intervals, 0, 0);
    for (int i = 0; i < {count} && least != TANDEM_NEVER; i++)
        for (depths[i] = 2; depths[i] < {MOST_RECORDS}; depths[i] *= 2)
            if (tandem_cycles(data, bytes, intervals, 0, 0) == least)
                break;
    tandem_depths_tried = 0;
    return least;
}}
"""


def fifo_use_c(signature: str, count: int) -> str:
    """C of `tandem_fifo_use` (docs/package.md) for so many FIFOs."""
    if not count:
        return (
            f"{signature}\n{{\n    (void)part_cycles; (void)parts; (void)rows;\n"
            "    return tandem_cycles(data, bytes, intervals, 0, 0);\n}\n"
        )
    return f"""{signature}
{{
    tandem_use.part_cycles = part_cycles;
    tandem_use.parts = parts;
    tandem_use.rows = rows;
    uint64_t cycles = tandem_cycles(data, bytes, intervals, 0, 0);
    tandem_use.rows = 0;
    return cycles;
}}
"""
