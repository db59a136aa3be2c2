# SPDX-License-Identifier: Apache-2.0
"""A kernel: static single assignment over integers of any width, in basic blocks.

A value and the operation that makes it are one object, `Op`. A block has parameters (what a phi
is elsewhere); a jump passes arguments to them. Arrays are `Memory` objects, named by operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.ir.deeds import Deed
from tandem.ir.lines import NO_LOOP, LoopId, file_of
from tandem.ir.ops import Constant, Op

if TYPE_CHECKING:
    from tandem.ir.expressions import Expression

PORT_INDEX_BITS = 32
"""Index bits of a memory port: 4 G elements, more than any device's memory of today holds."""

NO_PIPELINE = -1
"""What stands for an `ii` where an iteration is to start when the one before has ended."""


@dataclass(eq=False)
class Memory:
    """An array. `kind`: 'rom' (constant contents), 'ram' (inside the kernel, with `contents` if it
    starts with any), 'argument' (a pointer argument not yet bound), 'variable' (nor a variable of
    the program), 'external' (an argument behind a memory port), 'stream_in', 'stream_out', 'fifo'
    (between two processes), 'trap' (`ir.traps`), 'nowhere' (a function, or a number that leads to
    no object: pointers to it are only compared). `depth` is in elements, None when the C does not
    say; of a 'fifo' it is the least that the C wants. `banks`: of how many memories a pragma wants
    a 'ram' to be made, by the low bits of the index. `rows`: bytes of the rows that the C has an
    array made of; no index counts more columns than they have."""

    name: str
    kind: str
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


@dataclass(frozen=True)
class Extent:
    """How many bytes of an array a call uses. `source`: 'exact' (proven, each call), 'bound'
    (proven, at most), 'declared' (by an annotation), 'typed' (by the parameter's type), 'observed'
    (only the call itself tells). `claim` is the number that a driver goes by, `proof` the exact one
    where there is one; both as `analysis.extents` makes them. `line`: of an access of which it is
    not told, if only the call tells."""

    source: str = "observed"
    claim: Expression | None = None
    proof: Expression | None = None
    line: int = 0


@dataclass(frozen=True)
class Variable:
    """A variable of the program, by the name that linkers know, its size, and whether nothing but
    the kernel uses it."""

    symbol: str
    bytes: int
    is_private: bool = False


@dataclass(frozen=True)
class Field:
    """A pointer in what the array of another argument, the `parent`, holds, at byte `offset`.
    `is_open`: the kernel may write there too when it writes to that array at some index."""

    parent: str
    offset: int
    is_open: bool = False


@dataclass(frozen=True)
class Part:
    """So many bytes of the array of another argument, the `parent`, from byte `offset` on."""

    parent: str
    offset: int
    bytes: int


@dataclass(eq=False)
class Argument:
    """One C argument, the result (`name` is 'result'), a `variable` of the program that the kernel
    shares with it, what a `field` of another argument points to, a member of a struct that another
    argument is (`part`), what a call tells of an argument (`tells_of`), a block that it returns
    (`made`), or the one array that others are parts of (`joins`). `kind` as in docs/package.md,
    'pointer' until bound. `memory` is its array; `op` its value when it is a scalar, a block or a
    place."""

    name: str
    kind: str
    direction: str
    c_type: str
    width: int = 0
    memory: Memory | None = None
    op: Op | None = None
    extent: Extent = Extent()
    signed: bool = False
    reads: bool = True
    """Whether the kernel reads what the caller's array holds."""
    float_bytes: int = 0
    """Bytes of the floating-point numbers that it consists of; 0 for anything else."""
    variable: Variable | None = None
    field: Field | None = None
    part: Part | None = None
    is_volatile: bool = False
    """Whether another part of the program may change the array during a call."""
    tells_of: str = ""
    """The array of which it says whether it is not null (a `_Bool`), or else at which address of
    the host it lies."""
    joins: tuple[str, ...] = ()
    """The arguments whose arrays are parts of its own, which may overlap; each is a 'place'."""
    made: bool = False
    """Whether it is a block from the heap that the function asks for and returns: the result is
    then 1 in place of its address."""
    least: int = 0
    most: int | None = None
    """Of a number: only calls in which it is from one to the other are served, the host has all
    that are not; of no bound, where there is no greatest one."""

    @property
    def served(self) -> str:
        """Between what a number is in the calls that are served, or empty."""
        return "" if self.most is None else f"from {self.least} to {self.most}"

    @property
    def is_parameter(self) -> bool:
        """Whether the C function has a parameter for it."""
        added = self.variable or self.field or self.part or self.tells_of or self.joins or self.made
        return not (self.is_result or added)

    @property
    def is_number(self) -> bool:
        """Whether the hardware gets a number for it that is as wide in every call."""
        return self.kind in ("scalar", "place")

    @property
    def is_result(self) -> bool:
        """Whether it is the function's result."""
        return self.kind == "scalar" and self.direction == "out"


@dataclass(eq=False)
class Edge:
    """A jump to `block` with the values for its parameters. `seldom`: it is there for what hardly
    ever happens, and estimates do not count on it."""

    block: Block
    arguments: list[Op] = field(default_factory=list)
    seldom: bool = False

    @property
    def given(self) -> dict[Op, Op]:
        """What each parameter of the block gets."""
        return dict(zip(self.block.parameters, self.arguments, strict=True))


@dataclass(eq=False)
class Terminator:
    """How a block ends. `kind`: 'jump' (one edge), 'branch' (a 1-bit condition; the edge taken
    when it is 1 comes first), 'call' (the edge into the function `callee`, and the one on from
    where it returns to), 'start' (the same, but control goes on at once while the function runs:
    a process), 'join' (one edge, taken when all processes have returned), 'return' (no edge;
    `value` is the result or None)."""

    kind: str
    condition: Op | None = None
    edges: list[Edge] = field(default_factory=list)
    value: Op | None = None
    line: int = 0
    callee: str = ""

    @property
    def onward(self) -> list[Edge]:
        """The edges on which control goes on within the function."""
        return self.edges[1:] if self.callee else self.edges

    def inputs(self) -> Iterator[Op]:
        """Every value the terminator reads."""
        if self.condition is not None:
            yield self.condition
        if self.value is not None:
            yield self.value
        for edge in self.edges:
            yield from edge.arguments


@dataclass(eq=False)
class Block:
    """Operations in program order. For a loop `trip_count` is the number of iterations where it is
    known on entry, `wanted_ii` what a pragma asked for (0: the best, or `NO_PIPELINE`), None when
    no pragma did, `copies` how many one asked for of its body for an iteration (0: one for each
    there is, 1: none but the body), `turns` how many iterations are one of the loop in the C, where
    two loops have become one, as often as each of `uncounted` loops runs, of which that is not
    known, `rounds` how many iterations it, or the outer one of them, has on average where that is a
    number (else 0), and `interleaved` how many of these take turns in it. `loop` is the loop of the
    C whose first block it is, `line` the C line of what it does. `part` is the name of what a pass
    has made beside that loop, as one that fills a memory; empty for the loop itself."""

    name: str
    parameters: list[Op] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    end: Terminator = field(default_factory=lambda: Terminator("return"))
    line: int = 0
    loop: LoopId = NO_LOOP
    part: str = ""
    wanted_ii: int | None = None
    copies: int | None = None
    turns: int = 1
    uncounted: int = 0
    rounds: int = 0
    interleaved: int = 1
    independent: int = 0
    trip_count: Op | None = None

    def outline(self) -> Block:
        """A block of this one's name, line and directives, with nothing in it."""
        return replace(self, parameters=[], ops=[], end=Terminator("return"), trip_count=None)

    @property
    def known_trips(self) -> int:
        """The iterations of a counted loop, where that is a number; else 0."""
        is_known = self.trip_count is not None and isinstance(self.trip_count, Constant)
        return self.trip_count.value if self.trip_count is not None and is_known else 0

    @property
    def successors(self) -> list[Block]:
        """Where control goes on within the function."""
        return [edge.block for edge in self.end.onward]

    @property
    def calls(self) -> bool:
        """Whether it ends with a call, or with the start of a process."""
        return bool(self.end.callee)

    @property
    def hands_over(self) -> bool:
        """Whether what follows it cannot be one block with it."""
        return self.calls or self.end.kind == "join"

    @property
    def is_loop(self) -> bool:
        """Whether the block is a loop of its own: one edge leads back to itself."""
        back = sum(edge.block is self for edge in self.end.edges)
        return back == 1 and self.end.kind == "branch"

    @property
    def is_to_be_pipeline(self) -> bool:
        """Whether a pragma asked for a pipeline."""
        return self.wanted_ii is not None and self.wanted_ii != NO_PIPELINE

    @property
    def is_to_be_copied(self) -> bool:
        """Whether a pragma asked for copies of the body that are not made yet."""
        return self.copies is not None and self.copies != 1

    @property
    def stays_when(self) -> int:
        """The value of a loop's condition with which it goes on."""
        return int(self.end.edges[0].block is self)

    @property
    def back_edge(self) -> Edge:
        return next(edge for edge in self.end.edges if edge.block is self)

    @property
    def exit_edge(self) -> Edge:
        return next(edge for edge in self.end.edges if edge.block is not self)


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


@dataclass(eq=False)
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
    stores_read: set[LoopId] = field(default_factory=set)
    """Loops that may load what they have just stored (`forward`)."""
    windows: set[LoopId] = field(default_factory=set)
    """Loops that keep much of what they have read for later iterations."""
    rows: set[LoopId] = field(default_factory=set)
    """Loops that could keep the rows they have read (`keep_rows`)."""
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
    """Loops that could keep the planes they have read (`keep_planes`)."""
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
    probes: dict[str, Op] = field(default_factory=dict)
    """Values that a copy of the C hands out (`frontend.annotations`)."""
    macros: dict[str, Macro] = field(default_factory=dict)
    """Functions that are modules of the user's, which `macro` operations name."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What analyses have found of it, until a pass changes it."""
    plain: Kernel | None = None
    """The kernel with the operators of the C, before they were made of what the target has: what a
    processor is to compute (`models.walk`)."""

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
    def loops(self) -> set[LoopId]:
        """The loops that are there, and those that copies have replaced."""
        return {block.loop for block in self.blocks}.union(self.unrolled) - {NO_LOOP}

    def index_bits(self, access: Op) -> int:
        """How many bits of an access's index the memory looks at."""
        memory = self.memories[access.memory]
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
            if memory.kind == "rom" and is_equal:
                return memory
        name = f"{table.name.split('_part')[0]}_part"
        return self.add_memory(Memory(name, "rom", bits, len(contents), contents))

    def argument(self, name: str) -> Argument:
        return next(a for a in self.arguments if a.name == name)


def reverse_postorder(entry: Block) -> list[Block]:
    """The blocks reachable from `entry`, those of called functions too, each before those that it
    leads to but for loops."""
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(entry.end.edges))]
    while stack:
        block, edges = stack[-1]
        for edge in edges:
            if edge.block not in seen:
                seen.add(edge.block)
                stack.append((edge.block, iter(edge.block.end.edges)))
                break
        else:
            stack.pop()
            order.append(block)
    return order[::-1]
