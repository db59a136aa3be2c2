# SPDX-License-Identifier: Apache-2.0
"""The cycles of a call as C, from the schedule: in all, and of each loop.

Cycle 0 is the one in which `start` is seen; the count includes it and the one in which `done` is.
"""

from __future__ import annotations

from collections.abc import Sequence

from tandem.ir.kernel import Block
from tandem.ir.loops import innermost_loops, natural_loops
from tandem.models.slices import slice_of
from tandem.models.walk import Writer
from tandem.rtl.streams import CREDIT_RETURN_CYCLES, PUSH_TO_VALID_CYCLES
from tandem.schedule.scheduler import BlockSchedule, KernelSchedule

PIPELINE_C = f"""
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

CYCLES = (
    "uint64_t tandem_cycles(void *const data[], const uint64_t bytes[],\n"
    "                       const uint32_t intervals[], uint64_t parts[][2])"
)


class CyclesWriter(Writer):
    signature = CYCLES

    def __init__(
        self,
        schedule: KernelSchedule,
        fifo_depths: dict[str, int],
        watched: Sequence[str] = (),
    ) -> None:
        super().__init__(schedule, slice_of(schedule.kernel, watched))
        self.fifo_depths = fifo_depths
        self.loop_of = innermost_loops(schedule.kernel)
        self.rows = {header: i for i, header in enumerate(natural_loops(schedule.kernel))}

    def _begin(self) -> None:
        self.lines.append("(void)intervals;")
        counters = ", ".join(f"i{k} = 0, c{k} = 0" for k in range(len(self.rows)))
        self.lines += [f"uint64_t {counters};"] if counters else []
        self.lines.append("uint64_t outside = 1;")
        self.lines.append("uint64_t now = 1, done;")
        self.lines += [f"uint64_t drained_{i} = 0;" for i in self._outputs()]

    def _sum(self, block: Block) -> str:
        """The variable that sums the cycles of the innermost loop around a block."""
        header = self.loop_of.get(block)
        return "outside" if header is None else f"c{self.rows[header]}"

    def _outputs(self) -> list[int]:
        return [
            i
            for i, a in enumerate(self.kernel.arguments)
            if a.kind == "stream" and a.direction == "out"
        ]

    def _passed(self, block: Block, schedule: BlockSchedule) -> None:
        self.lines.append(f"now += {schedule.length};")
        if block in self.rows:
            self.lines.append(f"i{self.rows[block]}++;")
        self.lines.append(f"{self._sum(block)} += {schedule.length};")

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
        self.lines.append("uint64_t entered = now;")
        self.lines.append(
            f"now = tandem_pipeline(now, n, interval, {schedule.length}, out, {len(outs)});"
        )
        self.lines.append(f"i{self.rows[block]} += n; {self._sum(block)} += now - entered;")

    def _end(self) -> None:
        self._leave()
        self.lines.append("done = now;")
        self.lines += [f"if (done < drained_{i}) done = drained_{i};" for i in self._outputs()]
        parts = [(f"i{k}", f"c{k}") for k in range(len(self.rows))]
        parts.append(("1", "outside + (done + 1 - now)"))
        self.lines.append("if (parts) {")
        for k, (iterations, cycles) in enumerate(parts):
            self.lines.append(f"parts[{k}][0] = {iterations}; parts[{k}][1] = {cycles};")
        self.lines.append("}")
        self.lines.append("return done + 1;")

    def _leave(self) -> None:
        """What is done before the walk ends."""
        self.lines.append(f"arrays_free(arrays, {len(self.arrays)});")

    def _stopped(self) -> None:
        """The end of a walk that met arrays that overlap: nobody asks for its cycles."""
        self.lines.append("overlapping: ;")
        self._leave()
        self.lines.append("return 0;")
