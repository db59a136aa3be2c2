# SPDX-License-Identifier: Apache-2.0
"""What native.so knows of a call before it happens, as C: extents, cycles, touched bytes.

Of the kernel only what decides how often each block runs is computed: branch conditions, loop
counts and what they depend on (and, for touched bytes, indices). Where these follow from the
scalar arguments alone, the compiler folds the rest away and a call costs nanoseconds, whatever its
size. The program's memory is read in place and never written; what the kernel would write goes to
an overlay.

Cycle 0 is the one in which `start` is seen; the count includes it and the one in which `done` is.
"""

from __future__ import annotations

from tandem.ir.expressions import Expression
from tandem.ir.kernel import PORT_INDEX_BITS, Argument, Block, Edge, Kernel, Memory, Op
from tandem.ir.wiring import bits_of, segments
from tandem.models.c_text import c_type, expression_lines, literal, operation
from tandem.models.overlay import OVERLAY_C
from tandem.models.slices import Slice, slice_of
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
{OVERLAY_C}"""

LARGEST_BOUND_BYTES = 1 << 47
"""No buffer has more."""
_UNKNOWN = "UINT64_MAX - 1"

EXTENTS = "void tandem_extents(void *const data[], uint64_t bytes[])"
CYCLES = (
    "uint64_t tandem_cycles(void *const data[], const uint64_t bytes[], const uint32_t intervals[])"
)
TOUCHED = "void tandem_touched(void *const data[], const uint64_t bytes[], int64_t touched[][2])"
DECLARATIONS = "".join(f"{signature};\n" for signature in (EXTENTS, CYCLES, TOUCHED))


def ahead_c(schedule: KernelSchedule, fifo_depths: dict[str, int]) -> str:
    """C of `tandem_extents`, `tandem_cycles` and `tandem_touched` (docs/package.md)."""
    kernel = schedule.kernel
    watched = [a for a in kernel.arguments if a.memory is not None and a.extent.proof is None]
    parts = [
        PRELUDE,
        _extents_c(kernel),
        _CyclesWriter(schedule, fifo_depths).text(),
        _TouchedWriter(schedule, watched).text(),
    ]
    return "\n".join(parts)


# -- extents ------------------------------------------------------------------------------------


def _extents_c(kernel: Kernel) -> str:
    """Every extent, in an order in which the blocks that one asks for are there before it."""
    lines: list[str] = []
    names: dict[str, str] = {}
    waiting = list(enumerate(kernel.arguments))
    while waiting:
        position, argument = next(
            (i, a) for i, a in waiting if a.extent.claim is None or _has(names, a)
        )
        waiting.remove((position, argument))
        lines += _extent_lines(position, argument, names)
        if argument.op is not None:
            lines += load_argument(argument, position, f"a{position}")
            names[argument.name] = f"a{position}"
    body = "\n".join(f"    {line}" for line in lines)
    return f"{EXTENTS}\n{{\n    (void)data;\n    (void)bytes;\n{body}\n}}\n"


def _has(names: dict[str, str], argument: Argument) -> bool:
    claim = argument.extent.claim
    return claim is None or claim.names() <= names.keys()


def _extent_lines(position: int, argument: Argument, names: dict[str, str]) -> list[str]:
    if argument.kind == "scalar":
        return [f"bytes[{position}] = {scalar_bytes(argument)};"]
    claim = argument.extent.claim
    if claim is None:
        return [f"bytes[{position}] = 0;"]
    prefix = f"e{position}_"
    is_signed = c_type(claim.width, True)
    # What is only a bound may be far from what the call touches.
    is_bound = argument.extent.source == "bound"
    limit, beyond = (LARGEST_BOUND_BYTES, _UNKNOWN) if is_bound else ("INT64_MAX", "UINT64_MAX")
    return [
        *expression_lines(claim, prefix, names),
        f"{{ {is_signed} v = ({is_signed}){prefix}value;",
        f"bytes[{position}] = v < 0 ? {_UNKNOWN} : v > {limit} ? {beyond} : v; }}",
    ]


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


# -- walking through the kernel -----------------------------------------------------------------


class _Writer:
    """C that takes the kernel's way through its blocks."""

    signature = ""

    def __init__(self, schedule: KernelSchedule, found: Slice) -> None:
        self.schedule = schedule
        self.kernel: Kernel = schedule.kernel
        self.slice = found
        self.names: dict[Op, str] = {}
        self.positions = {a.name: i for i, a in enumerate(self.kernel.arguments)}
        self.owners = {a.memory.name: a for a in self.kernel.arguments if a.memory is not None}
        self.lines: list[str] = []

    def text(self) -> str:
        self._declarations()
        for block in self.kernel.blocks:
            self._block(block, self.schedule.blocks[block])
        body = "\n".join(f"    {line}" if not line.endswith(":") else line for line in self.lines)
        return f"{self.signature}\n{{\n{body}\n}}\n"

    # What each kind of walk adds, and how it ends.

    def _begin(self) -> None:
        raise NotImplementedError

    def _passed(self, block: Block, schedule: BlockSchedule) -> None:
        """A block that is no pipeline has run once."""

    def _looped(self, block: Block, schedule: BlockSchedule) -> None:
        """A pipeline has run `n` times."""

    def _accessed(self, op: Op, index: str, size: int) -> list[str]:
        """An access to a watched array."""
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError

    # -- declarations ---------------------------------------------------------------------------

    def _declarations(self) -> None:
        self.lines.append("(void)data; (void)bytes;")
        self.lines.append("struct overlay overlay = {0};")
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
        if self.slice.is_watched(op):
            statements += self._accessed(op, self._index(op), memory.element_bits // 8)
        if op in self.slice.ops:
            statements.append(self._moved(op, memory))
        if not statements:
            return
        plain = 1 if op.kind == "load" else 2
        if op in self.names:
            self.lines.append(f"{self.names[op]} = 0;")
        guarded = op.kind != "pop" and len(op.operands) > plain
        guard = f"if ({self._use(op.operands[plain])}) " if guarded else ""
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
            return f"{cell} = {self._use(op.operands[1])};"
        base = f"(uintptr_t)data[{self.positions[self.owners[memory.name].name]}]"
        if op.kind == "pop":
            address = f"{base} + p_{memory.name}++ * {size}"
        else:
            address = f"{base} + (uintptr_t)(({self._index(op)}) * {size})"
        if op.kind == "store":
            kind, value = c_type(memory.element_bits), self._use(op.operands[1])
            return f"{kind} w = {value}; overlay_write(&overlay, {address}, &w, {size});"
        return f"overlay_read(&overlay, &{self.names[op]}, {address}, {size});"


# -- cycles -------------------------------------------------------------------------------------


class _CyclesWriter(_Writer):
    signature = CYCLES

    def __init__(self, schedule: KernelSchedule, fifo_depths: dict[str, int]) -> None:
        super().__init__(schedule, slice_of(schedule.kernel))
        self.fifo_depths = fifo_depths

    def _begin(self) -> None:
        self.lines.append("(void)intervals;")
        self.lines.append("uint64_t now = 1, done;")
        self.lines += [f"uint64_t drained_{i} = 0;" for i in self._outputs()]

    def _outputs(self) -> list[int]:
        return [
            i
            for i, a in enumerate(self.kernel.arguments)
            if a.kind == "stream" and a.direction == "out"
        ]

    def _passed(self, block: Block, schedule: BlockSchedule) -> None:
        self.lines.append(f"now += {schedule.length};")

    def _looped(self, block: Block, schedule: BlockSchedule) -> None:
        self.lines.append(f"uint64_t interval = {schedule.ii};")
        outs = []
        for op in block.ops:
            if op.kind in ("pop", "push"):
                position = self.positions[self.owners[op.attributes["memory"]].name]
                pace = f"intervals[{position}]"
                if op.kind == "pop":
                    self.lines.append(f"if (interval < {pace}) interval = {pace};")
                else:
                    depth = self.fifo_depths[op.attributes["memory"]]
                    outs.append(f"{{{schedule.start[op]}, {depth}, {pace}, &drained_{position}}}")
        streams = ", ".join(outs) or "{0, 0, 0, 0}"
        self.lines.append(f"struct tandem_stream out[] = {{{streams}}};")
        self.lines.append(
            f"now = tandem_pipeline(now, n, interval, {schedule.length}, out, {len(outs)});"
        )

    def _end(self) -> None:
        self.lines.append("done = now;")
        self.lines += [f"if (done < drained_{i}) done = drained_{i};" for i in self._outputs()]
        self.lines.append("overlay_free(&overlay);")
        self.lines.append("return done + 1;")


# -- touched bytes ------------------------------------------------------------------------------


class _TouchedWriter(_Writer):
    signature = TOUCHED

    def __init__(self, schedule: KernelSchedule, watched: list[Argument]) -> None:
        memories = [a.memory.name for a in watched if a.memory is not None]
        super().__init__(schedule, slice_of(schedule.kernel, memories))
        self.watched = {self.positions[a.name]: a for a in watched}

    def _begin(self) -> None:
        """Proven extents are what is touched; the others grow with each access."""
        for i, argument in enumerate(self.kernel.arguments):
            if i in self.watched:
                self.lines.append(f"int64_t low{i} = INT64_MAX, high{i} = INT64_MIN;")
                continue
            self.lines.append(f"touched[{i}][0] = 0; touched[{i}][1] = (int64_t)bytes[{i}];")
            proof = argument.extent.proof
            if proof is not None and proof != argument.extent.claim:
                self.lines.append("{")
                self.lines += self._proven(proof, i)
                self.lines.append("}")

    def _proven(self, proof: Expression, position: int) -> list[str]:
        lines: list[str] = []
        names = {}
        for i, argument in enumerate(self.kernel.arguments):
            if argument.name in proof.names():
                names[argument.name] = f"a{i}"
                lines += load_argument(argument, i, f"a{i}")
        lines += expression_lines(proof, "e", names)
        return [*lines, f"touched[{position}][1] = (int64_t)evalue;"]

    def _looped(self, block: Block, schedule: BlockSchedule) -> None:
        for op in block.ops:
            owner = self.owners.get(op.attributes.get("memory", ""))
            if op.kind in ("pop", "push") and owner is not None:
                i = self.positions[owner.name]
                size = self.kernel.memories[op.attributes["memory"]].element_bits // 8
                if i in self.watched:
                    self.lines.append(f"low{i} = 0; high{i} = (int64_t)(n * {size});")

    def _accessed(self, op: Op, index: str, size: int) -> list[str]:
        i = self.positions[self.owners[op.attributes["memory"]].name]
        return [
            f"int64_t at = ({index}) * {size};",
            f"if (at < low{i}) low{i} = at;",
            f"if (at + {size} > high{i}) high{i} = at + {size};",
        ]

    def _end(self) -> None:
        for i in self.watched:
            self.lines.append(
                f"touched[{i}][0] = low{i} < high{i} ? low{i} : 0; "
                f"touched[{i}][1] = low{i} < high{i} ? high{i} : 0;"
            )
        self.lines.append("overlay_free(&overlay);")
        self.lines.append("return;")
