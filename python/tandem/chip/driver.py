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

from tandem.chip.held import held, is_given, is_taken
from tandem.chip.moves import SLOTS, moves_c
from tandem.chip.refusals import Bounds, refusals
from tandem.diagnostics import Place, user_error
from tandem.host.stub import original_symbol, stub_name
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.kernel import Kernel
from tandem.models.ahead import EXTENTS, extents_c
from tandem.models.c_interface import c_result, call, prototype
from tandem.rtl.buses import PROTOCOLS

INTERRUPT, MOST_LINES = "interrupt", 32
"""Of `[shell] end`: a shell's line interrupts (engine/src/chip/rows.rs). Lines of a core."""


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


def _entry(kernel: Kernel, number: int, shell: int) -> Entry:
    """Of a program whose linker knows a function by its own name and `.original`."""
    original, own = f"tandem_original{number}", prototype(kernel, stub_name(number))
    symbol = json.dumps(original_symbol(kernel.name))
    declared = f"{prototype(kernel, original)} __asm__({symbol});\n{own};"
    return Entry(f"(tandem_shell){shell:#x}u", own, c_result(kernel), original, declared)


def driver_c(kernel: Kernel, number: int, entry: Entry, bounds: Bounds, has_memory: bool) -> str:
    """The driver of kernel `number`, behind `moves_c`. Raises UserError as `drivers_c`."""
    held(kernel, bounds.window_bytes)
    _require_extents(kernel)
    steps = [
        f"    const tandem_shell shell = {entry.shell};",
        f"    void *const data[] = {{{_data(kernel, number)}}};",
        f"    uint64_t bytes[{max(1, len(kernel.arguments))}];",
        f"    {_extents_name(number)}(data, bytes);",
        *(_refused(kernel, entry, one) for one in [*entry.refusals, *refusals(kernel, bounds)]),
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


def _refused(kernel: Kernel, entry: Entry, condition: str) -> str:
    served = call(kernel, entry.original)
    if entry.result == "void":
        return f"    if ({condition}) {{\n        {served};\n        return;\n    }}"
    return f"    if ({condition})\n        return {served};"


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
