# SPDX-License-Identifier: Apache-2.0
"""What all drivers of a program move words by, and wait: C that stands before them once."""

from __future__ import annotations

from tandem.rtl.buses import PROTOCOLS

_REGISTERS = """struct tandem_shell {
    uint32_t control;
    uint32_t data_in;
    uint32_t data_out;
    uint32_t ring;
};
typedef volatile struct tandem_shell *tandem_shell;

/* How a register is reached, unless somebody has said before how he does. */
#ifndef TANDEM_LOAD
#define TANDEM_LOAD(from) (*(from))
#define TANDEM_STORE(to, word) (*(to) = (word))
#endif

static inline void tandem_order(tandem_shell shell, uint32_t word)
{
    TANDEM_STORE(&shell->control, word);
}
static inline uint32_t tandem_status(tandem_shell shell) { return TANDEM_LOAD(&shell->control); }
static inline void tandem_put(tandem_shell shell, uint32_t word)
{
    TANDEM_STORE(&shell->data_in, word);
}
static inline uint32_t tandem_get(tandem_shell shell) { return TANDEM_LOAD(&shell->data_out); }
"""
_INSTRUCTIONS = """typedef uint32_t tandem_shell;

static inline void tandem_order(tandem_shell shell, uint32_t word)
{
    __asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" : : "r"(word), "r"(shell));
}
static inline uint32_t tandem_status(tandem_shell shell)
{
    uint32_t word;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, x0, %1" : "=r"(word) : "r"(shell));
    return word;
}
static inline void tandem_put(tandem_shell shell, uint32_t word)
{
    __asm__ volatile(".insn r 0x0b, 5, 0, x0, %0, %1" : : "r"(word), "r"(shell));
}
static inline uint32_t tandem_get(tandem_shell shell)
{
    uint32_t word;
    __asm__ volatile(".insn r 0x0b, 2, 0, %0, x0, %1" : "=r"(word) : "r"(shell));
    return word;
}
"""
"""A shell's registers, as the core asks for them."""
_RING = """
/* What a shell does for itself: it reads this in memory. */
struct tandem_descriptor {{
    uint32_t order;
    uint32_t address;
    uint32_t words;
    uint32_t unused;
}};
enum {{ TANDEM_GIVE = 1, TANDEM_TAKE = 3, TANDEM_SLOTS = {slots} }};

/* What a driver keeps from call to call: descriptors, and how many of them there have been. */
struct tandem_ring {{
    struct tandem_descriptor slots[TANDEM_SLOTS];
    uint32_t next;
}} __attribute__((aligned(256)));

/* Whether a descriptor is worth its while, and moves no byte too many. */
static inline int tandem_is_long(const void *data, uint64_t bytes)
{{
    return bytes >= {long_bytes} && ((uintptr_t)data | bytes) % 4 == 0;
}}

static inline void tandem_describe(struct tandem_ring *ring, uint32_t order, const void *data,
                                   uint32_t bytes)
{{
    struct tandem_descriptor *const one = &ring->slots[ring->next++ % TANDEM_SLOTS];
    one->order = order;
    one->address = (uint32_t)(uintptr_t)data;
    one->words = bytes / 4;
}}

static inline void tandem_go(tandem_shell shell, struct tandem_ring *ring, uint32_t count)
{{
    __asm__ volatile("" : : : "memory");
    shell->ring = (uint32_t)(uintptr_t)ring | count;
}}
"""
LONG_BYTES, SLOTS = 32, 16
"""Bytes of an array from which on a descriptor takes less time than loads and stores (with
PicoRV32 one of 16 takes more), and descriptors in a ring."""
_HEAD = """#include <stdint.h>
#include <string.h>

/* A kernel's shell (docs/chips.md). */
enum {{ TANDEM_CHOOSE = 1, TANDEM_START = {start}, TANDEM_SEND = 3, TANDEM_DONE = 1 }};
enum {{ TANDEM_IS_LINK = {is_link} }};
{registers}{waiting}"""
_POLLING = """
/* Until the kernel is done. */
static inline void tandem_wait(tandem_shell shell, uint32_t line)
{
    (void)line;
    while (!(tandem_status(shell) & TANDEM_DONE))
        ;
}
"""
_INTERRUPT = """
/* Where the core goes when a line interrupts: who waits sees that nothing may do so any more. */
static void __attribute__((naked, aligned(4))) tandem_told(void)
{
    __asm__ volatile("csrw mie, zero\\n\\tmret");
}

/* Until the kernel is done, whose shell has this line; it is high until the shell is asked.
   0xbc0: which lines VexRiscv listens to. */
static inline void tandem_wait(tandem_shell shell, uint32_t line)
{
    const uint32_t external = 0x800;
    uint32_t waits, handler;
    __asm__ volatile("csrrw %0, mtvec, %1" : "=r"(handler) : "r"(tandem_told));
    __asm__ volatile("csrw 0xbc0, %0" : : "r"(1u << line));
    __asm__ volatile("csrw mie, %0\\n\\tcsrsi mstatus, 8" : : "r"(external));
    do
        __asm__ volatile("csrr %0, mie" : "=r"(waits));
    while (waits);
    __asm__ volatile("csrci mstatus, 8\\n\\tcsrw mtvec, %0" : : "r"(handler));
    while (!(tandem_status(shell) & TANDEM_DONE))
        ; /* A link's answer takes a while. */
}
"""
TELL = 1 << 8
"""Of the instruction that starts a kernel: its end raises the line."""
_COPIES = """/* Of arrays of any type. */
typedef uint32_t __attribute__((may_alias)) tandem_word;

/* Kernels without arguments need no copies. */
#define TANDEM_PERHAPS static inline __attribute__((unused))

TANDEM_PERHAPS void tandem_give(tandem_shell shell, uint32_t argument,
                               const void *from, uint32_t bytes)
{
    const char *next = from;
    /* If it is aligned; volatile, or the compiler makes one loop of both: that of bytes. */
    const volatile tandem_word *words = from;
    uint32_t word, count = bytes / sizeof word;
    tandem_order(shell, TANDEM_CHOOSE | argument << 8);
    if ((uintptr_t)from % sizeof word == 0)
        for (uint32_t i = 0; i < count; i++)
            tandem_put(shell, words[i]);
    else
        for (uint32_t i = 0; i < count; i++) {
            memcpy(&word, next + i * sizeof word, sizeof word);
            tandem_put(shell, word);
        }
    if (bytes % sizeof word) {
        word = 0;
        memcpy(&word, next + count * sizeof word, bytes % sizeof word);
        tandem_put(shell, word);
    }
}

TANDEM_PERHAPS void tandem_take(tandem_shell shell, uint32_t argument, void *to,
                               uint32_t bytes)
{
    char *next = to;
    volatile tandem_word *words = to;
    uint32_t word, count = bytes / sizeof word;
    tandem_order(shell, TANDEM_CHOOSE | argument << 8);
    if (TANDEM_IS_LINK)
        tandem_order(shell, TANDEM_SEND | (bytes + 3) / 4 << 8);
    if ((uintptr_t)to % sizeof word == 0)
        for (uint32_t i = 0; i < count; i++)
            words[i] = tandem_get(shell);
    else
        for (uint32_t i = 0; i < count; i++) {
            word = tandem_get(shell);
            memcpy(next + i * sizeof word, &word, sizeof word);
        }
    if (bytes % sizeof word) {
        word = tandem_get(shell);
        memcpy(next + count * sizeof word, &word, bytes % sizeof word);
    }
}

TANDEM_PERHAPS int tandem_overlap(const void *one, uint32_t bytes, const void *other,
                                 uint32_t other_bytes)
{
    return (uintptr_t)one < (uintptr_t)other + other_bytes &&
           (uintptr_t)other < (uintptr_t)one + bytes;
}
"""


def moves_c(protocol: str, has_memory: bool, is_interrupted: bool = False) -> str:
    """What all drivers move words by, and wait. `has_memory`: whether shells move arrays
    themselves; `is_interrupted`: whether they interrupt the core, VexRiscv."""
    said = PROTOCOLS[protocol]
    registers = _INSTRUCTIONS if said.is_of_instructions else _REGISTERS
    head = _HEAD.format(
        start=f"2 | {TELL:#x}" if is_interrupted else "2",
        is_link=int(said.is_link),
        registers=registers,
        waiting=_INTERRUPT if is_interrupted else _POLLING,
    )
    ring = _RING.format(slots=SLOTS, long_bytes=LONG_BYTES) if has_memory else ""
    return f"{head}\n{_COPIES}{ring}"
