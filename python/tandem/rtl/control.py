# SPDX-License-Identifier: Apache-2.0
"""Where control is: the tokens of blocks, and how they go from block to block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tandem.ir.blocks import Block, Branch, Join
from tandem.ir.functions import entries, returned
from tandem.ir.ops import Pop, Push, StreamOp
from tandem.ir.processes import processes, stream_ops, waiting_ops
from tandem.rtl.ports.names import signal_name
from tandem.rtl.text import Stage, Wire
from tandem.rtl.tokens import Ending, Named, Shift, Tokens
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

if TYPE_CHECKING:
    from tandem.rtl.emit import Emitter


CONTROL = Stage(-2, 0, "Control: in which blocks, and in which of their cycles, iterations are")


class Control:
    """The control of a kernel: `begin`, then what reads tokens, then what they are made of."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.module = emitter.module
        self.kernel = emitter.kernel
        self.entries: dict[Block, Wire] = {}
        self.active: dict[Block, Wire] = {}
        self.comes_back: dict[Block, Wire] = {}
        """Block that ends with a call or a join -> control comes back in this cycle."""

    def begin(self) -> None:
        """The tokens of all blocks, for the operations to read."""
        for block in self.kernel.blocks:
            name = self.module.unique(f"{self.emitter.labels[block]}_entered")
            self.entries[block] = Wire(f"%{name}", 1)
        for block, schedule in self.emitter.schedule.blocks.items():
            self._tokens(block, schedule)

    def lead(self) -> None:
        """Where control goes from each block."""
        for block, schedule in self.emitter.schedule.blocks.items():
            self._edges(block, schedule)
        started = processes(self.kernel)
        for function in (name for name in entries(self.kernel) if name not in started):
            self._return_from(function)

    def end(self) -> None:
        """The registers of all tokens that somebody asked for."""
        for block, tokens in self.emitter.tokens.items():
            tokens.drive(self._named(block))

    def _of_block(self, block: Block, register: Wire) -> Wire:
        """A register of a block's control, which is told to be of the block's line."""
        self.module.of_scope(register, f"control.{self.emitter.labels[block]}")
        self.module.of_stage(register, CONTROL)
        return self.module.of_line(register, _line(block, self.emitter.schedule.blocks[block]))

    def _register(self, block: Block, name: str, bits: int) -> Wire:
        """One of a block's control, driven later."""
        register = self.module.declare_register(f"{self.emitter.labels[block]}_{name}", bits)
        return self._of_block(block, register)

    def _named(self, block: Block) -> Named:
        return lambda name, bits: self._register(block, name, bits)

    def _flag(self, block: Block, name: str) -> Wire:
        """One of one bit, driven later."""
        return self._register(block, name, 1)

    def _tokens(self, block: Block, schedule: BlockSchedule) -> None:
        waits = any(isinstance(op, StreamOp) for op in block.ops)
        at_once = block is self.kernel.entry and self.emitter.schedule.begins_at_once
        cycles = schedule.token_cycles
        if schedule.ii or waits or at_once:
            cycles = cycles[1:]
        tokens = Tokens(self.module, self.emitter.labels[block], cycles, self.entries[block])
        self.emitter.tokens[block] = tokens
        if schedule.ii:
            tokens.enters = self._issue(block, schedule)
        elif waits:
            tokens.enters = self._turn(block)
        elif at_once:
            tokens.enters = self.emitter.start

    def _issue(self, block: Block, schedule: BlockSchedule) -> Wire:
        """An iteration starts: the loop is active, its records are there, there is room for its
        results, and none started in the cycles just before."""
        module = self.module
        active = self.active[block] = self._flag(block, "active")
        needs = [active, *self._asked(block)]
        before = range(1, min(schedule.ii, schedule.length))
        if before:
            recent = [self.emitter.tokens[block].at(cycle) for cycle in before]
            needs.append(module.invert(module.logic("or", recent)))
        issue = module.logic("and", needs, f"{self.emitter.labels[block]}_issue")
        self._issued(block, issue)
        return issue

    def _turn(self, block: Block) -> Wire:
        """A block that is no pipeline starts: it was entered, and what it asks of streams is
        there."""
        module = self.module
        waits = self._flag(block, "waiting")
        issue = module.logic(
            "and", [waits, *self._asked(block)], f"{self.emitter.labels[block]}_issue"
        )
        module.drive_flag(waits, [self.entries[block]], issue)
        self._issued(block, issue)
        return issue

    def _asked(self, block: Block) -> list[Wire]:
        """That the records are there which the block takes, and room for those that it gives."""
        needs = []
        for op in waiting_ops(block):
            queue = self.emitter.queues.get(op.memory.name)
            if queue is not None and isinstance(op, Push):
                needs.append(queue.has_room(self.emitter.schedule.blocks[block].records_before(op)))
            elif queue is not None:
                needs.append(queue.has_record)
            elif isinstance(op, Push):
                needs.append(self.emitter.fifos[op.memory.name].has_credit)
            else:
                needs.append(Wire(f"%{signal_name(op.memory.name, 'valid')}", 1))
        return needs

    def _issued(self, block: Block, issue: Wire) -> None:
        """Tells the streams that the block, or an iteration of it, starts."""
        for op in stream_ops(block, Pop):
            if op.memory.name not in self.emitter.queues:
                self.module.output(signal_name(op.memory.name, "ready"), issue)
        for op in stream_ops(block, Push):
            if op.memory.name in self.emitter.fifos:
                self.emitter.fifos[op.memory.name].issue = issue

    def _edges(self, block: Block, schedule: BlockSchedule) -> None:
        tokens, module, end = self.emitter.tokens[block], self.module, block.end
        if schedule.ii:
            self._loop_exit(block, schedule)
            return
        last = tokens.at(schedule.length - 1)
        if isinstance(end, Branch) and end.condition is not None:
            condition = self.emitter.datapath.at(block, end.condition, schedule.length - 1)
            for number, now in enumerate([condition, module.invert(condition)]):
                name = f"{tokens.label}_to_{self.emitter.labels[end.edges[number].block]}"
                tokens.taken[number] = module.logic("and", [last, now], name)
        else:
            tokens.taken = dict.fromkeys(range(max(1, len(end.edges))), last)

    def join(self) -> None:
        """Control goes on behind a join when no process runs: a register each says whether it
        does. What is left in FIFOs goes."""
        module, blocks = self.module, self.kernel.blocks
        running = []
        for process in processes(self.kernel):
            runs = module.declare_register(f"{process}_runs", 1)
            starts = [self.emitter.tokens[b].taken[0] for b in blocks if b.end.callee == process]
            ends = [self.emitter.tokens[b].taken[0] for b in returned(self.kernel, process)]
            module.of_stage(runs, CONTROL)
            module.drive_flag(runs, starts, module.any_of(ends))
            running.append(runs)
        joins = [block for block in blocks if isinstance(block.end, Join)]
        for block in joins:
            waits = self._flag(block, "joins")
            comes_back = module.logic("and", [waits, *map(module.invert, running)])
            module.drive_flag(waits, [self.emitter.tokens[block].taken[0]], comes_back)
            self.comes_back[block] = comes_back
        for queue in self.emitter.queues.values():
            queue.emit(module.logic("or", [self.comes_back[block] for block in joins]))

    def _return_from(self, function: str) -> None:
        """Where control goes on when the function returns: a register a call says that it is the
        one that waits."""
        module = self.module
        ends = [self.emitter.tokens[b].taken[0] for b in returned(self.kernel, function)]
        returns = module.any_of(ends)
        for block in self.kernel.blocks:
            if block.end.callee == function:
                waits = self._flag(block, "waits")
                module.drive_flag(waits, [self.emitter.tokens[block].taken[0]], returns)
                self.comes_back[block] = module.logic("and", [waits, returns])

    def _loop_exit(self, block: Block, schedule: BlockSchedule) -> None:
        tokens, module, end = self.emitter.tokens[block], self.module, block.end
        assert end.condition is not None
        back = 0 if end.edges[0].block is block else 1
        condition = self.emitter.datapath.at(block, end.condition, schedule.decide)
        leaves = condition if back else module.invert(condition)
        label = self.emitter.labels[block]
        last = module.logic("and", [tokens.at(schedule.decide), leaves], f"{label}_ends")
        tokens.ending = Ending(last, schedule.decide)
        module.drive_flag(self.active[block], [self.entries[block]], last)
        if schedule.leave > schedule.decide + 1:
            shift = Shift(module, f"{label}_last.", schedule.decide + 1, schedule.leave - 1)
            enters, last = last, shift.bit(schedule.leave - 1)
            shift.drive("last", self._named(block), enters)
        tokens.taken[1 - back] = self._stayed(block, schedule, last)

    def _stayed(self, block: Block, schedule: BlockSchedule, last: Wire) -> Wire:
        """A loop is left: not before it has stayed as long as it must."""
        if schedule.stay <= 1:
            return last
        module = self.module
        cycles = schedule.stay - 1
        left = self._register(block, "stays", cycles.bit_length())
        module.drive_down(left, self.entries[block], cycles)
        has_stayed = module.compare("eq", left, module.constant(0, left.width))
        waits = self._flag(block, "stays_on")
        leaves = module.logic("and", [module.logic("or", [last, waits]), has_stayed])
        module.drive_flag(waits, [module.logic("and", [last, module.invert(has_stayed)])], leaves)
        return leaves

    def _ways(self, source: Block, block: Block) -> Iterator[Wire]:
        """The wires that say that one block leads to another."""
        for number, edge in enumerate(source.end.edges):
            taken = self.emitter.tokens[source].taken.get(number)
            if edge.block is block and taken is not None:
                comes_back = source in self.comes_back and edge in source.end.onward
                yield self.comes_back[source] if comes_back else taken

    def enter(self) -> None:
        """The wires that say a block is entered in the next cycle."""
        for block in self.kernel.blocks:
            ways = [self.emitter.start] if block is self.kernel.entry else []
            ways += [way for source in self.kernel.blocks for way in self._ways(source, block)]
            names = ", ".join(w.name for w in ways) if ways else self.module.constant(0, 1).name
            hint = f'sv.namehint = "{self.emitter.labels[block]}_entered"'
            self.module.lines.append(
                f"{self.entries[block].name} = comb.or {names} {{{hint}}} : i1"
            )


def _line(block: Block, schedule: BlockSchedule) -> int:
    """The C line whose control a block's is, or 0."""
    return block.loop.line if schedule.ii else block.line


def labels_of(schedule: KernelSchedule) -> dict[Block, str]:
    """What blocks are called: after their C lines."""
    labels: dict[Block, str] = {}
    for block, s in schedule.blocks.items():
        line = _line(block, s)
        name = f"{'loop' if s.ii else 'line'}{line:d}" if line else block.name
        count = sum(label.split("_")[0] == name for label in labels.values())
        labels[block] = f"{name}_{count + 1}" if count else name
    return labels
