# SPDX-License-Identifier: Apache-2.0
"""A scheduled kernel -> one hw.module and its tables.

Control is a token. A straight-line block has it for as many cycles as the block is long; a loop
block starts an iteration with it every `ii` cycles while records and credits last, and passes it on
`leave` cycles after the last iteration has started, which may be before that has ended. A call
hands it to the function's first block, and a register says where it comes back to. No clock enable
reaches the data registers: data moves on every cycle, and tokens say what of it is meant.

`tandem.rtl.ports` says which ports it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.functions import blocks_of, entries, returned
from tandem.ir.kernel import Block, Kernel
from tandem.ir.operations import STREAM
from tandem.ir.processes import fifos, processes, stream_ops, waiting_ops
from tandem.ir.wiring import Bits
from tandem.rtl.cores import CoreEmitter
from tandem.rtl.datapath import Datapath
from tandem.rtl.memories import emit_memories, rom_module
from tandem.rtl.ports import RESERVED, ROLES, Signal, port_name, signal_name, signals_of
from tandem.rtl.streams import Fifo, OutputFifo
from tandem.rtl.text import Module, Wire, inner_module_name, module_name, told_name
from tandem.schedule.fifos import fifo_depth
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

MEMORY_SUFFIXES = (*(f"_{role}" for role in sorted(ROLES)), "_fifo", "_fifo_data", "_cells")
"""What follows a memory's name in the names of its ports and wires; and `_read_data_1` and so on,
of the reading ports that a target has."""


@dataclass
class Hardware:
    """A kernel's hardware as CIRCT text, once to become Verilog and once to become a model (they
    differ in how tables are written), and what its models need to know of it."""

    verilog_text: str
    model_text: str
    name: str
    fixed: dict[str, Bits] = field(default_factory=dict)
    """Extra inputs of the model: wiring of arguments, which do not change while the kernel runs."""
    fifo_depths: dict[str, int] = field(default_factory=dict)
    register_lines: dict[str, int] = field(default_factory=dict)
    register_scopes: dict[str, str] = field(default_factory=dict)
    """As those of the model's `Module`."""


@dataclass
class _Tokens:
    """The control signals of one block. `valid`: cycle of an iteration -> one is in it."""

    valid: dict[int, Wire] = field(default_factory=dict)
    enter: Wire | None = None
    taken: dict[int, Wire] = field(default_factory=dict)
    """Edge number -> it is taken in this cycle."""


class Emitter:
    """Emits one kernel."""

    def __init__(self, schedule: KernelSchedule, for_model: bool) -> None:
        self.for_model = for_model
        self.schedule = schedule
        self.kernel: Kernel = schedule.kernel
        self.module = Module(module_name(self.kernel.name))
        if not for_model:
            self.module.source = told_name(self.kernel.source)
        self.labels = _labels(schedule)
        self.tokens: dict[Block, _Tokens] = {}
        self.entries: dict[Block, Wire] = {}
        self.comes_back: dict[Block, Wire] = {}
        """Block that ends with a call or a join -> control comes back in this cycle."""
        self.fifos: dict[str, OutputFifo] = {}
        self.queues: dict[str, Fifo] = {}
        """FIFOs between processes."""
        self.inner: dict[str, str] = {}
        """Modules of memories: name -> text."""
        self.datapath = Datapath(self)

    def inner_name(self, name: str) -> str:
        """The module of a table, a memory or an operator of the kernel."""
        return inner_module_name(self.kernel.name, name)

    def text(self) -> str:
        """All modules of the kernel."""
        self._ports()
        for memory in fifos(self.kernel):
            depth = self.schedule.fifo_depths[memory.name]
            self.queues[memory.name] = Fifo(self.module, memory.name, memory.element_bits, depth)
        for block in self.kernel.blocks:
            self.entries[block] = Wire(f"%{self.module.unique(f'{self.labels[block]}_entered')}", 1)
        for block in self.kernel.blocks:
            self._control(block, self.schedule.blocks[block])
        for block in self.kernel.blocks:
            self.datapath.make_all(block)
        for block in self.kernel.blocks:
            self._edges(block, self.schedule.blocks[block])
        self._given()
        started = processes(self.kernel)
        for function in (name for name in entries(self.kernel) if name not in started):
            self._return_from(function)
        self._join()
        self._entered()
        self.datapath.drive_multipliers()
        self.datapath.drive_cores()
        self.datapath.drive_parameters()
        emit_memories(self)
        self._pushes()
        for function in entries(self.kernel):
            self._returned(function)
        self._done()
        # What the last steps asked for may read parameters that nothing read before.
        self.datapath.drive_parameters()
        self._check_ports()
        roms = [m for m in self.kernel.memories.values() if m.kind == "rom"]
        parts = [rom_module(m, self.inner_name(m.name), as_case=not self.for_model) for m in roms]
        parts += self.datapath.inner.values()
        parts += map(self._core_text, sorted({kind for kind, _ in self.datapath.cores}))
        return "".join([*parts, *self.inner.values()]) + self.module.text()

    def _core_text(self, kind: str) -> str:
        core = self.schedule.target.core(kind)
        return CoreEmitter(core, self.inner_name(kind), self.for_model).text()

    # -- ports ----------------------------------------------------------------------------------

    def _ports(self) -> None:
        self._reserve_names()
        for signal in signals_of(self.kernel):
            if signal.name == "clk":
                self.module.inputs.append((signal.name, "!seq.clock"))
            elif signal.direction == "in":
                self._input(signal)
        self.start = Wire("%start", 1)
        for argument in self.kernel.arguments:
            memory = argument.memory
            if memory is not None and memory.kind == "stream_out":
                self.fifos[memory.name] = self._fifo(memory.name, memory.element_bits)

    def _input(self, signal: Signal) -> None:
        wire = self.module.input(signal.name, signal.bits)
        if signal.protocol == "value" and signal.argument is not None:
            op = self.kernel.arguments[signal.argument].op
            assert op is not None
            self.datapath.constants[op] = wire

    def _check_ports(self) -> None:
        """Whoever attaches the kernel goes by what `signals_of` says."""
        given = {(name, kind) for name, kind, _ in self.module.outputs}
        outputs = [s for s in signals_of(self.kernel) if s.direction == "out"]
        told = {(signal.name, f"i{signal.bits}") for signal in outputs}
        if given != told or len(self.module.outputs) != len(outputs):
            names = ", ".join(sorted(name for name, _ in given ^ told))
            raise InternalError(Diagnostic("ports", f"the ports differ from the port map: {names}"))

    def _reserve_names(self) -> None:
        """Every name that is taken before registers get theirs, which come from the C."""
        self.module.reserve(RESERVED)
        for argument in self.kernel.arguments:
            self.module.reserve([port_name(argument.name)])
        ports = range(1, self.schedule.target.memories.read_ports)
        suffixes = [*MEMORY_SUFFIXES, *(f"_read_data_{port}" for port in ports)]
        for name in self.kernel.memories:
            self.module.reserve(name + suffix for suffix in suffixes)

    def _fifo(self, name: str, width: int) -> OutputFifo:
        block, op = next(
            (b, o) for b, o in self.kernel.ops() if o.kind == "push" and o.memory == name
        )
        depth = fifo_depth(self.schedule.blocks[block].start[op])
        return OutputFifo(self.module, name, width, depth)

    # -- control --------------------------------------------------------------------------------

    def _of_block(self, block: Block, register: Wire) -> Wire:
        """A register of a block's control, which is told to be of the block's line."""
        self.module.of_scope(register, f"control.{self.labels[block]}")
        return self.module.of_line(register, _line(block, self.schedule.blocks[block]))

    def _flag(self, block: Block, name: str) -> Wire:
        """One of one bit, driven later."""
        register = self.module.declare_register(f"{self.labels[block]}_{name}", 1)
        return self._of_block(block, register)

    def _follows(self, block: Block, name: str, following: Wire) -> Wire:
        """One of one bit that is what `following` was a cycle before."""
        register = self._flag(block, name)
        self.module.drive_register(register, following, 0)
        return register

    def _counts_down(self, block: Block, name: str, start: Wire, cycles: int) -> Wire:
        left = self.module.counts_down(f"{self.labels[block]}_{name}", start, cycles)
        return self._of_block(block, left)

    def _control(self, block: Block, schedule: BlockSchedule) -> None:
        tokens = _Tokens(enter=self.entries[block])
        self.tokens[block] = tokens
        valid = {i: self._flag(block, f"valid{i}") for i in schedule.token_cycles[1:]}
        if schedule.ii:
            recent = [valid[i] for i in range(1, min(schedule.ii, schedule.length))]
            first = self._issue(block, recent)
        elif any(op.kind in STREAM for op in block.ops):
            first = self._turn(block)
        elif block is self.kernel.entry and self.schedule.begins_at_once:
            first = self.start
        else:
            first = self._follows(block, "valid0", self.entries[block])
        tokens.valid = {0: first, **valid}

    def _issue(self, block: Block, recent: list[Wire]) -> Wire:
        """An iteration starts: the loop is active, its records are there, there is room for its
        results, and none started in the cycles just before, whose tokens are `recent`."""
        module = self.module
        active = self._flag(block, "active")
        self.datapath.active[block] = active
        needs = [active, *self._asked(block)]
        if recent:
            needs.append(module.invert(module.logic("or", recent)))
        issue = module.logic("and", needs, f"{self.labels[block]}_issue")
        self._issued(block, issue)
        return issue

    def _turn(self, block: Block) -> Wire:
        """A block that is no pipeline starts: it was entered, and what it asks of streams is
        there."""
        module = self.module
        waits = self._flag(block, "waiting")
        issue = module.logic("and", [waits, *self._asked(block)], f"{self.labels[block]}_issue")
        module.drive_flag(waits, [self.entries[block]], issue)
        self._issued(block, issue)
        return issue

    def _asked(self, block: Block) -> list[Wire]:
        """That the records are there which the block takes, and room for those that it gives."""
        needs = []
        for op in waiting_ops(block):
            queue = self.queues.get(op.memory)
            if queue is not None and op.kind == "push":
                needs.append(queue.has_room(self.schedule.blocks[block].records_before(op)))
            elif queue is not None:
                needs.append(queue.has_record)
            elif op.kind == "push":
                needs.append(self.fifos[op.memory].has_credit)
            else:
                needs.append(Wire(f"%{signal_name(op.memory, 'valid')}", 1))
        return needs

    def _issued(self, block: Block, issue: Wire) -> None:
        """Tells the streams that the block, or an iteration of it, starts."""
        for op in stream_ops(block, "pop"):
            if op.memory not in self.queues:
                self.module.output(signal_name(op.memory, "ready"), issue)
        for op in stream_ops(block, "push"):
            if op.memory in self.fifos:
                self.fifos[op.memory].issue = issue

    def _edges(self, block: Block, schedule: BlockSchedule) -> None:
        tokens, module, end = self.tokens[block], self.module, block.end
        if schedule.ii:
            self._loop_exit(block, schedule)
            return
        self._advance(block)
        last = tokens.valid[schedule.length - 1]
        if end.kind == "branch" and end.condition is not None:
            condition = self.datapath.at(block, end.condition, schedule.length - 1)
            tokens.taken[0] = module.logic("and", [last, condition])
            tokens.taken[1] = module.logic("and", [last, module.invert(condition)])
        else:
            tokens.taken = dict.fromkeys(range(max(1, len(end.edges))), last)

    def _join(self) -> None:
        """Control goes on behind a join when no process runs: a register each says whether it
        does. What is left in FIFOs goes."""
        module, blocks = self.module, self.kernel.blocks
        running = []
        for process in processes(self.kernel):
            runs = module.declare_register(f"{process}_runs", 1)
            starts = [self.tokens[b].taken[0] for b in blocks if b.end.callee == process]
            ends = [self.tokens[b].taken[0] for b in returned(self.kernel, process)]
            module.drive_flag(runs, starts, module.logic("or", ends))
            running.append(runs)
        joins = [block for block in blocks if block.end.kind == "join"]
        for block in joins:
            waits = self._flag(block, "joins")
            comes_back = module.logic("and", [waits, *map(module.invert, running)])
            module.drive_flag(waits, [self.tokens[block].taken[0]], comes_back)
            self.comes_back[block] = comes_back
        for queue in self.queues.values():
            queue.emit(module.logic("or", [self.comes_back[block] for block in joins]))

    def _return_from(self, function: str) -> None:
        """Where control goes on when the function returns: a register a call says that it is the
        one that waits."""
        module = self.module
        ends = [self.tokens[b].taken[0] for b in returned(self.kernel, function)]
        returns = module.logic("or", ends) if ends else module.constant(0, 1)
        for block in self.kernel.blocks:
            if block.end.callee == function:
                waits = self._flag(block, "waits")
                module.drive_flag(waits, [self.tokens[block].taken[0]], returns)
                self.comes_back[block] = module.logic("and", [waits, returns])

    def _advance(self, block: Block, leaves: Wire | None = None, decide: int = 0) -> None:
        """Tokens move on every cycle, over long waits by a counter; those of iterations after the
        last end where it `leaves`."""
        module = self.module
        for (cycle, before), (later, register) in pairwise(self.tokens[block].valid.items()):
            following = before
            if later > cycle + 1:
                left = self._counts_down(block, f"waits{cycle}", before, later - cycle - 1)
                following = module.compare("eq", left, module.constant(1, left.width))
            elif leaves is not None and cycle < decide:
                following = module.logic("and", [before, module.invert(leaves)])
            module.drive_register(register, following, 0)

    def _loop_exit(self, block: Block, schedule: BlockSchedule) -> None:
        tokens, module, end = self.tokens[block], self.module, block.end
        assert end.condition is not None
        back = 0 if end.edges[0].block is block else 1
        condition = self.datapath.at(block, end.condition, schedule.decide)
        leaves = condition if back else module.invert(condition)
        last = module.logic("and", [tokens.valid[schedule.decide], leaves])
        self._advance(block, last, schedule.decide)
        module.drive_flag(self.datapath.active[block], [self.entries[block]], last)
        for stage in range(schedule.decide + 1, schedule.leave):
            last = self._follows(block, f"last{stage}", last)
        tokens.taken[1 - back] = self._stayed(block, schedule, last)

    def _stayed(self, block: Block, schedule: BlockSchedule, last: Wire) -> Wire:
        """A loop is left: not before it has stayed as long as it must."""
        if schedule.stay <= 1:
            return last
        module = self.module
        left = self._counts_down(block, "stays", self.entries[block], schedule.stay - 1)
        has_stayed = module.compare("eq", left, module.constant(0, left.width))
        waits = self._flag(block, "stays_on")
        leaves = module.logic("and", [module.logic("or", [last, waits]), has_stayed])
        module.drive_flag(waits, [module.logic("and", [last, module.invert(has_stayed)])], leaves)
        return leaves

    def _pushes(self) -> None:
        for block, op in self.kernel.ops():
            if op.kind == "push" and op.memory in self.fifos:
                cycle = self.schedule.blocks[block].start[op]
                fifo = self.fifos[op.memory]
                fifo.push_enable = self.tokens[block].valid[cycle]
                fifo.push_data = self.datapath.at(block, op.operands[0], cycle)
                fifo.emit()

    def _given(self) -> None:
        """What processes give each other, and take."""
        for block, op in self.kernel.ops():
            if op.memory not in self.queues or op.kind not in ("pop", "push"):
                continue
            cycle = self.schedule.blocks[block].start[op]
            now = self.tokens[block].valid[cycle]
            if op.enable is not None:
                now = self.module.logic("and", [now, self.datapath.at(block, op.enable, cycle)])
            if op.kind == "pop":
                self.queues[op.memory].taken.append(now)
            else:
                record = self.datapath.at(block, op.operands[0], cycle)
                self.queues[op.memory].given.append((now, record))

    def _entered(self) -> None:
        """The wires that say a block is entered in the next cycle."""
        for block in self.kernel.blocks:
            ways = [self.start] if block is self.kernel.entry else []
            for source in self.kernel.blocks:
                for number, edge in enumerate(source.end.edges):
                    if edge.block is not block or number not in self.tokens[source].taken:
                        continue
                    comes_back = source in self.comes_back and edge in source.end.onward
                    taken = self.tokens[source].taken[number]
                    ways.append(self.comes_back[source] if comes_back else taken)
            names = ", ".join(w.name for w in ways) if ways else self.module.constant(0, 1).name
            self.module.lines.append(f"{self.entries[block].name} = comb.or {names} : i1")

    def _done(self) -> None:
        module = self.module
        returns = [
            (b, self.tokens[b].taken[0])
            for b in blocks_of(self.kernel.entry)
            if b.end.kind == "return"
        ]
        if self.schedule.ends_at_once:
            module.output("done", module.logic("or", [taken for _, taken in returns]))
            return
        finished = Wire("%finished", 1)
        drained = [fifo.is_empty for fifo in self.fifos.values()]
        done = module.logic("and", [finished, *drained])
        now = module.logic("or", [finished, *(taken for _, taken in returns)])
        module.drive_register(finished, module.logic("and", [now, module.invert(done)]), 0)
        module.output("done", done)
        self._result(returns)

    def _result(self, returns: list[tuple[Block, Wire]]) -> None:
        module = self.module
        result = next((a for a in self.kernel.arguments if a.is_result), None)
        if result is None:
            return
        blocks = [block for block, _ in returns]
        if len(blocks) == 1 and blocks[0].end.value is not None:
            lasting = self.datapath.lasting(blocks[0], blocks[0].end.value)
            if lasting is not None:
                module.output("result", lasting)
                return
        register = module.declare_register("result_value", result.width)
        self._take_result(register, blocks)
        module.output("result", register)

    def _returned(self, function: str) -> None:
        """The register that holds what the last call of a function has returned."""
        if function in self.datapath.results:
            self._take_result(self.datapath.results[function], returned(self.kernel, function))

    def _take_result(self, register: Wire, returns: list[Block]) -> None:
        """Has a register take what is returned."""
        following = register
        for block in returns:
            assert block.end.value is not None
            cycle = self.schedule.blocks[block].length - 1
            value = self.datapath.at(block, block.end.value, cycle)
            following = self.module.mux(self.tokens[block].taken[0], value, following)
        self.module.drive_register(register, following)


def _line(block: Block, schedule: BlockSchedule) -> int:
    """The C line whose control a block's is, or 0."""
    return block.loop.line if schedule.ii else block.line


def _labels(schedule: KernelSchedule) -> dict[Block, str]:
    """What blocks are called: after their C lines."""
    labels: dict[Block, str] = {}
    for block, s in schedule.blocks.items():
        line = _line(block, s)
        name = f"{'loop' if s.ii else 'line'}{line:d}" if line else block.name
        count = sum(label.split("_")[0] == name for label in labels.values())
        labels[block] = f"{name}_{count + 1}" if count else name
    return labels


def emit_kernel(schedule: KernelSchedule) -> Hardware:
    """The hardware of a scheduled kernel, as CIRCT text without the enclosing module."""
    verilog, model = Emitter(schedule, for_model=False), Emitter(schedule, for_model=True)
    hardware = Hardware(verilog.text(), model.text(), module_name(schedule.kernel.name))
    hardware.fixed = {name: bits for bits, name in model.datapath.fixed.items()}
    hardware.register_lines = model.module.register_lines
    hardware.register_scopes = model.module.register_scopes
    hardware.fifo_depths = {name: fifo.depth for name, fifo in verilog.fifos.items()}
    return hardware
