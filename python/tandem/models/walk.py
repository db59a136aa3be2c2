# SPDX-License-Identifier: Apache-2.0
"""C that takes the way of a kernel's call through its blocks and computes of them no more than is
asked for (`models.slices`)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from itertools import product

from tandem.ir.blocks import Block, Call, Edge, Join, Jump, Return, Start
from tandem.ir.functions import blocks_of, entries
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access, Op, Select
from tandem.ir.ops.c import c_type
from tandem.ir.traps import trap_reason, traps
from tandem.models.paths import Arriving, Landing, Path, Place, Variant, deciding
from tandem.models.slices import Slice, slice_of
from tandem.models.walk_values import Values
from tandem.schedule.scheduled import BlockSchedule

MOST_STEPS = 1 << 17
"""Blocks that a walk goes through where it may wait for what another part of the program would
write: short enough (a millisecond) for that part not to have come in between."""


def _may_wait(kernel: Kernel) -> bool:
    """Whether memory that another part of the program may change decides where control goes."""
    volatile = [a for a in kernel.arguments if a.is_volatile]
    found = slice_of(kernel) if volatile else Slice()
    return any(
        a.op in found.ops or (a.memory is not None and a.memory.name in found.memories)
        for a in volatile
    )


class Writer(Values):
    """C that takes the kernel's way through its blocks."""

    signature = ""

    def __init__(
        self, kernel: Kernel, schedules: Mapping[Block, BlockSchedule], found: Slice
    ) -> None:
        super().__init__(kernel, found)
        self.schedules = schedules
        """Of each block, where the way is one in time."""
        self.waits = _may_wait(kernel)
        """Whether it may go on for ever while memory stays as it is."""
        self.order = {block: i for i, block in enumerate(self.kernel.blocks)}
        self.deciding = {block: deciding(block, found) for block in self.kernel.blocks}
        functions = entries(self.kernel).items()
        self.function_of = {b: name for name, entry in functions for b in blocks_of(entry)}
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

    def _ii(self, block: Block) -> int | None:
        """Cycles between iterations of a block that is a pipeline."""
        return self.schedules[block].ii

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
        self._declare_arguments()
        self._declare_values()
        self._declare_calls()
        for name in sorted(self.slice.memories):
            self._declare_memory(self.kernel.memories[name])

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
