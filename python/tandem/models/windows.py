# SPDX-License-Identifier: Apache-2.0
"""Looking ahead without a trace: the C with which ahead.so reads the program's memory as the call
will leave it, while the program's memory stays as it is.

Of each array a window is known: the bytes from the first to the last that the call has touched so
far. Inside it an access costs one comparison; outside, the window grows. Where the call writes, the
window is a copy, made page by page: all between two accesses is one object of the program's, and
where one byte of a page may be read, the whole page may.
"""

from __future__ import annotations

PAGE_BYTES = 4096
"""No system has smaller pages."""

WINDOWS_C = f"""
#define PAGE_MASK ((int64_t){PAGE_BYTES} - 1)

/* Bytes at offsets low .. low + span from the pointer; `origin` is where offset 0 would be. */
struct window {{ int64_t low; uint64_t span; uintptr_t origin; }};

/* An array of the call: whether the kernel writes it, whether what it writes is asked for here,
 * whether arrays met (and of the first, whether they may: what each reads is then as it was before
 * the call, whatever another one writes); the
 * bytes that are touched, and the pages around them if no other array has bytes there; then a copy,
 * of which `start` .. `end` are filled and `first` .. `last` exist. */
struct array {{
    const unsigned char *base;
    int writes, copies, overlaps, apart;
    int64_t low, high, safe_low, safe_high, start, end, first, last;
    unsigned char *copy;
}};

static void array_fill(struct array *a, int64_t start, int64_t end)
{{
    if (start < end)
        memcpy(a->copy + (start - a->first), a->base + start, (size_t)(end - start));
}}

/* Room for start .. end, with as much again on the side that grew. */
static void array_reserve(struct array *a, int64_t start, int64_t end)
{{
    int64_t room = end - start;
    int64_t first = start < a->first && a->copy ? start - room : start;
    int64_t last = first == start ? end + room : end;
    unsigned char *copy = malloc((size_t)(last - first));
    if (!copy)
        abort();
    if (a->copy)
        memcpy(copy + (a->start - first), a->copy + (a->start - a->first),
               (size_t)(a->end - a->start));
    free(a->copy);
    a->copy = copy;
    a->first = first;
    a->last = last;
}}

static void array_copy(struct array *a)
{{
    int64_t base = (int64_t)(uintptr_t)a->base;
    int64_t start = ((base + a->low) & ~PAGE_MASK) - base;
    int64_t end = ((base + a->high + PAGE_MASK) & ~PAGE_MASK) - base;
    int64_t old_start = a->copy ? a->start : start, old_end = a->copy ? a->end : start;
    if (start > old_start)
        start = old_start;
    if (end < old_end)
        end = old_end;
    if (!a->copy || start < a->first || end > a->last)
        array_reserve(a, start, end);
    array_fill(a, start, old_start);
    array_fill(a, old_end, end);
    a->start = start;
    a->end = end;
}}

/* Whether bytes of an array meet another one, and one of the two is written: what is seen here is
 * then not what the call will see. */
static int array_meets(const struct array *arrays, int count, const struct array *a, int64_t low,
                       int64_t high)
{{
    for (const struct array *b = arrays; b < arrays + count && !arrays->apart; b++)
        if (b != a && (a->writes || b->writes) && b->low < b->high &&
            (intptr_t)a->base + low < (intptr_t)b->base + b->high &&
            (intptr_t)b->base + b->low < (intptr_t)a->base + high)
            return 1;
    return 0;
}}

static __attribute__((noinline)) void array_check(struct array *arrays, int count, struct array *a)
{{
    int64_t base = (int64_t)(uintptr_t)a->base;
    if (a->copies && (!a->copy || a->low < a->start || a->high > a->end))
        array_copy(a);
    arrays->overlaps |= array_meets(arrays, count, a, a->low, a->high);
    a->safe_low = ((base + a->low) & ~PAGE_MASK) - base;
    a->safe_high = ((base + a->high + PAGE_MASK) & ~PAGE_MASK) - base;
    if (array_meets(arrays, count, a, a->safe_low, a->safe_high))
        a->safe_low = a->safe_high = 0;
    for (struct array *b = arrays; b < arrays + count; b++)
        if (b != a)
            b->safe_low = b->safe_high = 0;
}}

/* It is called seldom: the loop around the call keeps its registers. */
static __attribute__((noinline, preserve_most)) struct window
window_grow(struct array *arrays, int count, int which, int64_t at, int64_t size)
{{
    struct array *a = arrays + which;
    if (at < a->low)
        a->low = at;
    if (at + size > a->high)
        a->high = at + size;
    if (a->low < a->safe_low || a->high > a->safe_high)
        array_check(arrays, count, a);
    uintptr_t origin = a->copies ? (uintptr_t)a->copy - (uintptr_t)a->first : (uintptr_t)a->base;
    return (struct window){{a->low, (uint64_t)(a->high - a->low - size) + 1, origin}};
}}

static void arrays_free(struct array *arrays, int count)
{{
    for (int i = 0; i < count; i++)
        free(arrays[i].copy);
}}
"""
