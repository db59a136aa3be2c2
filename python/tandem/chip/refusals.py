# SPDX-License-Identifier: Apache-2.0
"""Calls that a kernel on a chip does not serve, and the function itself does: arrays that the shell
has no room for or that overlap, and numbers that the kernel was not made for."""

from __future__ import annotations

from dataclasses import dataclass

from tandem.chip.held import BITS_OF_BYTE, is_taken
from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.models.c_interface import scalar_bytes


@dataclass(frozen=True)
class Bounds:
    """What a driver has room for: bytes of an array, and the first address behind memory, None
    where nobody knows it."""

    window_bytes: int
    end: int | None


def refusals(kernel: Kernel, bounds: Bounds) -> list[str]:
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
