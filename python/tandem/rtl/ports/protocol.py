# SPDX-License-Identifier: Apache-2.0
"""What a protocol of a kernel's ports is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tandem.ir.argument import Argument
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Op
from tandem.rtl.ports.served import Lines, Served
from tandem.rtl.text import Module, Wire

ELEMENT = 0
"""In place of a width: that of the record, of the element or of the value."""

Speaks = Callable[[Kernel, Argument], bool]
"""Whether an argument of a kernel speaks a protocol."""


def _nothing(served: Served, lines: Lines) -> None:
    """What needs nobody to serve it."""


@dataclass(frozen=True)
class Protocol:
    """How an argument goes in or out: its name, its place among the others, and what is said of it
    to people. `speaks`: which arguments do, and `in_place_of`: what these do not speak then.
    `inputs` and `outputs` of the kernel: role of a signal -> its bits, which is the end of its name
    too. `value`: of what stays as it is during a call, the argument's value out of its wires, by
    role; else the hardware of operations drives the ports. `serve`: what Icarus's test bench does
    at them."""

    name: str
    place: int
    meaning: str
    speaks: Speaks
    inputs: Mapping[str, int] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)
    in_place_of: tuple[str, ...] = ()
    value: Callable[[Module, Mapping[str, Wire]], Wire] | None = None
    serve: Callable[[Served, Lines], None] = _nothing


def is_kept_in(kind: MemoryKind) -> Speaks:
    """Whether an argument is a memory of a kind."""
    return lambda kernel, argument: argument.memory is not None and argument.memory.kind is kind


def is_accessed_by(access: type[Op]) -> Speaks:
    """Whether an argument is memory outside of the kernel with such operations about it."""

    def speaks(kernel: Kernel, argument: Argument) -> bool:
        memory = argument.memory
        if memory is None or memory.kind is not MemoryKind.EXTERNAL:
            return False
        return any(type(op) is access and op.is_about(memory) for _, op in kernel.ops())

    return speaks
