# SPDX-License-Identifier: Apache-2.0
"""What a kernel's shell holds of its arguments, and what of them a driver gives and takes."""

from __future__ import annotations

from dataclasses import dataclass

from tandem.diagnostics import UserError, user_error
from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.kernel import Kernel
from tandem.models.c_interface import scalar_bytes

BITS_OF_BYTE, WORD_BYTES = 8, 4


@dataclass(frozen=True)
class Held:
    """An argument in a kernel's shell: what it is there (the engine's `shell::Role`), and how many
    bytes the shell has room for."""

    role: str
    bytes: int


def held(kernel: Kernel, window_bytes: int) -> list[Held]:
    """What a kernel's shell holds, in the manifest's order. Raises UserError as `drivers_c`."""
    return [_held_as(kernel, argument, window_bytes) for argument in kernel.arguments]


def result_bits(kernel: Kernel) -> int:
    """Bits of what the function returns, 0 for nothing."""
    return next((scalar_bytes(a) * BITS_OF_BYTE for a in kernel.arguments if a.is_result), 0)


def _held_as(kernel: Kernel, argument: Argument, window_bytes: int) -> Held:
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


def is_given(argument: Argument) -> bool:
    """Whether a driver gives it: also what is only written, but perhaps not to its end."""
    is_partly = argument.memory is not None and argument.extent.source == "bound"
    return not argument.is_result and (argument.direction != "out" or is_partly)


def is_taken(argument: Argument) -> bool:
    """Whether a driver brings back what the kernel has written of it."""
    return argument.memory is not None and argument.direction != "in"
