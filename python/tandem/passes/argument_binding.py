# SPDX-License-Identifier: Apache-2.0
"""One pointer argument on its way to the hardware: its memory, and who accesses it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tandem.analysis.extents import Bytes, Extents
from tandem.ir.argument import Argument, Extent
from tandem.ir.blocks import Block
from tandem.ir.dominators import Dominators, dominates, immediate_dominators
from tandem.ir.functions import blocks_of
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory
from tandem.ir.ops import Op


@dataclass
class Use:
    block: Block
    op: Op
    place: int
    """Position among the accesses, in program order."""


@dataclass
class Binding:
    """One pointer argument on its way."""

    kernel: Kernel
    argument: Argument
    memory: Memory
    accesses: list[Use]

    @cached_property
    def extents(self) -> Extents:
        """Made when first asked for: it takes the whole kernel's loops apart."""
        return Extents(self.kernel)

    @cached_property
    def once(self) -> frozenset[Block]:
        """The blocks of the kernel's own function."""
        return frozenset(blocks_of(self.kernel.entry))

    @cached_property
    def _dominators(self) -> Dominators:
        return immediate_dominators(self.kernel)

    def is_behind(self, block: Block, other: Block) -> bool:
        """Whether control comes to a block of the kernel's own function only by way of another."""
        return block in self.once and dominates(other, block, self._dominators)

    @property
    def element_bytes(self) -> int:
        return self.memory.element_bits // 8


def extent_of(extents: Extents, found: Bytes | None) -> Extent:
    if found is None:
        return Extent()
    claim = extents.expression(found)
    return Extent("exact", claim, claim) if found.exact else Extent("bound", claim)
