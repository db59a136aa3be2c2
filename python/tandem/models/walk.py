# SPDX-License-Identifier: Apache-2.0
"""C that takes the way of a kernel's call through its blocks and computes of them no more than is
asked for (`models.slices`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from itertools import product

from tandem.ir.argument import Argument, ArgumentKind
from tandem.ir.blocks import Block, Branch, Call, Edge, Join, Jump, Return, Start
from tandem.ir.functions import blocks_of, entries
from tandem.ir.kernel import Kernel
from tandem.ir.memory import PORT_INDEX_BITS, Memory, MemoryKind
from tandem.ir.ops import (
    Access,
    Concat,
    Extract,
    Load,
    MacroOp,
    Op,
    Parameter,
    Pop,
    ResultOp,
    Rom,
    Select,
    Store,
    StreamOp,
)
from tandem.ir.ops.c import as_signed, c_type, literal
from tandem.ir.traps import trap_reason, traps
from tandem.ir.wiring import makers_of, segments
from tandem.models.macros import macro_name
from tandem.models.paths import Arriving, Landing, Path, Place, Variant, deciding
from tandem.models.slices import Slice, slice_of
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

MOST_STEPS = 1 << 17
"""Blocks that a walk goes through where it may wait for what another part of the program would
write: short enough (a millisecond) for that part not to have come in between."""


def scalar_bytes(argument: Argument) -> int:
    """Bytes of a scalar as C passes it."""
    return max(1, 1 << (argument.width - 1).bit_length() >> 3)


def load_argument(argument: Argument, position: int, name: str) -> list[str]:
    """C that declares `name` with a scalar's or a block's value. A block that a call does not use
    is not looked at."""
    size = (argument.width + 7) // 8
    kind = c_type(argument.width)
    source = f"data[{position}]"
    guard = f"if (bytes[{position}]) " if argument.kind is ArgumentKind.BLOCK else ""
    shifted = f"{name} << 8" if argument.width > 8 else "0"
    return [
        f"{kind} {name} = 0;",
        f"{guard}{{ unsigned char b[{size}]; memcpy(b, {source}, {size}); "
        f"for (int i = {size}; i--;) {name} = ({kind})({shifted} | b[i]); }}",
    ]


def walked(kernel: Kernel) -> Kernel:
    """The kernel to walk through: the one with the C's operators, if it still goes the same way
    through the same blocks and accesses."""
    plain = kernel.plain
    return kernel if plain is None or not _goes_as(plain, kernel) else plain


def _goes_as(plain: Kernel, kernel: Kernel) -> bool:
    """Whether each block has the same accesses, and leads to the same blocks, as in another one;
    some fewer, where it has since been seen that it never goes there."""
    if len(plain.blocks) != len(kernel.blocks):
        return False
    return all(
        _skeleton(one) == _skeleton(other) and _successors(one) >= _successors(other)
        for one, other in zip(plain.blocks, kernel.blocks, strict=True)
    )


def _may_wait(kernel: Kernel) -> bool:
    """Whether memory that another part of the program may change decides where control goes."""
    volatile = [a for a in kernel.arguments if a.is_volatile]
    found = slice_of(kernel) if volatile else Slice()
    return any(
        a.op in found.ops or (a.memory is not None and a.memory.name in found.memories)
        for a in volatile
    )


def walked_schedules(schedule: KernelSchedule) -> dict[Block, BlockSchedule]:
    """Of each block of the kernel to walk through, its schedule."""
    later = (schedule.blocks[block] for block in schedule.kernel.blocks)
    return dict(zip(walked(schedule.kernel).blocks, later, strict=True))


def _skeleton(block: Block) -> tuple[object, ...]:
    accesses = [(type(op), op.memory.name) for op in block.ops if _is_moved(op)]
    leads_on = isinstance(block.end, (Jump, Branch))
    return block.name, leads_on or type(block.end), block.is_loop, accesses


def _successors(block: Block) -> Counter[str]:
    return Counter(edge.block.name for edge in block.end.edges)


def _is_moved(op: Op) -> bool:
    """Whether an operation moves what is in a memory. What tables hold is the same wherever, and in
    however many parts, it is read."""
    return op.has_memory and not isinstance(op, Rom)


def _crossing(kernel: Kernel) -> set[Op]:
    """Values that another block than their own uses."""
    home = {op: block for block in kernel.blocks for op in [*block.parameters, *block.ops]}
    found: set[Op] = set()
    for block in kernel.blocks:
        used = [o for op in block.ops for o in op.operands] + list(block.end.inputs())
        used += [block.trip_count] if block.trip_count is not None else []
        found |= {op for op in makers_of(used) if home.get(op) is not block}
    return found


class Writer(ABC):
    """C that takes the kernel's way through its blocks."""

    signature = ""

    def __init__(
        self, kernel: Kernel, schedules: Mapping[Block, BlockSchedule], found: Slice
    ) -> None:
        self.kernel = kernel
        self.schedules = schedules
        """Of each block, where the way is one in time."""
        self.slice = found
        self.names: dict[Op, str] = {}
        self.positions = {a.name: i for i, a in enumerate(self.kernel.arguments)}
        self.owners = {a.memory.name: a for a in self.kernel.arguments if a.memory is not None}
        self.arrays = [i for i, a in enumerate(self.kernel.arguments) if not a.is_number]
        """Positions of the arguments that are arrays."""
        self.windows = [i for i in self.arrays if self._has_window(i)]
        self.waits = _may_wait(kernel)
        """Whether it may go on for ever while memory stays as it is."""
        self.lines: list[str] = []
        self.order = {block: i for i, block in enumerate(self.kernel.blocks)}
        self.deciding = {block: deciding(block, found) for block in self.kernel.blocks}
        self.crossing = _crossing(self.kernel)
        functions = entries(self.kernel)
        self.numbers = {name: number for number, name in enumerate(functions)}
        self.function_of = {b: name for name, entry in functions.items() for b in blocks_of(entry)}
        self.places: dict[Variant, set[Place]] = {}
        self.entered: dict[Variant, set[Place]] = {}
        """Elements that are in their windows on every way to a block's copy."""
        self.behind: set[Block] = set()
        """Blocks whose calls come back."""
        self.waiting: list[Variant | Landing | Block] = []
        """Copies of blocks, ends of loops, and places behind calls that something jumps to."""

    def _places(self, variant: Variant) -> set[Place]:
        """The elements in windows that a block reaches, and that are known when it is entered."""
        if variant not in self.places:
            block = variant.block
            path = Path(known=dict(variant.known))
            for op in block.ops:
                path.learn(op)
            computed = set(block.ops)
            places = [self._place_of(op, path) for op in block.ops if isinstance(op, Access)]
            self.places[variant] = {
                place
                for place in places
                if place and not any(type(b) is not int and b[0] in computed for b in place[1])
            }
        return self.places[variant]

    def _place_of(self, op: Op, path: Path) -> Place | None:
        """The element of an access, where its array has a window."""
        owner = self.owners.get(op.memory.name)
        position = -1 if owner is None else self.positions[owner.name]
        return (position, path.bits(op.index)) if position in self.windows else None

    def _has_window(self, position: int) -> bool:
        """Whether it is to be found out what is touched, or read what is written before."""
        memory = self.kernel.arguments[position].memory
        if memory is None or not self._is_shared(memory):
            return False
        return memory.name in self.slice.watched or self._copies(memory)

    def _is_shared(self, memory: Memory) -> bool:
        """Whether a memory is the program's, reached at any index."""
        return memory.kind is MemoryKind.EXTERNAL

    def _ii(self, block: Block) -> int | None:
        """Cycles between iterations of a block that is a pipeline."""
        return self.schedules[block].ii

    def _copies(self, memory: Memory) -> bool:
        """Whether what the kernel writes there is asked for."""
        stores = (op for op in self.slice.ops if isinstance(op, Store))
        return any(op.memory is memory for op in stores)

    def text(self) -> str:
        while True:
            known = self._known()
            self._write()
            if known == self._known():
                break
        body = "\n".join(f"    {line}" if not line.endswith(":") else line for line in self.lines)
        return f"{self.signature}\n{{\n{body}\n}}\n"

    def _known(self) -> tuple[dict[Variant, int], int]:
        """What one writing tells the next one, as far as it may change."""
        return {where: len(places) for where, places in self.entered.items()}, len(self.behind)

    def _write(self) -> None:
        """All of the function. What is in windows at a jump is first taken to be what its target
        asks for, and less from one writing to the next; where calls come back to, more."""
        self.lines, self.names = [], {}
        self._declarations()
        done: set[Variant | Landing | Block] = set()
        entry = Variant(self.kernel.blocks[0])
        self.entered[entry] = set()
        self._arrive(entry.block, Path())
        while self.waiting:
            where = self.waiting.pop()
            if where in done:
                continue
            done.add(where)
            if isinstance(where, Variant):
                self._block(where)
            elif isinstance(where, Landing):
                self.lines.append(f"{where.label}: ;")
                self._arrive(where.block, Path())
            elif where.calls:
                self._came_back(where)
            else:
                self._left_loop(where)
        self._stopped()
        for number, memory in enumerate(traps(self.kernel)):
            self._trapped(f"trap_{number}", trap_reason(memory))
        if self.waits:
            self._waiting()

    # What each kind of walk adds, and how it ends.

    @abstractmethod
    def _begin(self) -> None:
        """Declares what the walk counts."""

    @abstractmethod
    def _begun(self, variant: Variant) -> None:
        """A block, or an iteration of it, begins."""

    @abstractmethod
    def _of_processes(self, block: Block, path: Path) -> None:
        """A block ends with the start of a process, or waits for all of them."""

    @abstractmethod
    def _record(self, op: Op, path: Path) -> None:
        """A record is taken from a FIFO between processes, or given to one."""

    @abstractmethod
    def _passed(self, block: Block) -> None:
        """A block that is no pipeline has run once."""

    @abstractmethod
    def _looped(self, block: Block) -> None:
        """A pipeline has run as often as `_runs` says."""

    @abstractmethod
    def _end(self) -> None:
        """The kernel returns."""

    @abstractmethod
    def _stopped(self) -> None:
        """Arrays were seen to overlap: from the label `overlapping` on."""

    @abstractmethod
    def _trapped(self, label: str, reason: str) -> None:
        """The call needs more than hardware was given: from a label on."""

    @abstractmethod
    def _waiting(self) -> None:
        """Nothing changes what the call may wait for: from the label `waiting` on."""

    # -- declarations ---------------------------------------------------------------------------

    def _declarations(self) -> None:
        self._declare_windows()
        self.lines += ["uint32_t steps = 0;"] if self.waits else []
        self._begin()
        self.lines += [f"uint64_t {self._runs(b)} = 0; (void){self._runs(b)};" for b in self.order]
        for argument in self.kernel.arguments:
            if argument.op is not None and argument.op in self.slice.ops:
                self.names[argument.op] = f"v{len(self.names)}"
                position = self.positions[argument.name]
                self.lines += load_argument(argument, position, self.names[argument.op])
        for block in self.kernel.blocks:
            for op in [*block.parameters, *block.ops]:
                if op in self.slice.ops and op.width and not isinstance(op, (Extract, Concat)):
                    self.names[op] = f"v{len(self.names)}"
                    if not self._is_local(op):
                        self.lines.append(f"{c_type(op.width)} {self.names[op]} = 0;")
        for function, number in self.numbers.items():
            self.lines.append(f"int caller_{number} = 0; (void)caller_{number};")
            for op in self._results(function)[:1]:
                self.lines.append(f"{c_type(op.width)} result_{number} = 0;")
        for name in sorted(self.slice.memories):
            self._declare_memory(self.kernel.memories[name])

    def _is_local(self, op: Op) -> bool:
        """Whether a value is declared where it is computed: LLVM takes, for each variable that is
        set twice, the time of all branches."""
        return not isinstance(op, Parameter) and op not in self.crossing

    def _set(self, op: Op, text: str) -> None:
        kind = f"{c_type(op.width)} " if self._is_local(op) else ""
        self.lines.append(f"{kind}{self.names[op]} = {text};")

    def _declare_windows(self) -> None:
        """All arrays of the call: those with a window start with nothing touched, of the others it
        is known."""
        self.lines.append("(void)data; (void)bytes;")
        rows = [self._array(i) for i in self.arrays]
        self.lines.append(f"struct array arrays[] = {{{', '.join(rows) or '{0}'}}};")
        self.lines.append("arrays->apart = (int)apart;")
        self.lines += [f"struct window w{i} = {{0}}; (void)w{i};" for i in self.windows]

    def _array(self, position: int) -> str:
        argument = self.kernel.arguments[position]
        memory = argument.memory
        copies = int(memory is not None and self._copies(memory))
        writes = int(argument.direction != "in")
        has_window = position in self.windows
        span = "INT64_MAX, INT64_MIN" if has_window else f"0, (int64_t)bytes[{position}]"
        return f"{{data[{position}], {writes}, {copies}, 0, 0, {span}}}"

    def _declare_memory(self, memory: Memory) -> None:
        kind = c_type(memory.element_bits)
        if memory.kind is MemoryKind.ROM:
            words = ", ".join(f"{w:#x}" for w in memory.contents)
            self.lines.append(f"static const {kind} m_{memory.name}[] = {{{words}}};")
        elif memory.kind is MemoryKind.RAM:
            name = f"m_{memory.name}"
            self.lines.append(f"static _Thread_local {kind} {name}[{1 << memory.index_bits}];")
            if memory.contents:
                words = ", ".join(f"{w:#x}" for w in memory.contents)
                self.lines.append(f"static const {kind} {name}_first[] = {{{words}}};")
                self.lines.append(f"memcpy({name}, {name}_first, sizeof {name}_first);")
        elif memory.kind not in (MemoryKind.EXTERNAL, MemoryKind.FIFO, MemoryKind.TRAP):
            self.lines.append(f"uint64_t p_{memory.name} = 0; (void)p_{memory.name};")

    # -- blocks ---------------------------------------------------------------------------------

    def _block(self, variant: Variant) -> None:
        self.lines.append(f"{self._label(variant)}: ;")
        if self.waits:
            self.lines.append(f"if (++steps > {MOST_STEPS}) goto waiting;")
        self._begun(variant)
        self.lines.append("{")
        self._inside(variant)
        self.lines.append("}")

    def _inside(self, variant: Variant) -> None:
        block = variant.block
        if block in self.slice.counted:
            assert block.trip_count is not None
            path = Path()
            self.lines.append(
                f"{self._runs(block)} = (uint64_t)({self._use(block.trip_count, path)});"
            )
            self._leave_loop(block, block.exit_edge, path)
            return
        path = Path(self.deciding[block].splits, dict(variant.known), set(block.ops))
        path.seen = {*self.entered[variant]}
        if self._ii(block):
            self.lines.append(f"{self._runs(block)}++;")
        else:
            self._passed(block)
        self._ops(block, 0, path)

    def _ops(self, block: Block, start: int, path: Path) -> None:
        """The operations of a block from the given one on, and where it goes then."""
        for i in range(start, len(block.ops)):
            op = block.ops[i]
            guard = self._guard(op)
            if guard is not None and self._parts_at(block, guard, path):
                self._part(block, i, path, path.source(guard))
                return
            self._op(op, path)
        self._end_block(block, path)

    def _guard(self, op: Op) -> Op | None:
        """The condition that decides about an operation that is asked for."""
        if op not in self.slice.ops and not self.slice.is_watched(op):
            return None
        return op.operands[0] if isinstance(op, Select) else op.enable

    def _parts_at(self, block: Block, guard: Op, path: Path) -> bool:
        decides = guard in self.deciding[block].conditions
        return path.splits > 0 and decides and path.value(guard) is None

    def _part(self, block: Block, start: int, path: Path, condition: Op) -> None:
        self.lines.append(f"if ({self._use(condition, path)}) {{")
        self._ops(block, start, path.parted(condition, 1, block.ops[:start]))
        self.lines.append("} else {")
        self._ops(block, start, path.parted(condition, 0, block.ops[:start]))
        self.lines.append("}")

    def _end_block(self, block: Block, path: Path) -> None:
        end = block.end
        if isinstance(end, (Start, Join)):
            self._of_processes(block, path)
        elif isinstance(end, Return) and block in self.function_of:
            self._return_from(self.function_of[block], end.value, path)
        elif isinstance(end, Call):
            self._call(block, path)
        elif isinstance(end, Return):
            self.lines.append("{")
            self._end()
            self.lines.append("}")
        elif isinstance(end, Jump):
            self._follow(block, end.edges[0], path)
        else:
            assert end.condition is not None
            value = path.value(end.condition)
            if value is not None:
                self._follow(block, end.edges[0 if value else 1], path)
                return
            self.lines.append(f"if ({self._use(end.condition, path)}) {{")
            self._follow(block, end.edges[0], path)
            self.lines.append("} else {")
            self._follow(block, end.edges[1], path)
            self.lines.append("}")

    def _follow(self, block: Block, edge: Edge, path: Path) -> None:
        if self._ii(block) and edge.block is not block:
            self._leave_loop(block, edge, path)
            return
        self._enter(edge, path)

    def _leave_loop(self, block: Block, edge: Edge, path: Path) -> None:
        """To where the iterations that there were are told of."""
        self._meet_all(Arriving(edge, path))
        self.waiting.append(block)
        self._assign(edge, path)
        self.lines.append(f"goto left_{self.order[block]};")

    def _left_loop(self, block: Block) -> None:
        self.lines.append(f"left_{self.order[block]}: ;")
        self.lines.append("{")
        self._looped(block)
        self.lines.append(f"{self._runs(block)} = 0;")
        self.lines.append("}")
        self._arrive(block.exit_edge.block, Path())

    def _call(self, block: Block, path: Path) -> None:
        """Into a function, which knows by a number where to come back to."""
        into, onward = block.end.edges
        self._meet_all(Arriving(onward, path))
        self.waiting.append(block)
        self._assign(onward, path)
        self.lines.append(f"caller_{self.numbers[block.end.callee]} = {self.order[block]};")
        self._enter(into, path)

    def _return_from(self, function: str, value: Op | None, path: Path) -> None:
        number = self.numbers[function]
        if value is not None and self._results(function):
            self.lines.append(f"result_{number} = {self._use(value, path)};")
        self.lines.append(f"switch (caller_{number}) {{")
        for block in self.kernel.blocks:
            if block.end.callee == function and block in self.behind:
                self.lines.append(f"case {self.order[block]}: goto back_{self.order[block]};")
        self.lines.append("default: __builtin_unreachable(); }")

    def _came_back(self, block: Block) -> None:
        self.behind.add(block)
        self.lines.append(f"back_{self.order[block]}: ;")
        self._arrive(block.end.edges[1].block, Path())

    def _results(self, function: str) -> list[Op]:
        """What reads the function's result, as far as it is asked for."""
        found = (op for op in self.slice.ops if isinstance(op, ResultOp))
        return [op for op in found if op.function == function]

    def _enter(self, edge: Edge, path: Path) -> None:
        """A jump, with all that is known on the way."""
        self._assign(edge, path)
        target = Path()
        for parameter, argument in zip(edge.block.parameters, edge.arguments, strict=True):
            value = path.value(argument) if parameter.width == 1 else None
            if value is not None:
                target.known[parameter] = value
        self._arrive(edge.block, target, Arriving(edge, path))

    def _arrive(self, block: Block, path: Path, way: Arriving | None = None) -> None:
        """A jump to the copies of a block, whose parameters are set; on a way that is given, or on
        those that have been told of."""
        unknown = [p for p in self.deciding[block].parameters if path.value(p) is None]
        if unknown and block not in self.slice.counted:
            self.lines.append(f"if ({self.names[unknown[0]]}) {{")
            for value in (1, 0):
                path.known[unknown[0]] = value
                self._arrive(block, path, way)
                self.lines.append("} else {" if value else "}")
            del path.known[unknown[0]]
            return
        variant = self._variant(block, path)
        if way is not None:
            self._meet(variant, way)
        self.waiting.append(variant)
        self.lines.append(f"goto {self._label(variant)};")

    def _meet_all(self, way: Arriving) -> None:
        """A way to whichever copy of a block."""
        block = way.edge.block
        parameters = () if block in self.slice.counted else self.deciding[block].parameters
        for values in product((0, 1), repeat=len(parameters)):
            self._meet(Variant(block, tuple(zip(parameters, values, strict=True))), way)

    def _meet(self, variant: Variant, way: Arriving) -> None:
        """A way to a copy of a block: what is not in its window there is not taken to be."""
        places = way.seen(self._places(variant))
        self.entered[variant] = self.entered.get(variant, places) & places

    def _variant(self, block: Block, path: Path) -> Variant:
        if block in self.slice.counted:
            return Variant(block)
        parameters = self.deciding[block].parameters
        return Variant(block, tuple((p, path.known[p]) for p in parameters))

    def _runs(self, block: Block) -> str:
        """The variable that counts how often a block has run; a pipeline, since it was entered."""
        return f"r{self.order[block]}"

    def _label(self, variant: Variant) -> str:
        values = "".join(f"_{value}" for _, value in variant.known)
        return f"at_{self.order[variant.block]}{values}"

    def _assign(self, edge: Edge, path: Path) -> None:
        """All values are read before any parameter changes."""
        pairs = [
            (p, a)
            for p, a in zip(edge.block.parameters, edge.arguments, strict=True)
            if p in self.slice.ops
        ]
        if not pairs:
            return
        self.lines.append("{")
        for i, (parameter, argument) in enumerate(pairs):
            self.lines.append(f"{c_type(parameter.width)} n{i} = {self._use(argument, path)};")
        for i, (parameter, _) in enumerate(pairs):
            self.lines.append(f"{self.names[parameter]} = n{i};")
        self.lines.append("}")

    # -- operations -----------------------------------------------------------------------------

    def _op(self, op: Op, path: Path) -> None:
        if isinstance(op, StreamOp) and op.memory.kind is MemoryKind.FIFO:
            if op in self.names and self._is_local(op):
                self._set(op, "0")
            self._record(op, path)
        elif isinstance(op, (Load, Store, Pop)):
            self._access(op, path)
        elif op in self.slice.ops and isinstance(op, Rom):
            self._table(op, path)
        elif op in self.slice.ops and isinstance(op, ResultOp):
            number = self.numbers[op.function]
            self._set(op, f"result_{number}")
        elif op in self.slice.ops and not isinstance(op, (Extract, Concat)):
            self._compute(op, path)

    def _compute(self, op: Op, path: Path) -> None:
        if path.learn(op):
            if op in self.crossing:
                self._set(op, self._use(op, path))
            return
        uses = [self._use(o, path) for o in op.operands]
        if isinstance(op, MacroOp):
            text = f"{macro_name(self.kernel, op.function)}({', '.join(uses)})"
        else:
            text = op.c(op.width, uses, [o.width for o in op.operands])
        self._set(op, text)

    def _use(self, op: Op, path: Path) -> str:
        op = path.meant(op)
        if op in self.names and op not in path.known:
            return self.names[op]
        parts, position = [], 0
        kind = c_type(op.width)
        for source, low, width in segments(path.bits(op)):
            if source is None:
                if low:
                    parts.append(f"({literal(low, op.width)} << {position})")
            else:
                part = f"({c_type(width)})({self.names[source]} >> {low})"
                parts.append(f"(({kind}){part} << {position})")
            position += width
        return f"({' | '.join(parts)})" if parts else f"(({kind})0)"

    def _table(self, op: Op, path: Path) -> None:
        size = len(op.memory.contents)
        index = f"(uint64_t){self._use(op.index, path)}"
        self._set(op, f"{index} < {size} ? m_{op.memory.name}[{index}] : 0")

    def _access(self, op: Op, path: Path) -> None:
        """A load, store or pop, as far as its value or its place is asked for."""
        memory = op.memory
        enabled = 1 if op.enable is None else path.value(op.enable)
        statements = []
        if memory.kind is MemoryKind.TRAP:
            statements = [f"goto trap_{traps(self.kernel).index(memory)};"]
        elif self._is_shared(memory) and (op in self.slice.ops or self.slice.is_watched(op)):
            statements = self._shared_access(op, memory, path)
            if enabled and (place := self._place_of(op, path)) is not None:
                path.seen.add(place)
        elif op in self.slice.ops:
            statements = [self._moved(op, memory, path)]
        is_guarded = op.enable is not None and enabled is None
        if op in self.names and (is_guarded or self._is_local(op)):
            self._set(op, "0")
        if not statements or enabled == 0:
            return
        guard = ""
        if op.enable is not None and enabled is None:
            guard = f"if ({self._use(op.enable, path)}) "
        self.lines.append(f"{guard}{{ {' '.join(statements)} }}")

    def _shared_access(self, op: Op, memory: Memory, path: Path) -> list[str]:
        """The statements of an access to the program's memory."""
        statements = self._place(op, memory, path)
        return [*statements, self._moved(op, memory, path)] if op in self.slice.ops else statements

    def _index(self, op: Op, path: Path) -> str:
        """The element that a memory port is asked for. An index that fills the port counts from the
        pointer in both directions."""
        use = self._use(op.index, path)
        if op.index.width >= PORT_INDEX_BITS:
            return f"(int64_t)({as_signed(use, op.index.width)})"
        return f"(int64_t)(uint64_t){use}"

    def _moved(self, op: Op, memory: Memory, path: Path) -> str:
        """The statement that gets or puts the element."""
        size = memory.element_bits // 8
        if memory.kind is MemoryKind.RAM:
            cell = f"m_{memory.name}[(uint64_t){self._use(op.index, path)}"
            cell += f" & {(1 << memory.index_bits) - 1}]"
            if isinstance(op, Load):
                return f"{self.names[op]} = {cell};"
            return f"{cell} = {self._use(op.stored, path)};"
        position = self.positions[self.owners[memory.name].name]
        if isinstance(op, Pop):
            name = self.names[op]
            return (
                f"memcpy(&{name}, (char *)data[{position}] + p_{memory.name}++ * {size}, {size});"
            )
        origin = (
            f"w{position}.origin" if position in self.windows else f"(uintptr_t)data[{position}]"
        )
        place = f"(void *)({origin} + (uintptr_t)at)"
        if isinstance(op, Load):
            return f"memcpy(&{self.names[op]}, {place}, {size});"
        kind, value = c_type(memory.element_bits), self._use(op.stored, path)
        return f"{kind} w = {value}; memcpy({place}, &w, {size});"

    def _place(self, op: Op, memory: Memory, path: Path) -> list[str]:
        """C that tells where the element is (`at`), and has its window hold it."""
        size = memory.element_bits // 8
        i = self.positions[self.owners[memory.name].name]
        at = f"int64_t at = ({self._index(op, path)}) * {size};"
        if i not in self.windows or self._place_of(op, path) in path.seen:
            return [at, "(void)at;"]
        array = self.arrays.index(i)
        grow = f"window_grow(arrays, {len(self.arrays)}, {array}, at, {size})"
        return [
            at,
            f"if (__builtin_expect((uint64_t)at - (uint64_t)w{i}.low >= w{i}.span, 0)) {{",
            # Walking upwards, the next element is mostly on a page where nothing else is.
            f"if (at >= w{i}.low && at + {size} <= arrays[{array}].safe_high) {{",
            f"arrays[{array}].high = at + {size};",
            f"w{i}.span = (uint64_t)(at - w{i}.low) + 1;",
            f"}} else {{ w{i} = {grow}; if (arrays->overlaps) goto overlapping; }} }}",
        ]
