# SPDX-License-Identifier: Apache-2.0
"""Looking ahead without a trace: the C with which native.so reads the program's memory as the call
will leave it, while the program's memory stays as it is."""

from __future__ import annotations

PAGE_BITS = 12
"""No system has smaller pages than 4 KiB: where one byte may be read, all around it may."""

OVERLAY_C = f"""
/* Pages that the call writes are copied when it first does, and found by their numbers. */
#define PAGE_BYTES ((uintptr_t)1 << {PAGE_BITS})
#define RECENT 16

struct page {{ uintptr_t number; unsigned char *copy; }};
struct overlay {{
    struct page recent[RECENT]; /* the last ones asked for; no copy: read the program's */
    struct page *table;
    size_t slots, used;
}};

static void overlay_insert(struct page *table, size_t slots, struct page page)
{{
    size_t at = page.number * (uintptr_t)0x9e3779b97f4a7c15ull >> 7 & (slots - 1);
    while (table[at].copy)
        at = (at + 1) & (slots - 1);
    table[at] = page;
}}

static void overlay_grow(struct overlay *o)
{{
    size_t slots = o->slots ? 2 * o->slots : 64;
    struct page *table = calloc(slots, sizeof *table);
    if (!table)
        abort();
    for (size_t i = 0; i < o->slots; i++)
        if (o->table[i].copy)
            overlay_insert(table, slots, o->table[i]);
    free(o->table);
    o->table = table;
    o->slots = slots;
}}

static __attribute__((noinline)) unsigned char *overlay_find(struct overlay *o, uintptr_t number,
                                                            int writes)
{{
    struct page found = {{number, 0}};
    if (o->slots)
        for (size_t at = number * (uintptr_t)0x9e3779b97f4a7c15ull >> 7 & (o->slots - 1);
             o->table[at].copy; at = (at + 1) & (o->slots - 1))
            if (o->table[at].number == number) {{
                found.copy = o->table[at].copy;
                break;
            }}
    if (!found.copy && writes) {{
        if (2 * o->used >= o->slots)
            overlay_grow(o);
        found.copy = malloc(PAGE_BYTES);
        if (!found.copy)
            abort();
        memcpy(found.copy, (const void *)(number << {PAGE_BITS}), PAGE_BYTES);
        overlay_insert(o->table, o->slots, found);
        o->used++;
    }}
    o->recent[number % RECENT] = found;
    return found.copy;
}}

static inline unsigned char *overlay_page(struct overlay *o, uintptr_t number, int writes)
{{
    const struct page *recent = &o->recent[number % RECENT];
    if (recent->number == number && (recent->copy || !writes))
        return recent->copy;
    return overlay_find(o, number, writes);
}}

static inline void overlay_read(struct overlay *o, void *to, uintptr_t address, size_t bytes)
{{
    uintptr_t low = address % PAGE_BYTES;
    if (!o->used) {{
        memcpy(to, (const void *)address, bytes);
    }} else if (low + bytes <= PAGE_BYTES) {{
        const unsigned char *copy = overlay_page(o, address >> {PAGE_BITS}, 0);
        memcpy(to, copy ? copy + low : (const void *)address, bytes);
    }} else {{
        for (size_t i = 0; i < bytes; i++) {{
            const unsigned char *copy = overlay_page(o, (address + i) >> {PAGE_BITS}, 0);
            ((unsigned char *)to)[i] = copy ? copy[(address + i) % PAGE_BYTES]
                                            : *(const unsigned char *)(address + i);
        }}
    }}
}}

static inline void overlay_write(struct overlay *o, uintptr_t address, const void *from,
                                 size_t bytes)
{{
    uintptr_t low = address % PAGE_BYTES;
    if (low + bytes <= PAGE_BYTES) {{
        memcpy(overlay_page(o, address >> {PAGE_BITS}, 1) + low, from, bytes);
        return;
    }}
    for (size_t i = 0; i < bytes; i++)
        overlay_page(o, (address + i) >> {PAGE_BITS}, 1)[(address + i) % PAGE_BYTES] =
            ((const unsigned char *)from)[i];
}}

static void overlay_free(struct overlay *o)
{{
    for (size_t i = 0; i < o->slots; i++)
        free(o->table[i].copy);
    free(o->table);
}}
"""
