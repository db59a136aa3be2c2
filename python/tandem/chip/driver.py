# SPDX-License-Identifier: Apache-2.0
"""The driver of a kernel on a chip: C with the function's own signature, which gives the kernel's
shell the arguments, starts it, waits for it and takes what it has written. Calls that the shell has
no room for, or whose arrays overlap in a way that the kernel does not allow, the function itself
serves, on the processor. What differs with where a driver runs, an `Entry` says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.host.stub import original_symbol, stub_name
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.kernel import Kernel
from tandem.models.ahead import EXTENTS, extents_c
from tandem.models.c_interface import c_result, call, prototype
from tandem.models.walk import scalar_bytes
from tandem.rtl.protocols import PROTOCOLS

BITS_OF_BYTE, WORD_BYTES = 8, 4

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
INTERRUPT, MOST_LINES = "interrupt", 32
"""Of `[shell] end`: a shell's line interrupts (engine/src/chip/settings.rs). Lines of a core."""
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


@dataclass(frozen=True)
class Held:
    """An argument in a kernel's shell: what it is there (the engine's `shell::Role`), and how many
    bytes the shell has room for."""

    role: str
    bytes: int


@dataclass(frozen=True)
class Entry:
    """How a driver stands where it runs, as C: its shell, its prototype (parameters `a0`, `a1`, ...
    in the manifest's order) and its result's type; what the function itself is called, and what has
    to be declared before. `refusals`: conditions in which the function serves a call that are no
    matter of its arguments."""

    shell: str
    prototype: str
    result: str
    original: str
    declarations: str
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bounds:
    """What a driver has room for: bytes of an array, and the first address behind memory, None
    where nobody knows it."""

    window_bytes: int
    end: int | None


def drivers_c(
    kernels: Sequence[Kernel], bases: Sequence[int], shell: dict[str, Any], end: int
) -> str:
    """The drivers of kernels in a program of the chip's own core, whose shells begin at these
    addresses. `shell`: what a chip's numbers say of them (docs/schemas/chip.json); `end`: the first
    address behind the program's memory.

    Raises UserError for an argument that no shell can hold, and for more shells than a core has
    lines."""
    said, window_bytes = PROTOCOLS[shell["protocol"]], shell["window_bytes"]
    is_interrupted = shell["end"] == INTERRUPT
    if is_interrupted and len(kernels) > MOST_LINES:
        raise user_error(
            "chip-interrupts",
            f"{len(kernels)} kernels, and a core has {MOST_LINES} lines by which they interrupt",
            help="let drivers ask (--set shell.end=polling), or offload fewer functions",
        )
    shells = range(len(kernels)) if said.is_of_instructions else bases
    bounds = Bounds(window_bytes, end)
    drivers = [
        driver_c(kernel, number, _entry(kernel, number, place), bounds, said.has_memory)
        for number, (kernel, place) in enumerate(zip(kernels, shells, strict=True))
    ]
    moves = moves_c(shell["protocol"], said.has_memory, is_interrupted)
    return "\n".join([moves, *drivers])


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


def _entry(kernel: Kernel, number: int, shell: int) -> Entry:
    """Of a program whose linker knows a function by its own name and `.original`."""
    original, own = f"tandem_original{number}", prototype(kernel, stub_name(number))
    symbol = json.dumps(original_symbol(kernel.name))
    declared = f"{prototype(kernel, original)} __asm__({symbol});\n{own};"
    return Entry(f"(tandem_shell){shell:#x}u", own, c_result(kernel), original, declared)


def held(kernel: Kernel, window_bytes: int) -> list[Held]:
    """What a kernel's shell holds, in the manifest's order. Raises UserError as `drivers_c`."""
    return [_held(kernel, argument, window_bytes) for argument in kernel.arguments]


def result_bits(kernel: Kernel) -> int:
    """Bits of what the function returns, 0 for nothing."""
    return next((scalar_bytes(a) * BITS_OF_BYTE for a in kernel.arguments if a.is_result), 0)


def _held(kernel: Kernel, argument: Argument, window_bytes: int) -> Held:
    if argument.is_result:
        return Held("result", scalar_bytes(argument))
    if argument.kind is ArgumentKind.SCALAR and argument.is_parameter:
        return Held("value", scalar_bytes(argument))
    if argument.kind is ArgumentKind.BLOCK and _has_address(argument):
        return Held("value", argument.width // BITS_OF_BYTE)
    if argument.kind is ArgumentKind.STREAM and _has_address(argument):
        ends = {"in": "stream_in", "out": "stream_out"}
        if argument.direction in ends:
            return Held(ends[argument.direction], _room(argument, window_bytes))
    if argument.kind is ArgumentKind.MEMORY and _has_address(argument):
        role = "memory_in" if argument.direction == "in" else "memory"
        return Held(role, _room(argument, window_bytes))
    raise _unheld(kernel, argument)


def _room(argument: Argument, window_bytes: int) -> int:
    """What a shell needs for an array: no more than every call uses."""
    claim = argument.extent.claim
    if claim is None or claim.names():
        return window_bytes
    used = claim.evaluate({})
    return used if used <= window_bytes else window_bytes


def _has_address(argument: Argument) -> bool:
    return argument.is_parameter or argument.variable is not None


def _unheld(kernel: Kernel, argument: Argument) -> UserError:
    return user_error(
        "chip-argument",
        f"`{argument.name}` of `{kernel.name}` is a {argument.kind} that is not passed to the "
        "function: a kernel on a chip takes numbers, arrays and variables",
        help="pass it as a parameter of the function",
    )


def driver_c(kernel: Kernel, number: int, entry: Entry, bounds: Bounds, has_memory: bool) -> str:
    """The driver of kernel `number`, behind `moves_c`. Raises UserError as `drivers_c`."""
    held(kernel, bounds.window_bytes)
    _require_extents(kernel)
    steps = [
        f"    const tandem_shell shell = {entry.shell};",
        f"    void *const data[] = {{{_data(kernel, number)}}};",
        f"    uint64_t bytes[{max(1, len(kernel.arguments))}];",
        f"    {_extents_name(number)}(data, bytes);",
        *(_refused(kernel, entry, one) for one in [*entry.refusals, *_conditions(kernel, bounds)]),
        *(_by_ring(kernel, number) if has_memory else _by_words(kernel, number)),
        *_result(kernel, entry),
    ]
    body = "\n".join(steps)
    ring = f"struct tandem_ring {_ring_name(number)};\n" if has_memory else ""
    extents = extents_c(kernel).replace(EXTENTS, _extents_signature(number), 1)
    return f"""
{extents}
{entry.declarations}
{_variables(kernel, number)}
{ring}{entry.prototype}
{{
{body}
}}
"""


def _by_words(kernel: Kernel, number: int) -> list[str]:
    """The processor moves what the kernel needs."""
    return [
        *(_given(i, a) for i, a in enumerate(kernel.arguments) if is_given(a)),
        "    tandem_order(shell, TANDEM_START);",
        _waited(number),
        *(_taken(i) for i, a in enumerate(kernel.arguments) if is_taken(a)),
    ]


def _waited(number: int) -> str:
    return f"    tandem_wait(shell, {number});"


def _ring_name(number: int) -> str:
    """What the engine does not compare with what the C function leaves (chip/calls.rs)."""
    return f"{stub_name(number)}_ring"


def _by_ring(kernel: Kernel, number: int) -> list[str]:
    """The shell moves long arrays by descriptors, among which is that it starts."""
    arguments = list(enumerate(kernel.arguments))
    given = [i for i, a in arguments if is_given(a) and not a.is_number]
    taken = [i for i, a in arguments if is_taken(a)]
    if len(given) + len(taken) >= SLOTS:
        raise user_error(
            "chip-argument",
            f"`{kernel.name}` gives {len(given)} arrays and takes {len(taken)}, and a ring has "
            f"{SLOTS} descriptors",
            help="choose another protocol for the shells' bus, or fewer arrays",
        )

    def described(position: int, order: str, otherwise: str) -> str:
        what = f"data[{position}], bytes[{position}]"
        order = f"{order} | {position} << 8"
        add = f"tandem_describe(ring, {order}, {what});"
        other = f"\n    else\n    {otherwise}" if otherwise else ""
        return f"    if (tandem_is_long({what}))\n        {add}{other}"

    return [
        f"    struct tandem_ring *const ring = &{_ring_name(number)};",
        "    const uint32_t first = ring->next;",
        *(_given(i, a) for i, a in arguments if is_given(a) and a.is_number),
        *(described(i, "TANDEM_GIVE", _given(i, kernel.arguments[i])) for i in given),
        "    tandem_describe(ring, TANDEM_START, 0, 0);",
        *(described(i, "TANDEM_TAKE", "") for i in taken),
        "    if (ring->next - first > 1) {",
        "        tandem_go(shell, ring, ring->next - first);",
        "    } else {",
        "        ring->next = first;",
        "        tandem_order(shell, TANDEM_START);",
        "    }",
        _waited(number),
        '    __asm__ volatile("" : : : "memory");',
        *(f"    if (!tandem_is_long(data[{i}], bytes[{i}]))\n    {_taken(i)}" for i in taken),
    ]


def _extents_name(number: int) -> str:
    return f"tandem_extents{number}"


def _extents_signature(number: int) -> str:
    return f"static inline void {_extents_name(number)}(void *const data[], uint64_t bytes[])"


def _require_extents(kernel: Kernel) -> None:
    """That the driver knows how much of each array goes, and no byte more comes back."""
    for argument in kernel.arguments:
        if argument.memory is None or argument.variable is not None:
            continue
        source = argument.extent.source
        if argument.extent.claim is not None and not (source == "bound" and is_taken(argument)):
            continue
        raise user_error(
            "extent",
            f"how much of `{argument.name}` a call of `{kernel.name}` uses is not known before it",
            Place("", argument.extent.line) if argument.extent.line else None,
            f"say so above the function: `#pragma tandem extent({argument.name}, BYTES)`",
        )


def _data(kernel: Kernel, number: int) -> str:
    return ", ".join(_address(a, i, number) for i, a in enumerate(kernel.arguments)) or "0"


def _address(argument: Argument, position: int, number: int) -> str:
    if argument.variable is not None:
        return _variable(number, position)
    if argument.is_result:
        return "0"
    return (
        f"(void *)&a{position}" if argument.kind is ArgumentKind.SCALAR else f"(void *)a{position}"
    )


def _variable(number: int, position: int) -> str:
    return f"tandem_variable{number}_{position}"


def _variables(kernel: Kernel, number: int) -> str:
    return "\n".join(
        f"extern char {_variable(number, i)}[] __asm__({json.dumps(a.variable.symbol)});"
        for i, a in enumerate(kernel.arguments)
        if a.variable is not None
    )


def _conditions(kernel: Kernel, bounds: Bounds) -> list[str]:
    """When the function itself has to serve a call."""
    arguments = kernel.arguments
    arrays = [i for i, a in enumerate(arguments) if not a.is_number]
    found = [
        f"bytes[{i}] > {bounds.window_bytes}u" for i in arrays if arguments[i].memory is not None
    ]
    # A bound may lie farther than the C would go, and than there is memory.
    found += [
        f"bytes[{i}] > {bounds.end:#x}u - (uintptr_t)data[{i}]"
        for i in arrays
        if bounds.end is not None and is_only_bound(arguments[i])
    ]
    for i, argument in enumerate(arguments):
        found += _unserved(f"a{i}", argument)
    return found + [_overlap(*meeting) for meeting in meetings(kernel)]


def is_only_bound(argument: Argument) -> bool:
    """Whether a call may use less of an array of the caller's than is told of it."""
    return argument.extent.source == "bound" and argument.variable is None


def _unserved(name: str, argument: Argument) -> list[str]:
    """When a number is none that the kernel serves."""
    if argument.most is None:
        return []
    pattern = f"(uint{scalar_bytes(argument) * BITS_OF_BYTE}_t){name}"
    least = [f"{pattern} < {argument.least}u"] if argument.least else []
    return [f"{pattern} > {argument.most}u", *least]


def meetings(kernel: Kernel) -> list[tuple[int, int, bool]]:
    """The pairs of arrays that must not overlap, by their places among the arguments; and whether
    both may be one and the same."""
    arguments = kernel.arguments
    arrays = [i for i, a in enumerate(arguments) if not a.is_number]
    taken = [i for i in arrays if is_taken(arguments[i])]
    pairs = {(min(i, j), max(i, j)) for i in taken for j in arrays if i != j}
    return [(*pair, _may_be_one(kernel, *pair)) for pair in sorted(pairs)]


def _may_be_one(kernel: Kernel, one: int, other: int) -> bool:
    names = {a.name for a in (kernel.arguments[one], kernel.arguments[other])}
    memories = {a.memory.name for a in kernel.arguments if a.name in names and a.memory is not None}
    return any(set(pair) == memories for pair in kernel.in_place)


def _overlap(one: int, other: int, may_be_one: bool) -> str:
    arrays = (f"data[{i}], (uint32_t)bytes[{i}]" for i in (one, other))
    meets = f"tandem_overlap({', '.join(arrays)})"
    return f"data[{one}] != data[{other}] && {meets}" if may_be_one else meets


def _refused(kernel: Kernel, entry: Entry, condition: str) -> str:
    served = call(kernel, entry.original)
    if entry.result == "void":
        return f"    if ({condition}) {{\n        {served};\n        return;\n    }}"
    return f"    if ({condition})\n        return {served};"


def is_given(argument: Argument) -> bool:
    """Whether a driver gives it: also what is only written, but perhaps not to its end."""
    is_partly = argument.memory is not None and argument.extent.source == "bound"
    return not argument.is_result and (argument.direction != "out" or is_partly)


def is_taken(argument: Argument) -> bool:
    """Whether a driver brings back what the kernel has written of it."""
    return argument.memory is not None and argument.direction != "in"


def _given(position: int, argument: Argument) -> str:
    size = (
        f"sizeof a{position}"
        if argument.kind is ArgumentKind.SCALAR
        else f"(uint32_t)bytes[{position}]"
    )
    return f"    tandem_give(shell, {position}, data[{position}], {size});"


def _taken(position: int) -> str:
    return f"    tandem_take(shell, {position}, data[{position}], (uint32_t)bytes[{position}]);"


def _result(kernel: Kernel, entry: Entry) -> list[str]:
    for i, argument in enumerate(kernel.arguments):
        if argument.is_result:
            return [
                f"    {entry.result} result;",
                f"    tandem_take(shell, {i}, &result, sizeof result);",
                "    return result;",
            ]
    return []
