# SPDX-License-Identifier: Apache-2.0
"""The cycles of a call as C, from the schedule: in all, and of each loop.

Cycle 0 is the one in which `start` is seen; the count includes it and the one in which `done` is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tandem.ir.argument import ArgumentKind
from tandem.ir.blocks import Block, Join
from tandem.ir.loops import innermost_loops, natural_loops
from tandem.ir.ops import Op, Poll, Pop, Push
from tandem.ir.processes import processes, stream_ops
from tandem.models.paths import Arriving, Landing, Path, Variant
from tandem.models.processes import Processes
from tandem.models.slices import slice_of
from tandem.models.walk import Writer
from tandem.models.walked import walked, walked_schedules
from tandem.schedule.fifos import CREDIT_RETURN_CYCLES, PUSH_TO_VALID_CYCLES
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

PIPELINE_C = f"""
/* The cycle in which a pipeline is left whose iterations start in `first` + k intervals for k < n:
 * `leave` cycles after the last of them, and not before `stay` after the first one. One with
 * streams never has to stay.
 *
 * A record pushed in cycle p of an iteration leaves its FIFO at the earliest {PUSH_TO_VALID_CYCLES}
 * cycles later and `pace` cycles after the one before; an iteration starts only if fewer than
 * `depth` records are between their start and their leaving. */
struct tandem_stream {{ uint32_t push, depth, pace; uint64_t *drained; }};

static uint64_t tandem_pipeline(uint64_t first, uint64_t n, uint64_t interval, uint64_t leave,
                         uint64_t stay, const struct tandem_stream *out, int count)
{{
    uint64_t last = first + (n - 1) * interval;
    int paced = 0;
    for (int j = 0; j < count; j++)
        paced |= out[j].pace > interval;
    if (!paced) {{
        for (int j = 0; j < count; j++)
            *out[j].drained = last + out[j].push + {PUSH_TO_VALID_CYCLES} + 1;
        return last + leave < first + stay ? first + stay : last + leave;
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
    return last + leave;
}}
"""

STUCK = "UINT64_MAX"
"""In place of the cycles where processes wait for each other for ever."""
WAITS = "UINT64_MAX - 2"
"""In place of the cycles of a call that waits for another part of the program."""
EXCEEDS = "UINT64_MAX - 3"
"""In place of the cycles of a call that needs more than hardware was given (`ir.traps`)."""
CYCLES = (
    "uint64_t tandem_cycles(void *const data[], const uint64_t bytes[],\n"
    "                       const uint32_t intervals[], uint64_t parts[][3], uint32_t apart)"
)


def streams_of(block: Block) -> list[Op]:
    """The operations of a block that take or give records of an array."""
    return [op for op in block.ops if isinstance(op, (Pop, Push))]


class CyclesWriter(Writer):
    signature = CYCLES
    answer = "done + 1"
    tells_loops = False
    """Whether it matters for each loop in which cycle it is entered."""

    def __init__(
        self,
        schedule: KernelSchedule,
        fifo_depths: dict[str, int],
        watched: Sequence[str] = (),
    ) -> None:
        kernel = walked(schedule.kernel)
        super().__init__(kernel, walked_schedules(schedule), slice_of(kernel, watched))
        self.fifo_depths = fifo_depths
        self.first_cycle = 0 if schedule.begins_at_once else 1
        """The cycle in which the first block starts."""
        self.done_cycles = 0 if schedule.ends_at_once else 1
        """How many cycles `done` comes after the last one of the last block."""
        self.loop_of = innermost_loops(self.kernel)
        self.rows = list(natural_loops(self.kernel))
        self.homes = {op: block for block, op in self.kernel.ops()}
        has_processes = bool(processes(self.kernel))
        self.processes = Processes(self.kernel, schedule) if has_processes else None

    def _begin(self) -> None:
        self.lines.append("(void)intervals;")
        for loop in self._pipelines():
            self.lines.append(f"uint64_t {self._iterations(loop)} = 0, {self._spent(loop)} = 0;")
        self.lines += [f"uint64_t {self._entered(loop)} = 0;" for loop in self._streaming()]
        self.lines += [f"uint64_t drained_{i} = 0;" for i in self._outputs()]
        if self.processes:
            self.lines += self.processes.declarations()

    def _iterations(self, header: Block) -> str:
        """The variable that counts a loop's iterations."""
        is_pipeline = self.schedules[header].ii
        return f"i{self.order[header]}" if is_pipeline else self._runs(header)

    def _spent(self, loop: Block) -> str:
        """The variable that sums a pipeline's cycles."""
        return f"c{self.order[loop]}"

    def _pipelines(self) -> list[Block]:
        return [block for block, schedule in self.schedules.items() if schedule.ii]

    def _entered(self, loop: Block) -> str:
        """The variable with the cycle in which a loop with streams is entered."""
        return f"e{self.order[loop]}"

    def _streaming(self) -> list[Block]:
        """The loops whose iterations take or give records of arguments; each is entered once."""
        if self.processes:
            return []
        return [b for b in self._pipelines() if streams_of(self.schedules[b].block)]

    def _cycles(self, blocks: Iterable[Block]) -> str:
        """C that sums the cycles of blocks so far."""
        terms = []
        for block in blocks:
            schedule = self.schedules[block]
            plain = f"{self._runs(block)} * {schedule.length}"
            terms.append(self._spent(block) if schedule.ii else plain)
        return " + ".join(terms) or "0"

    def _outputs(self) -> list[int]:
        return [
            i
            for i, a in enumerate(self.kernel.arguments)
            if a.kind is ArgumentKind.STREAM and a.direction == "out"
        ]

    def _begun(self, variant: Variant) -> None:
        block = variant.block
        if self.processes:
            label, runs = self._label(variant), self._runs(block)
            self.lines += self.processes.begin(block, self.schedules[block], label, runs)

    def _passed(self, block: Block) -> None:
        self.lines.append(f"{self._runs(block)}++;")
        if self.processes:
            length = self.schedules[block].length
            self.lines.append(f"{self.processes.time(block)} += {length};")

    def _of_processes(self, block: Block, path: Path) -> None:
        assert self.processes is not None
        if isinstance(block.end, Join):
            self.lines += self.processes.join(block)
            self._enter(block.end.edges[0], path)
            return
        into, onward = block.end.edges
        label, begins = self.processes.begins(block, block.end.callee)
        self._meet_all(Arriving(into, path))
        self.waiting.append(Landing(label, into.block))
        self._assign(into, path)
        self.lines.append(begins)
        self._enter(onward, path)

    def _return_from(self, function: str, value: Op | None, path: Path) -> None:
        if self.processes and function in self.processes.names:
            self.lines += self.processes.ended(function)
        else:
            super()._return_from(function, value, path)

    def _record(self, op: Op, path: Path) -> None:
        enabled = 1 if op.enable is None else path.value(op.enable)
        text = " ".join(self._recorded(op, path))
        if enabled is None and op.enable is not None:
            self.lines.append(f"if ({self._use(op.enable, path)}) {{ {text} }}")
        elif enabled:
            self.lines.append(text)

    def _recorded(self, op: Op, path: Path) -> Iterable[str]:
        """C of what happens to a FIFO."""
        assert self.processes is not None
        block, is_asked = self.homes[op], op in self.slice.ops
        if isinstance(op, Push):
            value = self._use(op.operands[0], path) if is_asked else ""
            return [self.processes.give(block, op, self.schedules[block], value)]
        telling = self.processes.asks if isinstance(op, Poll) else self.processes.take
        return telling(block, op, self.names[op] if is_asked else "")

    def _looped(self, block: Block) -> None:
        schedule = self.schedules[block]
        if self.processes:
            self._looped_in_time(block, schedule, self.processes)
            return
        self.lines.append(f"uint64_t n = {self._runs(block)}, interval = {schedule.ii};")
        outs = []
        for op, start in schedule.start.items():
            if isinstance(op, (Pop, Push)):
                position = self.positions[self.owners[op.memory.name].name]
                pace = f"intervals[{position}]"
                if isinstance(op, Pop):
                    self.lines.append(f"if (interval < {pace}) interval = {pace};")
                else:
                    depth = self.fifo_depths[op.memory.name]
                    outs.append(f"{{{start}, {depth}, {pace}, &drained_{position}}}")
        streams = ", ".join(outs) or "{0, 0, 0, 0}"
        self.lines.append(f"struct tandem_stream out[] = {{{streams}}};")
        # The cycle matters for records only.
        is_streaming = bool(streams_of(schedule.block))
        is_asked = is_streaming or self.tells_loops
        entered = f"{self.first_cycle} + {self._cycles(self.schedules)}" if is_asked else "0"
        self.lines.append(f"uint64_t entered = {entered};")
        if is_streaming:
            self.lines.append(f"{self._entered(block)} = entered;")
        self.lines.append(
            f"uint64_t took = tandem_pipeline(entered, n, interval, {schedule.leave}, "
            f"{schedule.stay}, out, {len(outs)}) - entered;"
        )
        self.lines.append(f"{self._spent(block)} += took;")
        self._tell(block, "entered", "entered + took")
        self.lines.append(f"{self._iterations(block)} += n;")

    def _looped_in_time(self, block: Block, schedule: BlockSchedule, processes: Processes) -> None:
        time, runs = processes.time(block), self._runs(block)
        last = f"{time} + ({runs} - 1) * {schedule.ii}"
        if any(stream_ops(block)):
            last = processes.start(block)
        self.lines += [
            f"uint64_t left = {last} + {schedule.leave};",
            f"{self._spent(block)} += left - {time};",
            f"{self._iterations(block)} += {runs};",
        ]
        self._tell(block, time, "left")
        self.lines.append(f"{time} = left;")

    def _tell(self, loop: Block, begin: str, end: str) -> None:
        """A pipeline has been passed, from one cycle to another."""

    def _end(self) -> None:
        self._leave()
        now = f"{self.first_cycle} + {self._cycles(self.schedules)}"
        if self.processes:
            now = self.processes.time(self.kernel.entry)
        self.lines.append(f"uint64_t now = {now}, done = now - 1 + {self.done_cycles};")
        self.lines += [f"if (done < drained_{i}) done = drained_{i};" for i in self._outputs()]
        self.lines.append("if (parts) {")
        for k, header in enumerate(self.rows):
            inside = [block for block in self.schedules if self.loop_of.get(block) is header]
            self.lines.append(f"parts[{k}][0] = {self._iterations(header)};")
            self.lines.append(f"parts[{k}][1] = {self._cycles(inside)};")
            entered = self._entered(header) if header in self._streaming() else "0"
            self.lines.append(f"parts[{k}][2] = {entered};")
        outside = [block for block in self.schedules if block not in self.loop_of]
        self.lines.append(f"parts[{len(self.rows)}][0] = 1;")
        self.lines.append(
            f"parts[{len(self.rows)}][1] = {self.first_cycle} + {self._cycles(outside)} "
            "+ (done + 1 - now);"
        )
        self.lines.append(f"parts[{len(self.rows)}][2] = now;")
        self.lines.append("}")
        self.lines.append(f"return {self.answer};")

    def _leave(self) -> None:
        """What is done before the walk ends."""
        self.lines.append(f"arrays_free(arrays, {len(self.arrays)});")
        if self.processes:
            self.lines += self.processes.leave()

    def _stopped(self) -> None:
        """The end of a walk whose processes wait for each other, and of one that met arrays that
        overlap: nobody asks for its cycles."""
        if self.processes:
            self.lines += self.processes.turns()
            self._leave()
            self.lines.append(f"return {STUCK};")
        self.lines.append("overlapping: ;")
        self._leave()
        self.lines.append("return 0;")

    def _trapped(self, label: str, reason: str) -> None:
        self.lines += [f"{label}: ;", f"tandem_reason_text = {json.dumps(reason)};"]
        self._leave()
        self.lines.append(f"return {EXCEEDS};")

    def _waiting(self) -> None:
        self.lines.append("waiting: ;")
        self._leave()
        self.lines.append(f"return {WAITS};")
