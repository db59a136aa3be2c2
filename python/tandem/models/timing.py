# SPDX-License-Identifier: Apache-2.0
"""The schedule's cycle count of a call, as C.

Only what decides how often each block runs is computed: branch conditions, loop counts and what
they depend on. Where counts follow from the scalar arguments alone, the compiler folds the rest
away and a call costs nanoseconds, whatever its size.

Cycle 0 is the one in which `start` is seen; the count includes it and the one in which `done` is.
"""

from __future__ import annotations

from dataclasses import dataclass

from tandem.ir.kernel import Block, Edge, Kernel, Memory, Op
from tandem.ir.operations import LOGIC, SHIFT
from tandem.ir.wiring import bits_of, segments
from tandem.rtl.streams import CREDIT_RETURN_CYCLES, PUSH_TO_VALID_CYCLES
from tandem.schedule.scheduler import BlockSchedule, KernelSchedule

PRELUDE = f"""#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The cycle after an iteration that starts in `first` + k intervals for k < n has left a pipeline
 * of `length` cycles. A record pushed in cycle p of an iteration leaves its FIFO at the earliest
 * {PUSH_TO_VALID_CYCLES} cycles later and `pace` cycles after the one before; an iteration starts
 * only if fewer than `depth` records are between their start and their leaving. */
struct tandem_stream {{ uint32_t push, depth, pace; uint64_t *drained; }};

static uint64_t tandem_pipeline(uint64_t first, uint64_t n, uint64_t interval, uint64_t length,
                         const struct tandem_stream *out, int count)
{{
    uint64_t last = first + (n - 1) * interval;
    int paced = 0;
    for (int j = 0; j < count; j++)
        paced |= out[j].pace > interval;
    if (!paced) {{
        for (int j = 0; j < count; j++)
            *out[j].drained = last + out[j].push + {PUSH_TO_VALID_CYCLES} + 1;
        return last + length;
    }}
    uint64_t *left = calloc((size_t)count * 65536, sizeof *left);
    for (uint64_t k = 0; k < n; k++) {{
        uint64_t start = k ? last + interval : first;
        for (int j = 0; j < count; j++)
            if (k >= out[j].depth) {{
                uint64_t before = left[j * 65536 + (k - out[j].depth) % 65536];
                uint64_t credit = before + {CREDIT_RETURN_CYCLES};
                start = start < credit ? credit : start;
            }}
        last = start;
        for (int j = 0; j < count; j++) {{
            uint64_t leaves = start + out[j].push + {PUSH_TO_VALID_CYCLES};
            uint64_t next = k ? left[j * 65536 + (k - 1) % 65536] + out[j].pace : 0;
            left[j * 65536 + k % 65536] = leaves < next ? next : leaves;
            *out[j].drained = left[j * 65536 + k % 65536] + 1;
        }}
    }}
    free(left);
    return last + length;
}}
"""

SIGNATURE = "uint64_t tandem_cycles(void *const data[], const uint32_t intervals[])"


@dataclass
class _Slice:
    """What of the kernel decides its timing."""

    ops: set[Op]
    memories: set[str]
    counted: set[Block]
    """Loops whose inside is not needed: their count is known on entry."""


def timing_c(schedule: KernelSchedule, fifo_depths: dict[str, int]) -> str:
    """C of `tandem_cycles` (docs/package.md)."""
    return _TimingWriter(schedule, fifo_depths).text()


class _TimingWriter:
    def __init__(self, schedule: KernelSchedule, fifo_depths: dict[str, int]) -> None:
        self.schedule = schedule
        self.kernel: Kernel = schedule.kernel
        self.fifo_depths = fifo_depths
        self.slice = _timing_slice(self.kernel)
        self.names: dict[Op, str] = {}
        self.positions = {a.name: i for i, a in enumerate(self.kernel.arguments)}
        self.lines: list[str] = []
        self.scalars: set[str] = set()
        self.copies: list[str] = []

    def text(self) -> str:
        self._declarations()
        for block in self.kernel.blocks:
            self._block(block, self.schedule.blocks[block])
        body = "\n".join(f"    {line}" if not line.endswith(":") else line for line in self.lines)
        return f"{PRELUDE}\n{SIGNATURE}\n{{\n    (void)data; (void)intervals;\n{body}\n}}\n"

    # -- declarations ---------------------------------------------------------------------------

    def _declarations(self) -> None:
        streams = [a for a in self.kernel.arguments if a.kind == "stream"]
        self.lines.append("uint64_t now = 1, done;")
        for argument in streams:
            if argument.direction == "out":
                self.lines.append(f"uint64_t drained_{argument.name} = 0;")
        for argument in self.kernel.arguments:
            if argument.op is not None and argument.op in self.slice.ops:
                self._declare(argument.op)
                size = (argument.width + 7) // 8
                name, i = self.names[argument.op], self.positions[argument.name]
                self.lines.append(
                    f"{{ unsigned char b[{size}]; memcpy(b, data[{i}], {size}); "
                    f"for (int i = {size}; i--;) {name} = "
                    f"({_c_type(argument.width)})({_shifted(name, argument.width)} | b[i]); }}"
                )
        for block in self.kernel.blocks:
            for op in [*block.parameters, *block.ops]:
                if op in self.slice.ops and op.width and op.kind not in ("extract", "concat"):
                    self._declare(op)
        for name in sorted(self.slice.memories):
            self._declare_memory(self.kernel.memories[name])

    def _declare(self, op: Op) -> None:
        self.names[op] = f"v{len(self.names)}"
        self.lines.append(f"{_c_type(op.width)} {self.names[op]} = 0;")

    def _declare_memory(self, memory: Memory) -> None:
        kind = _c_type(memory.element_bits)
        if memory.kind == "rom":
            words = ", ".join(f"{w:#x}" for w in memory.contents)
            self.lines.append(f"static const {kind} m_{memory.name}[] = {{{words}}};")
        elif memory.kind == "ram":
            self.lines.append(
                f"static _Thread_local {kind} m_{memory.name}[{1 << memory.index_bits}];"
            )
        else:
            self._declare_buffer(memory)

    def _declare_buffer(self, memory: Memory) -> None:
        """The caller's buffer, or a copy of it where the slice writes: a count changes nothing."""
        index, argument = next(
            (i, a) for i, a in enumerate(self.kernel.arguments) if a.memory is memory
        )
        stores = any(
            o.kind == "store" and o.attributes["memory"] == memory.name for o in self.slice.ops
        )
        name = f"m_{memory.name}"
        if stores:
            for i, a in enumerate(self.kernel.arguments):
                if a.kind == "scalar" and a.direction == "in" and f"{a.name}" not in self.scalars:
                    self.scalars.add(a.name)
                    self.lines.append(
                        f"{a.c_type} {a.name} = *({a.c_type} *)data[{i}]; (void){a.name};"
                    )
            self.lines.append(f"unsigned char *{name} = malloc({argument.extent_bytes});")
            self.lines.append(f"memcpy({name}, data[{index}], {argument.extent_bytes});")
            self.copies.append(name)
        else:
            self.lines.append(f"const unsigned char *{name} = data[{index}];")
        self.lines.append(f"uint64_t p_{memory.name} = 0; (void)p_{memory.name};")

    # -- blocks ---------------------------------------------------------------------------------

    def _block(self, block: Block, schedule: BlockSchedule) -> None:
        self.lines.append(f"{block.name}: ;")
        if schedule.ii:
            self._loop(block, schedule)
            return
        self._ops(block)
        self.lines.append(f"now += {schedule.length};")
        if block.end.kind == "return":
            self._finish()
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
        self._advance(block, schedule)
        self.lines.append("}")
        self._jump(block.exit_edge)

    def _advance(self, block: Block, schedule: BlockSchedule) -> None:
        self.lines.append(f"uint64_t interval = {schedule.ii};")
        outs = []
        for op in block.ops:
            if op.kind in ("pop", "push"):
                argument = next(
                    a
                    for a in self.kernel.arguments
                    if a.memory is not None and a.memory.name == op.attributes["memory"]
                )
                pace = f"intervals[{self.positions[argument.name]}]"
                if op.kind == "pop":
                    self.lines.append(f"if (interval < {pace}) interval = {pace};")
                else:
                    depth = self.fifo_depths[op.attributes["memory"]]
                    outs.append(
                        f"{{{schedule.start[op]}, {depth}, {pace}, &drained_{argument.name}}}"
                    )
        streams = ", ".join(outs) or "{0, 0, 0, 0}"
        self.lines.append(f"struct tandem_stream out[] = {{{streams}}};")
        self.lines.append(
            f"now = tandem_pipeline(now, n, interval, {schedule.length}, out, {len(outs)});"
        )

    def _finish(self) -> None:
        self.lines.append("done = now;")
        for argument in self.kernel.arguments:
            if argument.kind == "stream" and argument.direction == "out":
                drained = f"drained_{argument.name}"
                self.lines.append(f"if (done < {drained}) done = {drained};")
        self.lines += [f"free({name});" for name in self.copies]
        self.lines.append("return done + 1;")

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
            self.lines.append(f"{_c_type(parameter.width)} n{i} = {self._use(argument)};")
        for i, (parameter, _) in enumerate(pairs):
            self.lines.append(f"{self.names[parameter]} = n{i};")
        self.lines.append("}")

    # -- operations -----------------------------------------------------------------------------

    def _ops(self, block: Block) -> None:
        for op in block.ops:
            if op in self.slice.ops:
                if op.kind in ("load", "store", "pop"):
                    self._access(op)
                elif op.kind not in ("extract", "concat"):
                    self.lines.append(f"{self.names[op]} = {self._compute(op)};")

    def _use(self, op: Op | None) -> str:
        assert op is not None
        if op in self.names:
            return self.names[op]
        parts, position = [], 0
        kind = _c_type(op.width)
        for source, low, width in segments(bits_of(op)):
            if source is None:
                if low:
                    parts.append(f"({_literal(low, op.width)} << {position})")
            else:
                part = f"({_c_type(width)})({self.names[source]} >> {low})"
                parts.append(f"(({kind}){part} << {position})")
            position += width
        return f"({' | '.join(parts)})" if parts else f"(({kind})0)"

    def _compute(self, op: Op) -> str:
        kind = _c_type(op.width)
        uses = [self._use(o) for o in op.operands]
        if op.kind in LOGIC:
            sign = {"and": " & ", "or": " | ", "xor": " ^ "}[op.kind]
            return f"({kind})({sign.join(uses)})"
        if op.kind in SHIFT:
            return self._shift(op, uses)
        if op.kind == "select":
            return f"{uses[0]} ? {uses[1]} : {uses[2]}"
        if op.kind == "rom":
            size = len(self.kernel.memories[op.attributes["memory"]].contents)
            index, table = f"(uint64_t){uses[0]}", f"m_{op.attributes['memory']}"
            return f"{index} < {size} ? {table}[{index}] : 0"
        sign = {
            "add": "+",
            "sub": "-",
            "mul": "*",
            "eq": "==",
            "ne": "!=",
            "ult": "<",
            "ule": "<=",
            "udiv": "/",
            "urem": "%",
            "slt": "<",
            "sle": "<=",
            "sdiv": "/",
            "srem": "%",
        }[op.kind]
        if op.kind[0] == "s" and op.kind != "sub":
            uses = [
                f"(({_c_type(o.width, True)}){u})" for o, u in zip(op.operands, uses, strict=True)
            ]
        if op.kind in ("udiv", "sdiv"):
            return f"{uses[1]} ? ({kind})({uses[0]} / {uses[1]}) : ({kind})-1"
        if op.kind in ("urem", "srem"):
            return f"{uses[1]} ? ({kind})({uses[0]} % {uses[1]}) : ({kind}){uses[0]}"
        return f"({kind})({uses[0]} {sign} {uses[1]})"

    def _shift(self, op: Op, uses: list[str]) -> str:
        kind, width = _c_type(op.width), op.width
        amount = f"(uint64_t){uses[1]}"
        if op.kind == "shl":
            return f"{amount} < {width} ? ({kind})({uses[0]} << {amount}) : ({kind})0"
        if op.kind == "lshr":
            return f"{amount} < {width} ? ({kind})({uses[0]} >> {amount}) : ({kind})0"
        signed = f"({_c_type(width, True)}){uses[0]}"
        return f"({kind})(({signed}) >> ({amount} < {width} ? {amount} : {width - 1}))"

    def _access(self, op: Op) -> None:
        memory = self.kernel.memories[op.attributes["memory"]]
        size = memory.element_bits // 8
        cell = f"m_{memory.name}"
        if op.kind == "pop":
            self.lines.append(
                f"memcpy(&{self.names[op]}, {cell} + p_{memory.name}++ * {size}, {size});"
            )
            return
        plain = 1 if op.kind == "load" else 2
        index = f"(uint64_t){self._use(op.operands[0])}"
        if memory.kind == "ram":
            index += f" & {(1 << memory.index_bits) - 1}"
        guard = f"if ({self._use(op.operands[plain])}) " if len(op.operands) > plain else ""
        if op.kind == "store" and memory.kind == "ram":
            self.lines.append(f"{guard}{cell}[{index}] = {self._use(op.operands[1])};")
        elif op.kind == "store":
            kind = _c_type(memory.element_bits)
            self.lines.append(
                f"{guard}{{ {kind} w = {self._use(op.operands[1])}; "
                f"memcpy({cell} + ({index}) * {size}, &w, {size}); }}"
            )
        elif memory.kind == "ram":
            self.lines.append(f"{self.names[op]} = 0; {guard}{self.names[op]} = {cell}[{index}];")
        else:
            self.lines.append(
                f"{self.names[op]} = 0; {guard}memcpy(&{self.names[op]}, {cell} + "
                f"({index}) * {size}, {size});"
            )


def _c_type(width: int, is_signed: bool = False) -> str:
    if is_signed:
        return f"signed _BitInt({max(width, 2)})" if width > 1 else "signed _BitInt(2)"
    return f"unsigned _BitInt({width})"


def _literal(value: int, width: int) -> str:
    """A constant of any width: put together from 32-bit parts."""
    kind = _c_type(width)
    if value < 1 << 63:
        return f"(({kind}){value:#x}ull)"
    parts = [
        f"(({kind}){value >> s & 0xFFFFFFFF:#x}u << {s})" for s in range(0, value.bit_length(), 32)
    ]
    return f"({' | '.join(parts)})"


def _shifted(name: str, width: int) -> str:
    return f"{name} << 8" if width > 8 else "0"


# -- the slice ----------------------------------------------------------------------------------


def _timing_slice(kernel: Kernel) -> _Slice:
    """Values that decide control flow, with the memories they are read from. A counted loop's
    inside counts only if something after it needs a value made there."""
    result = _Slice(
        set(), set(), {b for b in kernel.blocks if b.is_loop and b.trip_count is not None}
    )
    while True:
        before = len(result.ops), len(result.memories), len(result.counted)
        _grow(kernel, result)
        needed_inside = {
            b for b in result.counted if any(op in result.ops for op in [*b.ops, *b.parameters])
        }
        result.counted -= needed_inside
        if before == (len(result.ops), len(result.memories), len(result.counted)):
            return result


def _grow(kernel: Kernel, found: _Slice) -> None:
    work: list[Op] = []
    sources: dict[Op, list[Op]] = {}
    for block in kernel.blocks:
        if block in found.counted:
            work += [block.trip_count] if block.trip_count is not None else []
        elif block.end.condition is not None:
            work.append(block.end.condition)
        for op in block.ops:
            if op.kind == "store" and op.attributes["memory"] in found.memories:
                work.append(op)
            if op.kind == "pop" and op.attributes["memory"] in found.memories:
                work.append(op)
        for edge in block.end.edges:
            for parameter, argument in zip(edge.block.parameters, edge.arguments, strict=True):
                sources.setdefault(parameter, []).append(argument)
    while work:
        op = work.pop()
        if op in found.ops or op.kind == "constant":
            continue
        found.ops.add(op)
        if op.kind in ("load", "pop", "rom"):
            found.memories.add(op.attributes["memory"])
        work += (
            [bit[0] for bit in bits_of(op) if type(bit) is not int and bit[0] is not op]
            if op.width
            else []
        )
        work += op.operands
        work += sources.get(op, [])
