# SPDX-License-Identifier: Apache-2.0
"""Block parameters that carry fewer bits."""

from __future__ import annotations

from tandem.ir.blocks import Block, Edge
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Op, Parameter
from tandem.ir.wiring import Bit, Bits, bits_of, zeros
from tandem.passes.simplify import substitute


class Shortening:
    """Makes parameters shorter. Until the `end`, readers have those that there were: replaced for
    each of them, they would take a long time in a large kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.whole: dict[Op, Op] = {}
        """Parameter that there was -> all bits of it, of which a shorter one carries some."""

    def shorten(
        self, block: Block, place: int, low: int, width: int, ways: list[tuple[Block, Edge]]
    ) -> None:
        """The parameter at a place of `block`, all of whose bits are 0 but for `width` ones from
        bit `low` on, carries these only. `ways`: the edges to the block and the blocks they
        leave."""
        old = block.parameters[place]
        new = Parameter((), width, dict(old.attributes), old.line, old.name)
        head = Builder(self.kernel, Block("head"))
        whole = head.wire((*zeros(low), *bits_of(new), *zeros(old.width - low - width)))
        block.parameters[place] = new
        for source, edge in ways:
            kept = self.bits_of(edge.arguments[place])[low : low + width]
            edge.arguments[place] = Builder(self.kernel, source).wire(kept)
        block.ops = head.block.ops + block.ops
        self.whole[old] = whole

    def bits_of(self, value: Op) -> Bits:
        """The bits of a value whose readers have the shorter parameters."""
        return tuple(map(self._now, bits_of(value))) if self.whole else bits_of(value)

    def _now(self, bit: Bit) -> Bit:
        if type(bit) is int or bit[0] not in self.whole:
            return bit
        return bits_of(self.whole[bit[0]])[bit[1]]

    def end(self) -> bool:
        """Gives readers the shorter parameters; whether there are any."""
        if self.whole:
            substitute(self.kernel, self.whole)
        return bool(self.whole)
