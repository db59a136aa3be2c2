# SPDX-License-Identifier: Apache-2.0
"""Arrays, as operations know them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PORT_INDEX_BITS = 32
"""Index bits of a memory port: 4 G elements, more than any device's memory of today holds."""


class MemoryKind(StrEnum):
    """What an array is; the IR's text has the value."""

    ROM = "rom"
    """Constant contents."""
    RAM = "ram"
    """Inside the kernel."""
    ARGUMENT = "argument"
    """A pointer argument that is not yet bound."""
    VARIABLE = "variable"
    """The same of a variable of the program."""
    EXTERNAL = "external"
    """An argument behind a memory port."""
    STREAM_IN = "stream_in"
    STREAM_OUT = "stream_out"
    FIFO = "fifo"
    """Between two processes."""
    TRAP = "trap"
    """`ir.traps`"""
    NOWHERE = "nowhere"
    """A function, or a number that leads to no object: pointers to it are only compared."""


@dataclass(eq=False)
class Memory:
    """An array. `depth` is in elements, None when the C does not say; of a FIFO it is the least
    that the C wants. `contents`: of a constant table, or what a local array starts with. `banks`:
    of how many memories a pragma wants a local array to be made, by the low bits of the index.
    `rows`: bytes of the rows that the C has an array made of; no index counts more columns than
    they have."""

    name: str
    kind: MemoryKind
    element_bits: int
    depth: int | None = None
    contents: tuple[int, ...] = ()
    banks: int = 1
    rows: tuple[int, ...] = ()

    def initial(self, index: int) -> int:
        """What an element of a 'rom' or 'ram' holds before anything is stored; one beyond the
        contents, 0."""
        return self.contents[index] if index < len(self.contents) else 0

    @property
    def index_bits(self) -> int:
        """Bits of an index that reaches every element; 64 when the depth is unknown."""
        return 64 if self.depth is None else max(1, (self.depth - 1).bit_length())
