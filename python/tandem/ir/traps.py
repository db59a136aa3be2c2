# SPDX-License-Identifier: Apache-2.0
"""Traps: places of a function at which a call needs what hardware was not given for it: more frames
of a stack, more bytes of blocks, or the host's memory at an address that it finds there. Such a
call is the C's alone.

Until import a trap is a store to a variable that is only declared, so that no pass takes it away;
in the kernel one to a memory of kind 'trap', which costs no hardware. What it is about stands in
the name of both.
"""

from __future__ import annotations

from collections.abc import Callable

from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.written import function_name

FRAMES, BLOCKS, LARGE, HOST = "frames", "blocks", "large", "host"
_PREFIX = "tandem.trap."
_REASONS: dict[str, Callable[[str, str], str]] = {
    FRAMES: lambda name, given: f"`{name}` calls itself deeper than `recursion({given})` says",
    BLOCKS: lambda name, given: (
        f"the blocks from the heap that it asks for have no room in `heap({given})`"
    ),
    LARGE: lambda _name, _given: "it asks for a block from the heap that no memory has room for",
    HOST: lambda name, _: (
        f"it follows a pointer that it reads from `{name}`, which the caller shares: hardware "
        "cannot follow the host's addresses"
    ),
}


def trap_symbol(what: str, given: int, function: str) -> str:
    """The name of the variable, and, of its last part, the memory."""
    return f"{_PREFIX}trap_{what}_{given}_{function}"


def pointer_trap(kernel: Kernel, array: str) -> Memory:
    """The memory for a pointer that is read from an array of the caller."""
    name = f"trap_{HOST}_0_{array}"
    return kernel.memories.get(name) or kernel.add_memory(Memory(name, MemoryKind.TRAP, 8, 1))


def trap_of(symbol: str) -> Memory | None:
    """The kernel's memory for a variable; None for one that is no trap."""
    found = symbol.removeprefix(_PREFIX)
    return None if found == symbol else Memory(found, MemoryKind.TRAP, 8, 1)


def traps(kernel: Kernel) -> list[Memory]:
    """Those that a kernel has, in a fixed order."""
    return [memory for memory in kernel.memories.values() if memory.kind is MemoryKind.TRAP]


def trap_reason(memory: Memory) -> str:
    """Why a call that gets there is left to the C."""
    _, what, given, function = memory.name.split("_", 3)
    return _REASONS[what](function_name(function), given)
