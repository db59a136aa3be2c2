# SPDX-License-Identifier: Apache-2.0
"""C that takes processes through their blocks in time, each with a cycle of its own.

A process goes on until it needs a record that is not known yet, or room of which it is not known
when there is some; then another one goes on. What it needs follows from cycles alone: a record is
there `PUSH_TO_VALID_CYCLES` after it was given, and its place is free the cycle after it was taken.
So the order in which they are walked does not matter.

What a poll answers is known as soon as the other end has been walked up to that cycle. Where nobody
can go on without an answer, the poll in the earliest cycle has one: whatever anybody still does
comes later, and is seen later still. If none can go on and none has asked, none ever will. All
answers are kept, process by process: the C of the kernel is given them where it asks
(`include/tandem/stream.h`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tandem.ir.blocks import Block
from tandem.ir.kernel import Kernel
from tandem.ir.names import plain
from tandem.ir.ops import GIVING, Op, Poll, Pop, Push, Room
from tandem.ir.ops.c import c_type
from tandem.ir.processes import fifos, process_of, processes, stream_ops, waiting_ops
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

MOST_IN_VAIN = 1 << 26
"""Polls without an answer in a row, while nobody gives or takes a record: after so many, a second
of walking, none will come."""

LACKS = ("TANDEM_NO_RECORD", "TANDEM_NO_ROOM")
"""What one waits for that takes, and that gives."""

TOP = 0
"""The kernel's own blocks, as a process."""


class Processes:
    """What processes add to a walk."""

    def __init__(self, kernel: Kernel, schedule: KernelSchedule) -> None:
        self.kernel = kernel
        self.depths = schedule.fifo_depths
        self.first_cycle = 0 if schedule.begins_at_once else 1
        names = [kernel.name, *processes(kernel)]
        self.names = names
        self.home = {block: names.index(name) for block, name in process_of(kernel).items()}
        self.fifos = fifos(kernel)
        self.numbers = {memory.name: i for i, memory in enumerate(self.fifos)}
        self.polls: dict[Op, int] = {
            o: i for i, (_, o) in enumerate(kernel.ops()) if isinstance(o, Poll)
        }
        self.stuck: list[str] = []
        """C that says of every place where a process may wait what it waits for."""
        self.labels = 0

    def time(self, block: Block) -> str:
        """The variable with the cycle in which a block's process goes on."""
        return f"t_{self.home.get(block, TOP)}"

    def declarations(self) -> Iterator[str]:
        count = len(self.names)
        yield f"uint64_t {', '.join(f't_{i} = {self.first_cycle}' for i in range(count))};"
        yield f"void *resume[{count}] = {{0}};"
        yield f"int waits[{count}] = {{0}}, turn = 0, idle = 0, running = 0;"
        if self.polls:
            yield from self._declare_polls(count)
        yield "const struct tandem_use use = tandem_use; (void)use;"
        depths = ", ".join(str(self.depths[memory.name]) for memory in self.fifos)
        yield f"static const uint32_t depths[] = {{{depths}}};"
        yield "const uint32_t *depth = tandem_depths_tried ? tandem_depths_tried : depths;"
        for i, memory in enumerate(self.fifos):
            yield f"struct tandem_fifo f_{memory.name} = tandem_fifo_of(depth[{i}]);"
            kind = c_type(memory.element_bits)
            yield f"{kind} *q_{memory.name} = calloc(depth[{i}], sizeof *q_{memory.name});"
        for block in self.kernel.blocks:
            if any(stream_ops(block)):
                yield f"uint64_t {self.start(block)} = 0; (void){self.start(block)};"

    def _declare_polls(self, count: int) -> Iterator[str]:
        """`asked`: the cycle of the poll for whose answer a process waits; `chosen`: the process
        that is given one; `teller`: under which number its answers are kept."""
        yield f"uint64_t asked[{count}], in_vain = 0; int chosen = -1; uint32_t teller[{count}];"
        yield f"for (int i = 0; i < {count}; i++) asked[i] = TANDEM_NEVER, teller[i] = 0;"
        yield f"int {', '.join(f'{self.answer(op)} = 0' for op in self.polls)};"
        yield "tandem_tellers = 0;"

    def leave(self) -> Iterator[str]:
        for memory in self.fifos:
            yield f"free(f_{memory.name}.given); free(q_{memory.name});"

    # -- waiting --------------------------------------------------------------------------------

    def begin(self, block: Block, schedule: BlockSchedule, label: str, runs: str) -> Iterator[str]:
        """Behind a block's `label`: it starts when what it waits for is there, and then asks."""
        if not any(stream_ops(block)):
            return
        home, start = self.home.get(block, TOP), self.start(block)
        yield "{"
        first = self.time(block)
        yield f"uint64_t t = {first};"
        if schedule.ii:
            yield f"if ({runs}) t = {start} + {schedule.ii};"
        waiting = list(waiting_ops(block))
        if waiting:
            yield "uint64_t before, ready = t; uint32_t last = 0; int lacks = 0; do { before = t;"
            for op in waiting:
                wait = self._wait(home, label, self._waits_for(block, op))
                fifo, lacks = self.numbers[op.memory.name], LACKS[isinstance(op, Push)]
                yield f"{{ uint64_t can = {self._earliest(op, schedule)};"
                yield f"if (can == TANDEM_NEVER) {wait}"
                yield f"if (can != t) t = can, last = {fifo}, lacks = {lacks}; }}"
            yield "} while (t != before);"
        yield from self._ask(block, schedule, label)
        if waiting:
            yield "tandem_waited(&use, last, lacks, ready, t);"
        yield f"idle = 0; {start} = t;"
        if not schedule.ii:
            yield f"{first} = t;"
        yield "}"

    def _ask(self, block: Block, schedule: BlockSchedule, label: str) -> Iterator[str]:
        """What polls answer in the block's cycle `t`."""
        polls = list(stream_ops(block, Poll))
        if not polls:
            return
        home = self.home.get(block, TOP)
        for op in polls:
            yield f"{self.answer(op)} = {self._asked(op, schedule)};"
        is_open = " || ".join(f"{self.answer(op)} == TANDEM_OPEN" for op in polls)
        wait = self._wait(home, label, self._waits_for(block, polls[0]))
        yield f"if ({is_open}) {{ if (chosen != {home}) {{ asked[{home}] = t; {wait} }}"
        for op in polls:
            yield f"if ({self.answer(op)} == TANDEM_OPEN) {self.answer(op)} = 0;"
        yield "}"
        yield f"chosen = -1; asked[{home}] = TANDEM_NEVER;"

    def answer(self, poll: Op) -> str:
        """The variable with what a poll has answered last."""
        return f"answer_{self.polls[poll]}"

    def _asked(self, op: Op, schedule: BlockSchedule) -> str:
        if not isinstance(op, Room):
            return f"tandem_has(&f_{op.memory.name}, t)"
        on_way = schedule.records_before(self._scheduled(op, schedule))
        return f"tandem_has_room(&f_{op.memory.name}, t, {on_way})"

    def start(self, block: Block) -> str:
        """The variable with the cycle in which a block, or its last iteration, has started."""
        return f"s_{block.name}"

    def _earliest(self, op: Op, schedule: BlockSchedule) -> str:
        if not isinstance(op, Push):
            return f"tandem_record(&f_{op.memory.name}, t)"
        on_way = schedule.records_before(self._scheduled(op, schedule))
        return f"tandem_room(&f_{op.memory.name}, t, {on_way})"

    def _scheduled(self, op: Op, schedule: BlockSchedule) -> Op:
        """The operation as it was scheduled, in another kernel: a block has one of a kind for a
        FIFO."""
        there = stream_ops(schedule.block, type(op))
        return next(o for o in there if o.memory.name == op.memory.name)

    def _waits_for(self, block: Block, op: Op) -> str:
        what = "room in" if isinstance(op, GIVING) else "a record of"
        what = f"{'asks' if isinstance(op, Poll) else 'waits'} for {what}"
        name, fifo = plain(self.names[self.home.get(block, TOP)], "f"), op.memory.name
        return f'tandem_says("{name}", {op.line:d}, "{what}", "{fifo}", &f_{fifo});'

    def _wait(self, home: int, label: str, says: str) -> str:
        self.stuck.append(f"if (waits[{home}] == {len(self.stuck)}) {says}")
        number = len(self.stuck) - 1
        return f"{{ resume[{home}] = &&{label}; waits[{home}] = {number}; goto next_turn; }}"

    # -- records --------------------------------------------------------------------------------

    def take(self, block: Block, op: Op, name: str) -> Iterator[str]:
        """A record is taken, or looked at; its value goes to the variable `name` if there is
        one."""
        fifo = f"f_{op.memory.name}"
        if name:
            yield f"{name} = q_{op.memory.name}[{fifo}.takes & ({fifo}.depth - 1)];"
        if isinstance(op, Pop):
            yield "in_vain = 0;" if self.polls else ""
            number, cycle = self.numbers[op.memory.name], self.start(block)
            yield f"{fifo}.taken[{fifo}.takes++ & ({fifo}.depth - 1)] = {cycle};"
            yield f"tandem_used(&use, {number}, TANDEM_TAKEN, {cycle}, 1);"

    def give(self, block: Block, op: Op, schedule: BlockSchedule, value: str) -> str:
        """C of a record that is given, with its value if that is asked for."""
        fifo = f"f_{op.memory.name}"
        cycle = schedule.start[self._scheduled(op, schedule)]
        place = f"{fifo}.gives & ({fifo}.depth - 1)"
        kept = f"q_{op.memory.name}[{place}] = {value}; " if value else ""
        moved = " in_vain = 0;" if self.polls else ""
        given = f"{self.start(block)} + {cycle}"
        used = f" tandem_used(&use, {self.numbers[op.memory.name]}, TANDEM_GIVEN, {given}, 1);"
        return f"{kept}{fifo}.given[{place}] = {given}; {fifo}.gives++;{used}{moved}"

    def asks(self, block: Block, op: Op, name: str) -> Iterator[str]:
        """A poll's answer is kept, and goes to the variable `name` if there is one."""
        yield f"tandem_answer(teller[{self.home.get(block, TOP)}], {self.answer(op)});"
        if name:
            yield f"{name} = {self.answer(op)};"

    # -- processes ------------------------------------------------------------------------------

    def begins(self, block: Block, process: str) -> tuple[str, str]:
        """(the label where it begins, C that has it begin) of a process that a block starts."""
        number = self.names.index(process)
        label = f"begin_{number}"
        told = f"teller[{number}] = tandem_teller(); " if self.polls else ""
        begins = f"t_{number} = {self.time(block)}; resume[{number}] = &&{label}; running++;"
        return label, told + begins

    def ended(self, process: str) -> Iterator[str]:
        yield f"resume[{self.names.index(process)}] = 0; running--; idle = 0; goto next_turn;"

    def join(self, block: Block) -> Iterator[str]:
        """Until all have returned, the others have their turns."""
        self.labels += 1
        label = f"join_{self.labels}"
        yield f"{label}: ;"
        yield f"if (running) {self._wait(TOP, label, ';')}"
        yield "idle = 0;"
        own = self.time(block)
        for i in range(1, len(self.names)):
            yield f"if ({own} < t_{i}) {own} = t_{i};"
        yield f"{own}++;"
        for i, memory in enumerate(self.fifos):
            fifo = f"f_{memory.name}"
            yield f"tandem_used(&use, {i}, TANDEM_TAKEN, {own}, {fifo}.gives - {fifo}.takes);"
            yield f"{fifo}.gives = {fifo}.takes = 0;"

    def turns(self) -> Iterator[str]:
        """The end of the walk: who goes on next, and what if nobody can."""
        count = len(self.names)
        yield "next_turn: ;"
        yield f"if (++idle > {count}) {{"
        if self.polls:
            yield from self._choose(count)
        yield "goto stuck; }"
        yield f"do turn = (turn + 1) % {count}; while (!resume[turn]);"
        yield "goto *resume[turn];"
        yield "stuck: ;"
        yield "tandem_stuck_text[0] = 0;"
        for i in range(count):
            yield f"if (!resume[{i}]) waits[{i}] = -1;"
        yield from self.stuck

    def _choose(self, count: int) -> Iterator[str]:
        """The poll in the earliest cycle has an answer: there is nothing."""
        yield "chosen = 0;"
        yield f"for (int i = 1; i < {count}; i++) if (asked[i] < asked[chosen]) chosen = i;"
        yield f"if (asked[chosen] != TANDEM_NEVER && ++in_vain < {MOST_IN_VAIN}) {{"
        yield "idle = 0; goto *resume[turn = chosen]; }"
