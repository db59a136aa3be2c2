# SPDX-License-Identifier: Apache-2.0
"""C that takes processes through their blocks in time, each with a cycle of its own.

A process goes on until it needs a record that is not known yet, or room of which it is not known
when there is some; then another one goes on. What it needs follows from cycles alone: a record is
there `PUSH_TO_VALID_CYCLES` after it was given, and its place is free the cycle after it was taken.
So the order in which they are walked does not matter.

What a poll answers is known as soon as the other end has been walked up to that cycle. Where nobody
can go on without an answer, the poll in the earliest cycle has one: whatever anybody still does
comes later, and is seen later still. If none can go on and none has asked, none ever will. All
answers are kept, process by process: the C of the kernel is given them where it asks
(`include/tandem/stream.h`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.names import plain
from tandem.ir.ops import GIVING, Op, Poll, Pop, Push, Room
from tandem.ir.ops.c import c_type
from tandem.ir.processes import fifos, process_of, processes, stream_ops, waiting_ops
from tandem.schedule.fifos import PUSH_TO_VALID_CYCLES
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

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


MOST_IN_VAIN = 1 << 26
"""Polls without an answer in a row, while nobody gives or takes a record: after so many, a second
of walking, none will come."""

LACKS = ("TANDEM_NO_RECORD", "TANDEM_NO_ROOM")
"""What one waits for that takes, and that gives."""

TOP = 0
"""The kernel's own blocks, as a process."""


class Processes:
    """What processes add to a walk."""

    def __init__(self, kernel: Kernel, schedule: KernelSchedule) -> None:
        self.kernel = kernel
        self.depths = schedule.fifo_depths
        self.first_cycle = 0 if schedule.begins_at_once else 1
        names = [kernel.name, *processes(kernel)]
        self.names = names
        self.home = {block: names.index(name) for block, name in process_of(kernel).items()}
        self.fifos = fifos(kernel)
        self.numbers = {memory.name: i for i, memory in enumerate(self.fifos)}
        self.polls: dict[Op, int] = {
            o: i for i, (_, o) in enumerate(kernel.ops()) if isinstance(o, Poll)
        }
        self.stuck: list[str] = []
        """C that says of every place where a process may wait what it waits for."""
        self.labels = 0

    def time(self, block: Block) -> str:
        """The variable with the cycle in which a block's process goes on."""
        return f"t_{self.home.get(block, TOP)}"

    def declarations(self) -> Iterator[str]:
        count = len(self.names)
        yield f"uint64_t {', '.join(f't_{i} = {self.first_cycle}' for i in range(count))};"
        yield f"void *resume[{count}] = {{0}};"
        yield f"int waits[{count}] = {{0}}, turn = 0, idle = 0, running = 0;"
        if self.polls:
            yield from self._declare_polls(count)
        yield "const struct tandem_use use = tandem_use; (void)use;"
        depths = ", ".join(str(self.depths[memory.name]) for memory in self.fifos)
        yield f"static const uint32_t depths[] = {{{depths}}};"
        yield "const uint32_t *depth = tandem_depths_tried ? tandem_depths_tried : depths;"
        for i, memory in enumerate(self.fifos):
            yield f"struct tandem_fifo f_{memory.name} = tandem_fifo_of(depth[{i}]);"
            kind = c_type(memory.element_bits)
            yield f"{kind} *q_{memory.name} = calloc(depth[{i}], sizeof *q_{memory.name});"
        for block in self.kernel.blocks:
            if any(stream_ops(block)):
                yield f"uint64_t {self.start(block)} = 0; (void){self.start(block)};"

    def _declare_polls(self, count: int) -> Iterator[str]:
        """`asked`: the cycle of the poll for whose answer a process waits; `chosen`: the process
        that is given one; `teller`: under which number its answers are kept."""
        yield f"uint64_t asked[{count}], in_vain = 0; int chosen = -1; uint32_t teller[{count}];"
        yield f"for (int i = 0; i < {count}; i++) asked[i] = TANDEM_NEVER, teller[i] = 0;"
        yield f"int {', '.join(f'{self.answer(op)} = 0' for op in self.polls)};"
        yield "tandem_tellers = 0;"

    def leave(self) -> Iterator[str]:
        for memory in self.fifos:
            yield f"free(f_{memory.name}.given); free(q_{memory.name});"

    # -- waiting --------------------------------------------------------------------------------

    def begin(self, block: Block, schedule: BlockSchedule, label: str, runs: str) -> Iterator[str]:
        """Behind a block's `label`: it starts when what it waits for is there, and then asks."""
        if not any(stream_ops(block)):
            return
        home, start = self.home.get(block, TOP), self.start(block)
        yield "{"
        first = self.time(block)
        yield f"uint64_t t = {first};"
        if schedule.ii:
            yield f"if ({runs}) t = {start} + {schedule.ii};"
        waiting = list(waiting_ops(block))
        if waiting:
            yield "uint64_t before, ready = t; uint32_t last = 0; int lacks = 0; do { before = t;"
            for op in waiting:
                wait = self._wait(home, label, self._waits_for(block, op))
                fifo, lacks = self.numbers[op.memory.name], LACKS[isinstance(op, Push)]
                yield f"{{ uint64_t can = {self._earliest(op, schedule)};"
                yield f"if (can == TANDEM_NEVER) {wait}"
                yield f"if (can != t) t = can, last = {fifo}, lacks = {lacks}; }}"
            yield "} while (t != before);"
        yield from self._ask(block, schedule, label)
        if waiting:
            yield "tandem_waited(&use, last, lacks, ready, t);"
        yield f"idle = 0; {start} = t;"
        if not schedule.ii:
            yield f"{first} = t;"
        yield "}"

    def _ask(self, block: Block, schedule: BlockSchedule, label: str) -> Iterator[str]:
        """What polls answer in the block's cycle `t`."""
        polls = list(stream_ops(block, Poll))
        if not polls:
            return
        home = self.home.get(block, TOP)
        for op in polls:
            yield f"{self.answer(op)} = {self._asked(op, schedule)};"
        is_open = " || ".join(f"{self.answer(op)} == TANDEM_OPEN" for op in polls)
        wait = self._wait(home, label, self._waits_for(block, polls[0]))
        yield f"if ({is_open}) {{ if (chosen != {home}) {{ asked[{home}] = t; {wait} }}"
        for op in polls:
            yield f"if ({self.answer(op)} == TANDEM_OPEN) {self.answer(op)} = 0;"
        yield "}"
        yield f"chosen = -1; asked[{home}] = TANDEM_NEVER;"

    def answer(self, poll: Op) -> str:
        """The variable with what a poll has answered last."""
        return f"answer_{self.polls[poll]}"

    def _asked(self, op: Op, schedule: BlockSchedule) -> str:
        if not isinstance(op, Room):
            return f"tandem_has(&f_{op.memory.name}, t)"
        on_way = schedule.records_before(self._scheduled(op, schedule))
        return f"tandem_has_room(&f_{op.memory.name}, t, {on_way})"

    def start(self, block: Block) -> str:
        """The variable with the cycle in which a block, or its last iteration, has started."""
        return f"s_{block.name}"

    def _earliest(self, op: Op, schedule: BlockSchedule) -> str:
        if not isinstance(op, Push):
            return f"tandem_record(&f_{op.memory.name}, t)"
        on_way = schedule.records_before(self._scheduled(op, schedule))
        return f"tandem_room(&f_{op.memory.name}, t, {on_way})"

    def _scheduled(self, op: Op, schedule: BlockSchedule) -> Op:
        """The operation as it was scheduled, in another kernel: a block has one of a kind for a
        FIFO."""
        there = stream_ops(schedule.block, type(op))
        return next(o for o in there if o.memory.name == op.memory.name)

    def _waits_for(self, block: Block, op: Op) -> str:
        what = "room in" if isinstance(op, GIVING) else "a record of"
        what = f"{'asks' if isinstance(op, Poll) else 'waits'} for {what}"
        name, fifo = plain(self.names[self.home.get(block, TOP)], "f"), op.memory.name
        return f'tandem_says("{name}", {op.line:d}, "{what}", "{fifo}", &f_{fifo});'

    def _wait(self, home: int, label: str, says: str) -> str:
        self.stuck.append(f"if (waits[{home}] == {len(self.stuck)}) {says}")
        number = len(self.stuck) - 1
        return f"{{ resume[{home}] = &&{label}; waits[{home}] = {number}; goto next_turn; }}"

    # -- records --------------------------------------------------------------------------------

    def take(self, block: Block, op: Op, name: str) -> Iterator[str]:
        """A record is taken, or looked at; its value goes to the variable `name` if there is
        one."""
        fifo = f"f_{op.memory.name}"
        if name:
            yield f"{name} = q_{op.memory.name}[{fifo}.takes & ({fifo}.depth - 1)];"
        if isinstance(op, Pop):
            yield "in_vain = 0;" if self.polls else ""
            number, cycle = self.numbers[op.memory.name], self.start(block)
            yield f"{fifo}.taken[{fifo}.takes++ & ({fifo}.depth - 1)] = {cycle};"
            yield f"tandem_used(&use, {number}, TANDEM_TAKEN, {cycle}, 1);"

    def give(self, block: Block, op: Op, schedule: BlockSchedule, value: str) -> str:
        """C of a record that is given, with its value if that is asked for."""
        fifo = f"f_{op.memory.name}"
        cycle = schedule.start[self._scheduled(op, schedule)]
        place = f"{fifo}.gives & ({fifo}.depth - 1)"
        kept = f"q_{op.memory.name}[{place}] = {value}; " if value else ""
        moved = " in_vain = 0;" if self.polls else ""
        given = f"{self.start(block)} + {cycle}"
        used = f" tandem_used(&use, {self.numbers[op.memory.name]}, TANDEM_GIVEN, {given}, 1);"
        return f"{kept}{fifo}.given[{place}] = {given}; {fifo}.gives++;{used}{moved}"

    def asks(self, block: Block, op: Op, name: str) -> Iterator[str]:
        """A poll's answer is kept, and goes to the variable `name` if there is one."""
        yield f"tandem_answer(teller[{self.home.get(block, TOP)}], {self.answer(op)});"
        if name:
            yield f"{name} = {self.answer(op)};"

    # -- processes ------------------------------------------------------------------------------

    def begins(self, block: Block, process: str) -> tuple[str, str]:
        """(the label where it begins, C that has it begin) of a process that a block starts."""
        number = self.names.index(process)
        label = f"begin_{number}"
        told = f"teller[{number}] = tandem_teller(); " if self.polls else ""
        begins = f"t_{number} = {self.time(block)}; resume[{number}] = &&{label}; running++;"
        return label, told + begins

    def ended(self, process: str) -> Iterator[str]:
        yield f"resume[{self.names.index(process)}] = 0; running--; idle = 0; goto next_turn;"

    def join(self, block: Block) -> Iterator[str]:
        """Until all have returned, the others have their turns."""
        self.labels += 1
        label = f"join_{self.labels}"
        yield f"{label}: ;"
        yield f"if (running) {self._wait(TOP, label, ';')}"
        yield "idle = 0;"
        own = self.time(block)
        for i in range(1, len(self.names)):
            yield f"if ({own} < t_{i}) {own} = t_{i};"
        yield f"{own}++;"
        for i, memory in enumerate(self.fifos):
            fifo = f"f_{memory.name}"
            yield f"tandem_used(&use, {i}, TANDEM_TAKEN, {own}, {fifo}.gives - {fifo}.takes);"
            yield f"{fifo}.gives = {fifo}.takes = 0;"

    def turns(self) -> Iterator[str]:
        """The end of the walk: who goes on next, and what if nobody can."""
        count = len(self.names)
        yield "next_turn: ;"
        yield f"if (++idle > {count}) {{"
        if self.polls:
            yield from self._choose(count)
        yield "goto stuck; }"
        yield f"do turn = (turn + 1) % {count}; while (!resume[turn]);"
        yield "goto *resume[turn];"
        yield "stuck: ;"
        yield "tandem_stuck_text[0] = 0;"
        for i in range(count):
            yield f"if (!resume[{i}]) waits[{i}] = -1;"
        yield from self.stuck

    def _choose(self, count: int) -> Iterator[str]:
        """The poll in the earliest cycle has an answer: there is nothing."""
        yield "chosen = 0;"
        yield f"for (int i = 1; i < {count}; i++) if (asked[i] < asked[chosen]) chosen = i;"
        yield f"if (asked[chosen] != TANDEM_NEVER && ++in_vain < {MOST_IN_VAIN}) {{"
        yield "idle = 0; goto *resume[turn = chosen]; }"
