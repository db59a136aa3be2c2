# SPDX-License-Identifier: Apache-2.0
"""How many bytes of a buffer a call uses, as an expression over its arguments.

A signed number of REACH_BITS: 2^63 and more stand for too large, negative ones for a call whose
numbers leave what was proven (an index that wraps, an access before the pointer).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tandem.analysis.nests import Nests
from tandem.analysis.reaches import REACH_BITS, Reach, reach_of
from tandem.analysis.reaching import again
from tandem.ir.blocks import Block
from tandem.ir.builder import Builder
from tandem.ir.expressions import Expression, Node, expression_of
from tandem.ir.kernel import Kernel
from tandem.ir.memory import PORT_INDEX_BITS
from tandem.ir.ops import (
    Add,
    And,
    ArgumentOp,
    Concat,
    Constant,
    Eq,
    Mul,
    Ne,
    Op,
    Or,
    Select,
    SLt,
    constant,
)
from tandem.ir.wiring import bits_of

BITS_KNOWN_LIMIT = 1 << 16
"""An index whose bits alone bound it is trusted up to that many elements."""


@dataclass
class Bytes:
    """The bytes from the pointer to the furthest access. `exact`: every call reaches that far and
    starts at the pointer; else it is a bound."""

    value: Op
    exact: bool


class Extents:
    """Extents of one kernel's arguments; what is made for them is no part of the kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.builder = Builder(kernel, Block("extents"))
        self.nests = Nests(kernel, self.builder)

    def of_accesses(self, accesses: list[tuple[Block, Op]], element_bytes: int) -> Bytes | None:
        """The extent of loads and stores; None where one of them cannot be bounded."""
        found = [self._of_access(block, op, element_bytes) for block, op in accesses]
        known = [f for f in found if f is not None]
        if not known or len(known) < len(found):
            return None
        total = known[0].value
        for other in known[1:]:
            total = self._greater(total, other.value)
        return Bytes(total, all(f.exact for f in known))

    def unbounded(self, accesses: list[tuple[Block, Op]], element_bytes: int) -> Op:
        """The first of some loads and stores that cannot be bounded, one of which there is."""
        return next(op for b, op in accesses if self._of_access(b, op, element_bytes) is None)

    def of_stream(self, block: Block, trips: Op, record_bytes: int) -> Bytes | None:
        """The extent of a stream: a record an iteration of its loop; None where the number of
        iterations, or whether the loop runs, does not follow from the arguments."""
        condition = self.nests.reaching.condition(block)
        form = self.nests.form(trips)
        if condition is None or form is None or form.steps:
            return None
        size = self._times(self.builder.resize(form.base, REACH_BITS), record_bytes)
        if self._says_not_zero(condition, form.base):
            return Bytes(size, True)
        return Bytes(self._if(condition, size), True)

    def _says_not_zero(self, condition: Op, count: Op) -> bool:
        """Whether the condition only says that there is something to count, as the count does."""
        zero = constant(0, count.width)
        not_zero = self.builder.compare(Ne, count, zero)
        not_equal = self.builder.invert(self.builder.compare(Eq, count, zero))
        return bits_of(condition) in (bits_of(not_zero), bits_of(not_equal))

    def of_block(self, reads: list[tuple[Block, Op]], size: int) -> Bytes | None:
        """The extent of an array that comes with the call: `size` bytes if one of the loads
        happens; None where that does not follow from the arguments."""
        conditions = [self.nests.reaching.happens(block, op) for block, op in reads]
        known = [c for c in conditions if c is not None]
        if len(known) < len(conditions):
            return None
        read = self.builder.logic(Or, known)
        return Bytes(self._if(read, constant(size, REACH_BITS)), True)

    def expression(self, bytes_: Bytes) -> Expression:
        """The extent as data."""
        found = expression_of(bytes_.value)
        assert found is not None, "reaches are made of expressible values only"
        return found

    def _of_access(self, block: Block, op: Op, element_bytes: int) -> Bytes | None:
        reach = reach_of(self.nests, block, op)
        if reach is not None:
            return self._of_reach(reach, element_bytes)
        highest = self._highest(op.index)
        if highest >= BITS_KNOWN_LIMIT:
            return None
        return Bytes(constant((highest + 1) * element_bytes, REACH_BITS), False)

    def _of_reach(self, reach: Reach, element_bytes: int) -> Bytes:
        one = constant(1, REACH_BITS)
        end = self.builder.build(Add, [reach.high, one], REACH_BITS)
        size = self._times(end, element_bytes)
        if not isinstance(reach.low, Constant) or reach.low.value >> (REACH_BITS - 1):
            before = self.builder.compare(SLt, reach.low, constant(0, REACH_BITS))
            size = self.builder.build(Select, [before, constant(-1, REACH_BITS), size], REACH_BITS)
        return Bytes(self._if(reach.condition, size), reach.exact)

    def _highest(self, index: Op) -> int:
        return sum((1 if type(b) is not int else b) << i for i, b in enumerate(bits_of(index)))

    def _times(self, value: Op, factor: int) -> Op:
        return self.builder.build(Mul, [value, constant(factor, REACH_BITS)], REACH_BITS)

    def _if(self, condition: Op, size: Op) -> Op:
        operands = [again(self.builder, condition), size, constant(0, REACH_BITS)]
        return self.builder.build(Select, operands, REACH_BITS)

    def _greater(self, a: Op, b: Op) -> Op:
        """The greater one; one that is not known stays so."""
        if isinstance(a, Constant) and isinstance(b, Constant):
            return a if a.value >= b.value else b
        unknown = self.builder.compare(SLt, a, constant(0, REACH_BITS))
        less = self.builder.compare(SLt, a, b)
        b_unknown = self.builder.compare(SLt, b, constant(0, REACH_BITS))
        take_b = self.builder.logic(
            Or, [b_unknown, self.builder.logic(And, [less, self.builder.invert(unknown)])]
        )
        return self.builder.build(Select, [take_b, b, a], REACH_BITS)


def furthest(parts: Sequence[tuple[str, Expression]], element_bytes: int) -> Expression:
    """How far an array reaches that others are parts of: of each the argument that says at which
    element it begins, and the bytes from there on."""
    nodes: list[Node] = []
    ends = [_end(nodes, name, claim, element_bytes) for name, claim in parts]
    last = ends[0]
    for end in ends[1:]:
        nodes.append(Node(SLt, 1, (last, end)))
        nodes.append(Node(Select, REACH_BITS, (len(nodes) - 1, end, last)))
        last = len(nodes) - 1
    return Expression(tuple(nodes))


def _end(nodes: list[Node], name: str, claim: Expression, element_bytes: int) -> int:
    """Adds what says where one of them ends; where that is among the nodes."""
    here = len(nodes)
    nodes += [replace(n, operands=tuple(here + i for i in n.operands)) for n in claim.nodes]
    end = len(nodes)
    nodes += [
        Node(Constant, REACH_BITS - PORT_INDEX_BITS),
        Node(ArgumentOp, PORT_INDEX_BITS, name=name),
        Node(Concat, REACH_BITS, (end, end + 1)),
        Node(Constant, REACH_BITS, value=element_bytes),
        Node(Mul, REACH_BITS, (end + 2, end + 3)),
        Node(Add, REACH_BITS, (end - 1, end + 4)),
    ]
    return end + 5
