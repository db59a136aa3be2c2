# SPDX-License-Identifier: Apache-2.0
"""C that takes the way of a kernel's call through its blocks and computes of them no more than is
asked for (`models.slices`)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tandem.ir.kernel import PORT_INDEX_BITS, Argument, Block, Edge, Kernel, Memory, Op
from tandem.ir.wiring import bits_of, segments
from tandem.models.c_text import c_type, literal, operation
from tandem.models.slices import Slice
from tandem.schedule.scheduler import BlockSchedule, KernelSchedule


def scalar_bytes(argument: Argument) -> int:
    """Bytes of a scalar as C passes it."""
    return max(1, 1 << (argument.width - 1).bit_length() >> 3)


def load_argument(argument: Argument, position: int, name: str) -> list[str]:
    """C that declares `name` with a scalar's or a block's value. A block that a call does not use
    is not looked at."""
    size = (argument.width + 7) // 8
    kind = c_type(argument.width)
    source = f"data[{position}]"
    guard = f"if (bytes[{position}]) " if argument.kind == "block" else ""
    shifted = f"{name} << 8" if argument.width > 8 else "0"
    return [
        f"{kind} {name} = 0;",
        f"{guard}{{ unsigned char b[{size}]; memcpy(b, {source}, {size}); "
        f"for (int i = {size}; i--;) {name} = ({kind})({shifted} | b[i]); }}",
    ]


class Writer(ABC):
    """C that takes the kernel's way through its blocks."""

    signature = ""

    def __init__(self, schedule: KernelSchedule, found: Slice) -> None:
        self.schedule = schedule
        self.kernel: Kernel = schedule.kernel
        self.slice = found
        self.names: dict[Op, str] = {}
        self.positions = {a.name: i for i, a in enumerate(self.kernel.arguments)}
        self.owners = {a.memory.name: a for a in self.kernel.arguments if a.memory is not None}
        self.arrays = [i for i, a in enumerate(self.kernel.arguments) if a.kind != "scalar"]
        """Positions of the arguments that are arrays."""
        self.windows = [i for i in self.arrays if self._has_window(self.kernel.arguments[i])]
        self.lines: list[str] = []

    def _has_window(self, argument: Argument) -> bool:
        """Whether it is to be found out what is touched, or read what is written before."""
        memory = argument.memory
        if memory is None or memory.kind != "external":
            return False
        return memory.name in self.slice.watched or self._copies(memory)

    def _copies(self, memory: Memory) -> bool:
        """Whether what the kernel writes there is asked for."""
        stores = (op for op in self.slice.ops if op.kind == "store")
        return any(op.attributes["memory"] == memory.name for op in stores)

    def text(self) -> str:
        self._declarations()
        for block in self.kernel.blocks:
            self._block(block, self.schedule.blocks[block])
        self._stopped()
        body = "\n".join(f"    {line}" if not line.endswith(":") else line for line in self.lines)
        return f"{self.signature}\n{{\n{body}\n}}\n"

    # What each kind of walk adds, and how it ends.

    @abstractmethod
    def _begin(self) -> None:
        """Declares what the walk counts."""

    @abstractmethod
    def _passed(self, block: Block, schedule: BlockSchedule) -> None:
        """A block that is no pipeline has run once."""

    @abstractmethod
    def _looped(self, block: Block, schedule: BlockSchedule) -> None:
        """A pipeline has run `n` times."""

    @abstractmethod
    def _end(self) -> None:
        """The kernel returns."""

    @abstractmethod
    def _stopped(self) -> None:
        """Arrays were seen to overlap: from the label `overlapping` on."""

    # -- declarations ---------------------------------------------------------------------------

    def _declarations(self) -> None:
        self.lines.append("(void)data; (void)bytes;")
        self._declare_windows()
        self._begin()
        for position, argument in enumerate(self.kernel.arguments):
            if argument.op is not None and argument.op in self.slice.ops:
                self.names[argument.op] = f"v{len(self.names)}"
                self.lines += load_argument(argument, position, self.names[argument.op])
        for block in self.kernel.blocks:
            for op in [*block.parameters, *block.ops]:
                if op in self.slice.ops and op.width and op.kind not in ("extract", "concat"):
                    self.names[op] = f"v{len(self.names)}"
                    self.lines.append(f"{c_type(op.width)} {self.names[op]} = 0;")
        for name in sorted(self.slice.memories):
            self._declare_memory(self.kernel.memories[name])

    def _declare_windows(self) -> None:
        """All arrays of the call: those with a window start with nothing touched, of the others it
        is known."""
        rows = [self._array(i) for i in self.arrays]
        self.lines.append(f"struct array arrays[] = {{{', '.join(rows) or '{0}'}}};")
        self.lines.append("(void)arrays;")
        self.lines += [f"struct window w{i} = {{0}}; (void)w{i};" for i in self.windows]

    def _array(self, position: int) -> str:
        argument = self.kernel.arguments[position]
        memory = argument.memory
        copies = int(memory is not None and self._copies(memory))
        writes = int(argument.direction != "in")
        has_window = position in self.windows
        span = "INT64_MAX, INT64_MIN" if has_window else f"0, (int64_t)bytes[{position}]"
        return f"{{data[{position}], {writes}, {copies}, 0, {span}}}"

    def _declare_memory(self, memory: Memory) -> None:
        kind = c_type(memory.element_bits)
        if memory.kind == "rom":
            words = ", ".join(f"{w:#x}" for w in memory.contents)
            self.lines.append(f"static const {kind} m_{memory.name}[] = {{{words}}};")
        elif memory.kind == "ram":
            self.lines.append(
                f"static _Thread_local {kind} m_{memory.name}[{1 << memory.index_bits}];"
            )
        elif memory.kind != "external":
            self.lines.append(f"uint64_t p_{memory.name} = 0; (void)p_{memory.name};")

    # -- blocks ---------------------------------------------------------------------------------

    def _block(self, block: Block, schedule: BlockSchedule) -> None:
        self.lines.append(f"{block.name}: ;")
        if schedule.ii:
            self._loop(block, schedule)
            return
        self._ops(block)
        self._passed(block, schedule)
        if block.end.kind == "return":
            self._end()
        elif block.end.kind == "jump":
            self._jump(block.end.edges[0])
        else:
            self.lines.append(f"if ({self._use(block.end.condition)}) {{")
            self._jump(block.end.edges[0])
            self.lines.append("} else {")
            self._jump(block.end.edges[1])
            self.lines.append("}")

    def _loop(self, block: Block, schedule: BlockSchedule) -> None:
        if block in self.slice.counted:
            assert block.trip_count is not None
            self.lines.append(f"{{ uint64_t n = (uint64_t)({self._use(block.trip_count)});")
        else:
            self.lines.append("{ uint64_t n = 0; for (;;) {")
            self._ops(block)
            self.lines.append("n++;")
            condition = self._use(block.end.condition)
            stays = condition if block.end.edges[0].block is block else f"!({condition})"
            self.lines.append(f"if (!({stays})) break;")
            self._assign(block.back_edge)
            self.lines.append("}")
        self.lines.append("(void)n;")
        self._looped(block, schedule)
        self.lines.append("}")
        self._jump(block.exit_edge)

    def _jump(self, edge: Edge) -> None:
        self._assign(edge)
        self.lines.append(f"goto {edge.block.name};")

    def _assign(self, edge: Edge) -> None:
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
            self.lines.append(f"{c_type(parameter.width)} n{i} = {self._use(argument)};")
        for i, (parameter, _) in enumerate(pairs):
            self.lines.append(f"{self.names[parameter]} = n{i};")
        self.lines.append("}")

    # -- operations -----------------------------------------------------------------------------

    def _ops(self, block: Block) -> None:
        for op in block.ops:
            if op.kind in ("load", "store", "pop"):
                self._access(op)
            elif op in self.slice.ops and op.kind == "rom":
                self._table(op)
            elif op in self.slice.ops and op.kind not in ("extract", "concat"):
                uses = [self._use(o) for o in op.operands]
                text = operation(op.kind, op.width, uses, [o.width for o in op.operands])
                self.lines.append(f"{self.names[op]} = {text};")

    def _use(self, op: Op | None) -> str:
        assert op is not None
        if op in self.names:
            return self.names[op]
        parts, position = [], 0
        kind = c_type(op.width)
        for source, low, width in segments(bits_of(op)):
            if source is None:
                if low:
                    parts.append(f"({literal(low, op.width)} << {position})")
            else:
                part = f"({c_type(width)})({self.names[source]} >> {low})"
                parts.append(f"(({kind}){part} << {position})")
            position += width
        return f"({' | '.join(parts)})" if parts else f"(({kind})0)"

    def _table(self, op: Op) -> None:
        size = len(self.kernel.memories[op.attributes["memory"]].contents)
        index = f"(uint64_t){self._use(op.operands[0])}"
        table = f"m_{op.attributes['memory']}"
        self.lines.append(f"{self.names[op]} = {index} < {size} ? {table}[{index}] : 0;")

    def _access(self, op: Op) -> None:
        """A load, store or pop, as far as its value or its place is asked for."""
        memory = self.kernel.memories[op.attributes["memory"]]
        statements = []
        if memory.kind == "external" and (op in self.slice.ops or self.slice.is_watched(op)):
            statements += self._place(op, memory)
        if op in self.slice.ops:
            statements.append(self._moved(op, memory))
        if not statements:
            return
        if op in self.names:
            self.lines.append(f"{self.names[op]} = 0;")
        guard = f"if ({self._use(op.enable)}) " if op.enable else ""
        self.lines.append(f"{guard}{{ {' '.join(statements)} }}")

    def _index(self, op: Op) -> str:
        """The element that a memory port is asked for. An index that fills the port counts from the
        pointer in both directions."""
        index = op.operands[0]
        use = self._use(index)
        if index.width >= PORT_INDEX_BITS:
            return f"(int64_t)({c_type(index.width, True)}){use}"
        return f"(int64_t)(uint64_t){use}"

    def _moved(self, op: Op, memory: Memory) -> str:
        """The statement that gets or puts the element."""
        size = memory.element_bits // 8
        if memory.kind == "ram":
            cell = f"m_{memory.name}[(uint64_t){self._use(op.operands[0])}"
            cell += f" & {(1 << memory.index_bits) - 1}]"
            if op.kind == "load":
                return f"{self.names[op]} = {cell};"
            return f"{cell} = {self._use(op.stored)};"
        position = self.positions[self.owners[memory.name].name]
        if op.kind == "pop":
            name = self.names[op]
            return (
                f"memcpy(&{name}, (char *)data[{position}] + p_{memory.name}++ * {size}, {size});"
            )
        origin = (
            f"w{position}.origin" if position in self.windows else f"(uintptr_t)data[{position}]"
        )
        place = f"(void *)({origin} + (uintptr_t)at)"
        if op.kind == "load":
            return f"memcpy(&{self.names[op]}, {place}, {size});"
        kind, value = c_type(memory.element_bits), self._use(op.stored)
        return f"{kind} w = {value}; memcpy({place}, &w, {size});"

    def _place(self, op: Op, memory: Memory) -> list[str]:
        """C that tells where the element is (`at`), and has its window hold it."""
        size = memory.element_bits // 8
        i = self.positions[self.owners[memory.name].name]
        if i not in self.windows:
            return [f"int64_t at = ({self._index(op)}) * {size};"]
        grow = f"window_grow(arrays, {len(self.arrays)}, {self.arrays.index(i)}, at, {size})"
        return [
            f"int64_t at = ({self._index(op)}) * {size};",
            f"if (__builtin_expect((uint64_t)at - (uint64_t)w{i}.low >= w{i}.span, 0)) {{",
            f"w{i} = {grow}; if (arrays->overlaps) goto overlapping; }}",
        ]
