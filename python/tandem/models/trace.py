# SPDX-License-Identifier: Apache-2.0
"""What a call does with the program's memory, byte by byte and in the order of the C: which bytes
of each array it reads as they were before the call, and which it writes.

The device has a copy of each array. Where arrays have bytes in common that is as good as the
program's one memory if no array reads, or writes, what another one has written before, unless the
two are one array in the device: only the C tells in which order that happens, so it is the kernel
as imported that is walked through here, before any pass that takes arrays to be apart. All of it
reads the program's memory in place and writes to copies of pages that all arrays share: what is
read is what the C would read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Op, Store
from tandem.ir.ops.c import c_type
from tandem.ir.processes import processes
from tandem.models.paths import Path, Variant
from tandem.models.slices import slice_of
from tandem.models.walk import Writer

TRACED = (
    "uint32_t tandem_traced(void *const data[], struct tandem_meeting *meeting,\n"
    "                       tandem_tell *tell, void *context)"
)
DECLARATIONS = f"""struct tandem_meeting {{
    uint32_t argument, other, stores, by_field;
    const char *place;
    int64_t byte;
}};
typedef void tandem_tell(void *context, uint32_t argument, int64_t low, int64_t high,
                         uint32_t does);
{TRACED};
"""
"""docs/package.md has what they mean."""
APART, MEETS, UNKNOWN, WAITS, EXCEEDS = range(5)
"""What `tandem_traced` answers."""
ARRAYS = (MemoryKind.ARGUMENT, MemoryKind.VARIABLE)
"""Kinds of memories that are the caller's, at import."""

TRACE_C = f"""
{DECLARATIONS}
enum {{ TRACE_PAGE = 4096, TRACE_READ = 1, TRACE_WRITTEN = 2, TRACE_SEEN = 4 }};

/* A page of the program's memory as the call changes it; and, of each byte, who was the
 * last to write there: its number and 1, or 0 for none. */
struct trace_page {{ uint64_t key; unsigned char bytes[TRACE_PAGE]; uint16_t writer[TRACE_PAGE]; }};

/* Who reads or writes: an array by its number in the call; a pointer in an array, which must stay
 * as it was read before the call, by that of what it leads to and the number of arrays. */

/* What one array does with a page: with each byte, of which one that it has only seen as another
 * array had written it before is neither sent nor comes back. */
struct trace_part {{
    uint64_t key;
    uintptr_t number;
    struct trace_page *page;
    unsigned char marks[TRACE_PAGE];
}};

/* `groups`: of each who reads or writes, the first with whose array its own is joined; `slots`:
 * pages and parts by their keys, of which there are `used`; `last`: of each array, the part that it
 * came to last. */
struct trace {{
    void *const *data;
    const uint16_t *groups;
    uint32_t arrays, meets;
    uint64_t **slots;
    uint64_t room, used;
    struct trace_part **last;
    struct tandem_meeting *meeting;
}};

static uint64_t **trace_slot(uint64_t **slots, uint64_t room, uint64_t key)
{{
    uint64_t i = key * 0x9e3779b97f4a7c15u >> 20 & (room - 1);
    while (slots[i] && *slots[i] != key)
        i = i + 1 & (room - 1);
    return slots + i;
}}

static void *trace_memory(size_t bytes)
{{
    void *memory = calloc(1, bytes);
    if (!memory)
        abort();
    return memory;
}}

/* The record of a key, all zeros but for that where it is new. */
static void *trace_record(struct trace *t, uint64_t key, size_t bytes)
{{
    if (2 * t->used >= t->room) {{
        uint64_t room = t->room ? 2 * t->room : 64, **slots = trace_memory(room * sizeof *slots);
        for (uint64_t i = 0; i < t->room; i++)
            if (t->slots[i])
                *trace_slot(slots, room, *t->slots[i]) = t->slots[i];
        free(t->slots);
        t->slots = slots;
        t->room = room;
    }}
    uint64_t **slot = trace_slot(t->slots, t->room, key);
    if (!*slot) {{
        *slot = trace_memory(bytes);
        **slot = key;
        t->used++;
    }}
    return *slot;
}}

static struct trace_part *trace_part_of(struct trace *t, uint32_t array, uintptr_t number)
{{
    uint64_t keys = (uint64_t)t->arrays + 1, page = number * keys + 1;
    struct trace_part *part = trace_record(t, page + 1 + array, sizeof *part);
    if (!part->page) {{
        uint64_t used = t->used;
        part->number = number;
        part->page = trace_record(t, page, sizeof *part->page);
        if (t->used > used)
            memcpy(part->page->bytes, (const void *)(number * TRACE_PAGE), TRACE_PAGE);
    }}
    return t->last[array] = part;
}}

static __attribute__((noinline, cold)) void trace_meets(struct trace *t, uint32_t array,
                                                        uint32_t who, uint32_t other,
                                                        uintptr_t place, int stores,
                                                        const char *line)
{{
    int64_t byte = (int64_t)(place - (uintptr_t)t->data[array]);
    if (who >= t->arrays)
        byte = 0;
    if (!t->meets)
        *t->meeting = (struct tandem_meeting){{who % t->arrays, other % t->arrays,
                                              (uint32_t)stores,
                                              who >= t->arrays || other >= t->arrays, line, byte}};
    t->meets = 1;
}}

static inline void trace_within(struct trace *t, uint32_t array, uint32_t who,
                                struct trace_part *part,
                                uintptr_t place, void *value, size_t size, int stores,
                                const char *line)
{{
    size_t first = place % TRACE_PAGE;
    for (size_t i = first; i < first + size; i++) {{
        uint16_t *writer = part->page->writer + i;
        if (*writer && *writer != who + 1 && t->groups[*writer - 1] != t->groups[who])
            trace_meets(t, array, who, *writer - 1u, place + i - first, stores, line);
        unsigned char read = *writer ? part->marks[i] ? 0 : TRACE_SEEN : TRACE_READ;
        part->marks[i] = (unsigned char)(stores ? (part->marks[i] & TRACE_READ) | TRACE_WRITTEN
                                                : part->marks[i] | read);
        if (stores)
            *writer = (uint16_t)(who + 1);
    }}
    if (stores)
        memcpy(part->page->bytes + first, value, size);
    else
        memcpy(value, part->page->bytes + first, size);
}}

static __attribute__((noinline)) void trace_far(struct trace *t, uint32_t array, uint32_t who,
                                                uintptr_t place,
                                                void *value, size_t size, int stores,
                                                const char *line)
{{
    while (size) {{
        size_t room = TRACE_PAGE - place % TRACE_PAGE, now = size < room ? size : room;
        trace_within(t, array, who, trace_part_of(t, array, place / TRACE_PAGE), place, value,
                     now, stores, line);
        place += now;
        value = (char *)value + now;
        size -= now;
    }}
}}

static inline void trace_access(struct trace *t, uint32_t array, uint32_t who, int64_t at,
                                void *value, size_t size, int stores, const char *line)
{{
    uintptr_t place = (uintptr_t)t->data[array] + (uintptr_t)at;
    struct trace_part *part = t->last[array];
    if (part && part->number == place / TRACE_PAGE && place % TRACE_PAGE + size <= TRACE_PAGE)
        trace_within(t, array, who, part, place, value, size, stores, line);
    else
        trace_far(t, array, who, place, value, size, stores, line);
}}

static int trace_order(const void *a, const void *b)
{{
    const struct trace_part *x = *(void *const *)a, *y = *(void *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}}

/* Tells of runs of bytes with which an array does the same. */
static void trace_tell_array(struct trace *t, uint32_t array, struct trace_part **parts,
                             uint64_t count, tandem_tell *tell, void *context)
{{
    int64_t low = 0, high = 0;
    unsigned char does = 0;
    qsort(parts, count, sizeof *parts, trace_order);
    for (uint64_t k = 0; k < count; k++) {{
        int64_t base = (int64_t)(parts[k]->number * TRACE_PAGE - (uintptr_t)t->data[array]);
        for (int64_t i = 0; i < TRACE_PAGE; i++) {{
            unsigned char mark = parts[k]->marks[i];
            if (mark == does && (!mark || base + i == high)) {{
                high = base + i + 1;
                continue;
            }}
            if (does)
                tell(context, array, low, high, does);
            low = base + i;
            high = low + 1;
            does = mark;
        }}
    }}
    if (does)
        tell(context, array, low, high, does);
}}

static void trace_tell(struct trace *t, tandem_tell *tell, void *context)
{{
    struct trace_part **parts = trace_memory((t->used + 1) * sizeof *parts);
    for (uint32_t array = 0; array < t->arrays; array++) {{
        uint64_t count = 0;
        for (uint64_t i = 0; i < t->room; i++)
            if (t->slots[i] && (*t->slots[i] - 1) % ((uint64_t)t->arrays + 1) == 1 + array)
                parts[count++] = (struct trace_part *)t->slots[i];
        trace_tell_array(t, array, parts, count, tell, context);
    }}
    free(parts);
}}

static void trace_end(struct trace *t)
{{
    for (uint64_t i = 0; i < t->room; i++)
        free(t->slots[i]);
    free(t->slots);
    free(t->last);
}}
"""


def traced_c(kernel: Kernel, positions: Mapping[str, int]) -> str:
    """C of `tandem_traced` for a kernel as imported; `positions` are those of its arguments in a
    call. What processes do beside each other has no order: of them nothing is told."""
    if processes(kernel) or any(a.name not in positions for a in kernel.arguments):
        unused = "(void)data; (void)meeting; (void)tell; (void)context;"
        return f"{DECLARATIONS}{TRACED} {{ {unused} return {UNKNOWN}; }}\n"
    return TRACE_C + _TraceWriter(kernel, positions).text()


def _line_text(op: Op) -> str:
    """Where an operation is in the C, as a C string; empty where that is not known."""
    return json.dumps(f"line {op.line}" if op.line else "")


class _TraceWriter(Writer):
    signature = TRACED

    def __init__(self, kernel: Kernel, positions: Mapping[str, int]) -> None:
        shared = frozenset(m.name for m in kernel.memories.values() if m.kind in ARRAYS)
        super().__init__(kernel, {}, slice_of(kernel, shared, shared))
        self.positions = dict(positions)

    def _ii(self, block: Block) -> int | None:
        return None

    def _has_window(self, position: int) -> bool:
        return False

    def _declare_windows(self) -> None:
        self.lines += [
            f"static const uint16_t groups[] = {{{', '.join(map(str, self._groups()))}}};",
            f"struct trace trace = {{.data = data, .groups = groups, .arrays = {self._count}, "
            ".meeting = meeting};",
            f"trace.last = trace_memory({self._count + 1} * sizeof *trace.last);",
        ]

    def _begin(self) -> None:
        """Nothing is counted."""

    def _begun(self, variant: Variant) -> None:
        """Nothing is counted."""

    def _passed(self, block: Block) -> None:
        """Nothing is counted."""

    def _looped(self, block: Block) -> None:
        """There are no pipelines."""

    def _of_processes(self, block: Block, path: Path) -> None:
        raise AssertionError("kernels with processes are not traced")

    def _record(self, op: Op, path: Path) -> None:
        raise AssertionError("kernels with processes are not traced")

    def _is_shared(self, memory: Memory) -> bool:
        return memory.kind in ARRAYS

    def _shared_access(self, op: Op, memory: Memory, path: Path) -> list[str]:
        size = memory.element_bits // 8
        position = self.positions[self.owners[memory.name].name]
        who = self._who(op, position)
        kind, stores = c_type(memory.element_bits), isinstance(op, Store)
        is_asked = op in self.slice.ops
        value = self._use(op.stored, path) if stores and is_asked else "0"
        statements = [
            f"{kind} v = {value};",
            f"trace_access(&trace, {position}, {who}, ({self._index(op, path)}) * {size}, &v, "
            f"{size}, {int(stores)}, {_line_text(op)});",
        ]
        return [*statements, f"{self.names[op]} = v;"] if op in self.names else statements

    def _who(self, op: Op, position: int) -> int:
        """The number of who reads or writes."""
        field = op.attributes.get("field")
        return position if field is None else self.positions[field] + self._count

    def _groups(self) -> list[int]:
        """Of each who reads or writes, the first whose array may overlap with its own."""
        found = list(range(2 * self._count + 1))
        for group in self.kernel.overlaps:
            places = [self.positions[name] for name in group]
            for place in places:
                found[place] = places[0]
        return found

    @property
    def _count(self) -> int:
        return max(self.positions.values(), default=-1) + 1

    def _end(self) -> None:
        self.lines += [
            "if (!trace.meets)",
            "    trace_tell(&trace, tell, context);",
            "trace_end(&trace);",
            f"return trace.meets ? {MEETS} : {APART};",
        ]

    def _stopped(self) -> None:
        """Nothing keeps it from its end."""

    def _trapped(self, label: str, reason: str) -> None:
        self.lines += [
            f"{label}: ;",
            f"tandem_reason_text = {json.dumps(reason)};",
            "trace_end(&trace);",
            f"return {EXCEEDS};",
        ]

    def _waiting(self) -> None:
        self.lines += ["waiting: ;", "trace_end(&trace);", f"return {WAITS};"]
