# SPDX-License-Identifier: Apache-2.0
"""A system of difference constraints between the cycles of a block's operations.

A node is an operation, or one of the two ends of a loop parameter: the cycle in which an iteration
reads it and the cycle in which it writes the next one's. A constraint (u, v, c) says
start(v) >= start(u) + c. Node 0 is cycle 0 of an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from tandem.ir.blocks import Block
from tandem.ir.ops import Access, Op, Parameter
from tandem.ir.wiring import makers_of

SHARED_READERS = 8
"""From how many operations on a value from outside the block counts as read all over the design."""

SHARED_BITS = 256
"""The same of one bit: how many bits it decides."""


class NodeKind(StrEnum):
    """What has a cycle."""

    ORIGIN = "origin"
    OP = "op"
    READ = "read"
    """Of a loop's parameter."""
    WRITE = "write"
    """The same."""
    DECIDE = "decide"
    """Where the next block is chosen."""
    END = "end"
    """The last cycle."""


@dataclass(eq=False, slots=True)
class Node:
    """What has a cycle, and what takes it there."""

    kind: NodeKind
    op: Op | None = None
    delay_ps: int = 0
    inputs: list[Node] = field(default_factory=list)
    latency: int = 0
    """Cycles after the start from which the result can be used: of a memory read, and of an
    operator with registers inside."""
    request_ps: int = 0
    """Delay of the path that ends here, in the cycle of the start."""
    answer_ps: int = 0
    """Delay with which the path of a result with latency starts."""
    unit: str = ""
    """What serves the operation, one or a few a cycle: the reading or the writing side of a memory,
    `MULTIPLIERS`, or the cores of a kind of operation; empty for an operation that has its own
    hardware."""
    inside_ps: int = 0
    """The longest path between two registers inside."""
    reads: list[Node] | None = None
    """What its path begins with, where its look-up table reads other values than its inputs."""

    @property
    def sources(self) -> list[Node]:
        """What its path begins with in any case."""
        return self.inputs if self.reads is None else self.reads

    @property
    def line(self) -> int:
        return self.op.line if self.op else 0

    @property
    def memory(self) -> str:
        """The memory that an access is to."""
        return self.op.memory.name if self.op is not None and isinstance(self.op, Access) else ""


@dataclass(slots=True)
class Constraint:
    before: Node
    after: Node
    cycles: int
    per_ii: int = 0
    """The constraint is start(after) >= start(before) + cycles - per_ii * ii."""
    why: str = ""
    memory: str = ""
    """The memory that it is about."""
    follows: bool = False
    """Whether others that are longer together say it too."""
    is_chain: bool = False
    """Whether it parts two ends of a path that is longer than the clock period."""

    def weight(self, ii: int) -> int:
        """The least distance of the two starts."""
        return self.cycles - self.per_ii * ii


@dataclass
class Readers:
    """Where nodes are in their order, and who reads whom, whatever the clock is. `node_of`: of the
    block's own operations. To be asked once all nodes are there."""

    nodes: list[Node]
    node_of: dict[Op, Node]

    @cached_property
    def place(self) -> dict[Node, int]:
        """Where each node is."""
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def users(self) -> dict[Node, list[Node]]:
        """Those whose paths a node is part of."""
        found: dict[Node, list[Node]] = {}
        for node in self.nodes:
            for before in node.sources:
                found.setdefault(before, []).append(node)
        return found

    @cached_property
    def of_shared(self) -> set[Node]:
        """Nodes that read what many others read too: a value from outside the block, or a bit of
        the loop's that chooses between the bits of many values."""
        readers: dict[Op, list[Node]] = {}
        for node in self.nodes:
            operands = node.op.operands if node.kind is NodeKind.OP and node.op is not None else ()
            for source in makers_of(operands):
                if source not in self.node_of or _is_flag(source):
                    readers.setdefault(source, []).append(node)
        many = (nodes for source, nodes in readers.items() if _are_many(source, nodes))
        return {node for nodes in many for node in nodes}


def _is_flag(value: Op) -> bool:
    return isinstance(value, Parameter) and value.width == 1


def _are_many(source: Op, readers: list[Node]) -> bool:
    if _is_flag(source):
        return sum(node.op.width for node in readers if node.op is not None) >= SHARED_BITS
    return len(readers) >= SHARED_READERS


@dataclass
class Problem:
    """The block's nodes in an order of evaluation, and the constraints between them."""

    block: Block
    is_loop: bool
    nodes: list[Node] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    node_of: dict[Op, Node] = field(default_factory=dict)
    writes: dict[Op, Node] = field(default_factory=dict)
    origin: Node = field(default_factory=lambda: Node(NodeKind.ORIGIN))
    decide: Node = field(default_factory=lambda: Node(NodeKind.DECIDE))
    end: Node = field(default_factory=lambda: Node(NodeKind.END))
    capacity: dict[str, int] = field(default_factory=dict)
    """Unit -> how many operations it serves in a cycle."""
    early: dict[Node, int] = field(default_factory=dict)
    """Of a pipeline that a loop around it could leave early: what has to be over so many cycles
    after that."""
    early_bits: float = 0
    """How many bits may wait instead for each iteration that it is left earlier."""
    readers: Readers = field(init=False)

    def __post_init__(self) -> None:
        self.readers = Readers(self.nodes, self.node_of)

    def again(self) -> Problem:
        """The same nodes and constraints, for more constraints."""
        other = replace(self, constraints=[*self.constraints])
        other.readers = self.readers
        return other

    def need(
        self,
        before: Node,
        after: Node,
        cycles: int,
        per_ii: int = 0,
        why: str = "",
        memory: str = "",
    ) -> None:
        self.constraints.append(Constraint(before, after, cycles, per_ii, why, memory))

    @property
    def place(self) -> dict[Node, int]:
        """Where each node is in their order. To be asked for once all of them are there."""
        return self.readers.place

    @cached_property
    def leaving(self) -> list[list[tuple[int, int, int, Constraint]]]:
        """(place of `after`, cycles, per_ii, constraint) of each node's constraints on later ones,
        but for those that follow from others. To be asked for once all constraints are there."""
        found: list[list[tuple[int, int, int, Constraint]]] = [[] for _ in self.nodes]
        place = self.place
        for c in self.constraints:
            if not c.follows:
                found[place[c.before]].append((place[c.after], c.cycles, c.per_ii, c))
        return found

    @cached_property
    def behind(self) -> dict[Node, int]:
        """The cycles that must follow the start of each node within an iteration. To be asked for
        once all constraints are there."""
        found, place = dict.fromkeys(self.nodes, 0), self.place
        forward = [c for c in self.constraints if place[c.before] < place[c.after] and not c.per_ii]
        for c in sorted(forward, key=lambda c: -place[c.before]):
            found[c.before] = max(found[c.before], found[c.after] + c.cycles)
        return found

    def served(self) -> dict[str, list[Node]]:
        """Unit -> the operations that it serves, in program order."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            if node.unit:
                found.setdefault(node.unit, []).append(node)
        return found

    def busiest(self) -> tuple[str, int]:
        """The unit that an iteration occupies for most cycles, and for how many: the least `ii`
        that units allow. ('', 1) where none is needed twice."""
        cycles = {
            unit: -(-len(nodes) // self.capacity[unit]) for unit, nodes in self.served().items()
        }
        unit = max(cycles, key=cycles.__getitem__, default="")
        return (unit, cycles[unit]) if unit and cycles[unit] > 1 else ("", 1)
