# SPDX-License-Identifier: Apache-2.0
"""C of the values and memories of a kernel that is walked through (`models.walk`)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tandem.ir.functions import entries
from tandem.ir.kernel import Kernel
from tandem.ir.memory import PORT_INDEX_BITS, Memory, MemoryKind
from tandem.ir.ops import (
    Concat,
    Extract,
    Load,
    MacroOp,
    Op,
    Parameter,
    Pop,
    ResultOp,
    Rom,
    Store,
    StreamOp,
)
from tandem.ir.ops.c import as_signed, c_type, literal
from tandem.ir.traps import traps
from tandem.ir.wiring import makers_of, segments
from tandem.models.c_interface import load_argument
from tandem.models.macros import macro_name
from tandem.models.paths import Path, Place
from tandem.models.slices import Slice


def _crossing(kernel: Kernel) -> set[Op]:
    """Values that another block than their own uses."""
    home = {op: block for block in kernel.blocks for op in [*block.parameters, *block.ops]}
    found: set[Op] = set()
    for block in kernel.blocks:
        used = [o for op in block.ops for o in op.operands] + list(block.end.inputs())
        used += [block.trip_count] if block.trip_count is not None else []
        found |= {op for op in makers_of(used) if home.get(op) is not block}
    return found


class Values(ABC):
    """C that declares what a kernel's operations and memories are, and computes them as far as
    they are asked for."""

    def __init__(self, kernel: Kernel, found: Slice) -> None:
        self.kernel = kernel
        self.slice = found
        self.lines: list[str] = []
        self.names: dict[Op, str] = {}
        self.positions = {a.name: i for i, a in enumerate(self.kernel.arguments)}
        self.owners = {a.memory.name: a for a in self.kernel.arguments if a.memory is not None}
        self.arrays = [i for i, a in enumerate(self.kernel.arguments) if not a.is_number]
        """Positions of the arguments that are arrays."""
        self.windows = [i for i in self.arrays if self._has_window(i)]
        self.crossing = _crossing(self.kernel)
        self.numbers = {name: number for number, name in enumerate(entries(self.kernel))}
        """Of each function that is called."""

    # -- what is declared -----------------------------------------------------------------------

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

    def _declare_arguments(self) -> None:
        """Numbers and blocks that are asked for."""
        for argument in self.kernel.arguments:
            if argument.op is not None and argument.op in self.slice.ops:
                self.names[argument.op] = f"v{len(self.names)}"
                position = self.positions[argument.name]
                self.lines += load_argument(argument, position, self.names[argument.op])

    def _declare_values(self) -> None:
        """Names for all values, and variables of those that last."""
        ops = (op for block in self.kernel.blocks for op in [*block.parameters, *block.ops])
        for op in ops:
            if op in self.slice.ops and op.width and not isinstance(op, (Extract, Concat)):
                self.names[op] = f"v{len(self.names)}"
                if not self._is_local(op):
                    self.lines.append(f"{c_type(op.width)} {self.names[op]} = 0;")

    def _declare_calls(self) -> None:
        """Of each function who has called it, and what it has returned."""
        for function, number in self.numbers.items():
            self.lines.append(f"int caller_{number} = 0; (void)caller_{number};")
            for op in self._results(function)[:1]:
                self.lines.append(f"{c_type(op.width)} result_{number} = 0;")

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

    # -- what is known of memories and values ---------------------------------------------------

    def _has_window(self, position: int) -> bool:
        """Whether it is to be found out what is touched, or read what is written before."""
        memory = self.kernel.arguments[position].memory
        if memory is None or not self._is_shared(memory):
            return False
        return memory.name in self.slice.watched or self._copies(memory)

    def _is_shared(self, memory: Memory) -> bool:
        """Whether a memory is the program's, reached at any index."""
        return memory.kind is MemoryKind.EXTERNAL

    def _copies(self, memory: Memory) -> bool:
        """Whether what the kernel writes there is asked for."""
        stores = (op for op in self.slice.ops if isinstance(op, Store))
        return any(op.memory is memory for op in stores)

    def _place_of(self, op: Op, path: Path) -> Place | None:
        """The element of an access, where its array has a window."""
        owner = self.owners.get(op.memory.name)
        position = -1 if owner is None else self.positions[owner.name]
        return (position, path.bits(op.index)) if position in self.windows else None

    def _results(self, function: str) -> list[Op]:
        """What reads the function's result, as far as it is asked for."""
        found = (op for op in self.slice.ops if isinstance(op, ResultOp))
        return [op for op in found if op.function == function]

    def _is_local(self, op: Op) -> bool:
        """Whether a value is declared where it is computed: LLVM takes, for each variable that is
        set twice, the time of all branches."""
        return not isinstance(op, Parameter) and op not in self.crossing

    def _set(self, op: Op, text: str) -> None:
        kind = f"{c_type(op.width)} " if self._is_local(op) else ""
        self.lines.append(f"{kind}{self.names[op]} = {text};")

    # -- operations -----------------------------------------------------------------------------

    @abstractmethod
    def _record(self, op: Op, path: Path) -> None:
        """A record is taken from a FIFO between processes, or given to one."""

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
