# SPDX-License-Identifier: Apache-2.0
"""A kernel: static single assignment over integers of any width, in basic blocks.

A value and the operation that makes it are one object, `Op`. A block has parameters (what a phi
is elsewhere); a jump passes arguments to them. Arrays are `Memory` objects, named by operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.ir.argument import Argument
from tandem.ir.blocks import Block, Edge
from tandem.ir.deeds import Deed
from tandem.ir.lines import NO_LOOP, LoopId, file_of
from tandem.ir.memory import PORT_INDEX_BITS, Memory, MemoryKind
from tandem.ir.ops import Op


@dataclass(frozen=True, eq=False)
class Macro:
    """A function of the C that is a module of the user's in hardware: `module` in the text
    `verilog`, which is that of `file`. It takes its `parameters` (name and bits) in every cycle,
    and gives a result of `width` bits `latency` cycles later. `body` is the C as a kernel,
    `llvm_ir` as a processor runs it; `place`: where it is declared."""

    name: str
    module: str
    parameters: tuple[tuple[str, int], ...]
    width: int
    latency: int
    file: str
    verilog: str
    body: Kernel
    llvm_ir: str
    place: Place

    def error(self, message: str, cure: str) -> UserError:
        """What is wrong with it, told where it is declared."""
        return user_error("macro", f"macro `{self.name}`: {message}", self.place, cure)


Groups = tuple[tuple[str, ...], ...]
"""Names of arguments, group by group."""


@dataclass(eq=False, repr=False)
class Kernel:
    """A C function on its way to hardware. `blocks[0]` is the entry. Functions that it calls and
    that are not part of it have blocks of their own among them (`ir.functions`)."""

    name: str
    source: str = ""
    arguments: list[Argument] = field(default_factory=list)
    memories: dict[str, Memory] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    in_place: set[tuple[str, str]] = field(default_factory=set)
    """Pairs (read argument, written argument) that may be one and the same buffer."""
    overlaps: Groups = ()
    """Arguments whose arrays may overlap, until those of each group are one (`join_arrays`)."""
    unrolled: dict[LoopId, set[int]] = field(default_factory=dict)
    """Each loop that copies have replaced -> the C lines of its body."""
    copyable: dict[LoopId, int] = field(default_factory=dict)
    """Each loop that stayed one because its copies would be many operations -> how many these are
    (`unroll`)."""
    stores_read: set[LoopId] = field(default_factory=set)
    """Loops that may load what they have just stored (`store-forwarding`)."""
    windows: set[LoopId] = field(default_factory=set)
    """Loops that keep much of what they have read for later iterations."""
    rows: set[LoopId] = field(default_factory=set)
    """Loops that could keep the rows they have read (`line_buffers`)."""
    nests: set[LoopId] = field(default_factory=set)
    """Counted loops that could be one with the loop around them (`flatten_nests`)."""
    while_nests: set[LoopId] = field(default_factory=set)
    """Loops that are not counted and became one with the loop around them."""
    independent: dict[LoopId, int] = field(default_factory=dict)
    """Each loop in which iterations of the loop around it can take turns -> how many of these there
    are (`interleave`)."""
    pairs: set[LoopId] = field(default_factory=set)
    """Loops with two loops in them that could be two (`split_loops`)."""
    mixed: set[LoopId] = field(default_factory=set)
    """Loops that store and sum up, each of which could be two (`part_sums`)."""
    borders: set[LoopId] = field(default_factory=set)
    """Loops whose first and last iterations could be apart (`split_borders`)."""
    planes: set[LoopId] = field(default_factory=set)
    """Loops that could keep the planes they have read (`plane_buffers`)."""
    diagonal: set[LoopId] = field(default_factory=set)
    """Loops that could run along the diagonals of their nest (`skew`)."""
    pivots: set[LoopId] = field(default_factory=set)
    """Loops over columns that read a row with which all rows are computed (`keep_pivots`)."""
    interchangeable: set[LoopId] = field(default_factory=set)
    """Loops of sums that could change places with the loop around them (`interchange`)."""
    divisions: set[LoopId] = field(default_factory=set)
    """Loops that start a division in every iteration (`expand_division`)."""
    deeds: list[Deed] = field(default_factory=list)
    """What passes have done to its loops, in their order."""
    multipliers: int | None = None
    """How many multipliers all products share; None where each has its own."""
    least_ii: int = 1
    """Cycles between iterations of a pipeline at least: with more of them there are fewer
    registers."""
    pieces: int = 0
    """Operations that only splitting for the clock has added (`split-wide`)."""
    probes: dict[str, Op] = field(default_factory=dict)
    """Values that a copy of the C hands out (`frontend.annotations`)."""
    macros: dict[str, Macro] = field(default_factory=dict)
    """Functions that are modules of the user's, which `macro` operations name."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What analyses have found of it, until a pass changes it."""
    unsplit: Kernel | None = None
    """The kernel before anything was split for its clock; it does not change any more, and blocks
    have the names that they have there (`schedule.unsplit`)."""
    plain: Kernel | None = None
    """The kernel with the operators of the C, before they were made of what the target has: what a
    processor is to compute (`models.walk`)."""

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def place(self, line: int) -> Place:
        """Where a line of it is."""
        return Place(file_of(line, self.source), int(line))

    def ops(self) -> Iterator[tuple[Block, Op]]:
        """Every operation with its block, in program order."""
        for block in self.blocks:
            for op in block.ops:
                yield block, op

    @property
    def size(self) -> int:
        """How many operations there are."""
        return sum(len(block.ops) for block in self.blocks)

    @property
    def unsplit_size(self) -> int:
        """How many there would be if none was split for the clock."""
        return self.size - self.pieces

    @property
    def loops(self) -> set[LoopId]:
        """The loops that are there, and those that copies have replaced."""
        return {block.loop for block in self.blocks}.union(self.unrolled) - {NO_LOOP}

    def index_bits(self, access: Op) -> int:
        """How many bits of an access's index the memory looks at."""
        memory = access.memory
        return PORT_INDEX_BITS if memory.depth is None else memory.index_bits

    def predecessors(self) -> dict[Block, list[tuple[Block, Edge]]]:
        """For each block, the edges that lead to it and the blocks they leave."""
        result: dict[Block, list[tuple[Block, Edge]]] = {block: [] for block in self.blocks}
        for block in self.blocks:
            for edge in block.end.edges:
                result[edge.block].append((block, edge))
        return result

    def add_memory(self, memory: Memory) -> Memory:
        """Registers a memory under a name not yet taken."""
        base, count = memory.name, 0
        while memory.name in self.memories:
            count += 1
            memory.name = f"{base}_{count}"
        self.memories[memory.name] = memory
        return memory

    def table_like(self, table: Memory, bits: int, contents: tuple[int, ...]) -> Memory:
        """The constant table with such elements, made of another one where there is none yet."""
        for memory in (table, *self.memories.values()):
            is_equal = (memory.element_bits, memory.contents) == (bits, contents)
            if memory.kind is MemoryKind.ROM and is_equal:
                return memory
        name = f"{table.name.split('_part')[0]}_part"
        return self.add_memory(Memory(name, MemoryKind.ROM, bits, len(contents), contents))

    def argument(self, name: str) -> Argument:
        return next(a for a in self.arguments if a.name == name)
