# SPDX-License-Identifier: Apache-2.0
"""A scheduled kernel -> one hw.module and its tables.

Control is a token. A straight-line block has it for as many cycles as the block is long; a loop
block starts an iteration with it every `ii` cycles while records and credits last, and passes it on
`leave` cycles after the last iteration has started, which may be before that has ended. A call
hands it to the function's first block, and a register says where it comes back to. In a pipeline
with an `ii` of 1 data moves on every cycle, and tokens say what of it is meant; elsewhere a token
enables the registers of its cycle.

`tandem.rtl.ports` says which ports it has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.blocks import Block, Return
from tandem.ir.functions import blocks_of, entries, returned
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Pop, Push
from tandem.ir.processes import fifos
from tandem.ir.wiring import Bits
from tandem.rtl.control import CONTROL, Control, labels_of
from tandem.rtl.cores import CoreEmitter
from tandem.rtl.datapath import Datapath
from tandem.rtl.memories import emit_memories, rom_module
from tandem.rtl.ports import PROTOCOLS, RESERVED, ROLES, port_name, signals_of
from tandem.rtl.streams import Fifo, OutputFifo
from tandem.rtl.text import Module, Stage, Wire, inner_module_name, module_name, told_name
from tandem.rtl.tokens import Tokens
from tandem.schedule.fifos import fifo_depth
from tandem.schedule.scheduled import KernelSchedule

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
    stages: dict[str, dict[str, Stage]] = field(default_factory=dict)
    """Module of the Verilog -> the stages of its registers."""
    first_bits: dict[str, int] = field(default_factory=dict)
    """As that of the Verilog's `Module`."""


class Emitter:
    """Emits one kernel."""

    def __init__(self, schedule: KernelSchedule, for_model: bool) -> None:
        self.for_model = for_model
        self.schedule = schedule
        self.kernel: Kernel = schedule.kernel
        self.module = Module(module_name(self.kernel.name), has_names=not for_model)
        if not for_model:
            self.module.source = told_name(self.kernel.source)
        self.labels = labels_of(schedule)
        self.tokens: dict[Block, Tokens] = {}
        self.fifos: dict[str, OutputFifo] = {}
        self.queues: dict[str, Fifo] = {}
        """FIFOs between processes."""
        self.inner: dict[str, str] = {}
        """Modules of memories: name -> text."""
        self.stages: dict[str, dict[str, Stage]] = {self.module.name: self.module.stages}
        """Module -> the stages of its registers."""
        self.datapath = Datapath(self)
        self.control = Control(self)

    def inner_name(self, name: str) -> str:
        """The module of a table, a memory or an operator of the kernel."""
        return inner_module_name(self.kernel.name, name)

    def text(self) -> str:
        """All modules of the kernel."""
        self._ports()
        for memory in fifos(self.kernel):
            depth = self.schedule.fifo_depths[memory.name]
            self.queues[memory.name] = Fifo(self.module, memory.name, memory.element_bits, depth)
        self.control.begin()
        for block in self.kernel.blocks:
            self.datapath.make_all(block)
        self.control.lead()
        self._given()
        self.control.join()
        self.control.enter()
        self.datapath.units.drive_multipliers()
        self.datapath.units.drive_cores()
        self.datapath.drive_parameters()
        emit_memories(self)
        self._pushes()
        for function in entries(self.kernel):
            self._returned(function)
        self._done()
        # What the last steps asked for may read parameters that nothing read before.
        self.datapath.drive_parameters()
        self.control.end()
        self._check_ports()
        roms = [m for m in self.kernel.memories.values() if m.kind is MemoryKind.ROM]
        parts = [rom_module(m, self.inner_name(m.name), as_case=not self.for_model) for m in roms]
        parts += self.datapath.operators.inner.values()
        parts += map(self._core_text, sorted({kind for kind, _ in self.datapath.units.cores}))
        return "".join([*parts, *self.inner.values()]) + self.module.text()

    def _core_text(self, kind: str) -> str:
        core = self.schedule.target.core(kind)
        emitter = CoreEmitter(core, self.inner_name(kind), self.for_model)
        text = emitter.text()
        self.stages[emitter.module.name] = emitter.module.stages
        return text

    # -- ports ----------------------------------------------------------------------------------

    def _ports(self) -> None:
        self._reserve_names()
        wires: dict[tuple[str, int], dict[str, Wire]] = defaultdict(dict)
        for signal in signals_of(self.kernel):
            if signal.name == "clk":
                self.module.inputs.append((signal.name, "!seq.clock"))
            elif signal.direction == "in":
                wire = self.module.input(signal.name, signal.bits)
                if signal.argument is not None:
                    wires[signal.protocol, signal.argument][signal.role] = wire
        self._take_values(wires)
        self.start = Wire("%start", 1)
        for argument in self.kernel.arguments:
            memory = argument.memory
            if memory is not None and memory.kind is MemoryKind.STREAM_OUT:
                self.fifos[memory.name] = self._fifo(memory.name, memory.element_bits)

    def _take_values(self, wires: Mapping[tuple[str, int], Mapping[str, Wire]]) -> None:
        """What arguments are that stay as they are during a call, out of the wires that they come
        on."""
        for (protocol, place), by_role in wires.items():
            value = PROTOCOLS[protocol].value
            if value is not None:
                op = self.kernel.arguments[place].op
                assert op is not None
                self.datapath.constants[op] = value(self.module, by_role)

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
            (b, o) for b, o in self.kernel.ops() if isinstance(o, Push) and o.memory.name == name
        )
        depth = fifo_depth(self.schedule.blocks[block].start[op])
        return OutputFifo(self.module, name, width, depth)

    def _pushes(self) -> None:
        for block, op in self.kernel.ops():
            if isinstance(op, Push) and op.memory.name in self.fifos:
                cycle = self.schedule.blocks[block].start[op]
                fifo = self.fifos[op.memory.name]
                fifo.push_enable = self.tokens[block].at(cycle)
                fifo.push_data = self.datapath.at(block, op.operands[0], cycle)
                fifo.emit()

    def _given(self) -> None:
        """What processes give each other, and take."""
        for block, op in self.kernel.ops():
            if not isinstance(op, (Pop, Push)) or op.memory.name not in self.queues:
                continue
            cycle = self.schedule.blocks[block].start[op]
            now = self.tokens[block].at(cycle)
            if op.enable is not None:
                now = self.module.logic("and", [now, self.datapath.at(block, op.enable, cycle)])
            if isinstance(op, Pop):
                self.queues[op.memory.name].taken.append(now)
            else:
                record = self.datapath.at(block, op.operands[0], cycle)
                self.queues[op.memory.name].given.append((now, record))

    def _done(self) -> None:
        module = self.module
        returns = [
            (b, self.tokens[b].taken[0])
            for b in blocks_of(self.kernel.entry)
            if isinstance(b.end, Return)
        ]
        ends = [taken for _, taken in returns]
        if self.schedule.ends_at_once:
            module.output("done", module.any_of(ends))
            return
        finished = module.of_stage(Wire("%finished", 1), CONTROL)
        if not self.fifos:
            module.drive_register(finished, module.any_of(ends), 0)
            module.output("done", finished)
        else:
            drained = [fifo.is_empty for fifo in self.fifos.values()]
            done = module.logic("and", [finished, *drained], "done")
            module.drive_flag(finished, ends, done)
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
        module.of_stage(register, Stage(len(self.kernel.blocks), 0, "What functions return"))
        self._take_result(register, blocks)
        module.output("result", register)

    def _returned(self, function: str) -> None:
        """The register that holds what the last call of a function has returned."""
        if function in self.datapath.results:
            self._take_result(self.datapath.results[function], returned(self.kernel, function))

    def _take_result(self, register: Wire, returns: list[Block]) -> None:
        """Has a register take what is returned."""
        ways: list[tuple[Wire, Wire]] = []
        for block in returns:
            assert block.end.value is not None
            cycle = self.schedule.blocks[block].length - 1
            value = self.datapath.at(block, block.end.value, cycle)
            ways.append((self.tokens[block].taken[0], value))
        self.module.drive_chosen(register, ways)


def emit_kernel(schedule: KernelSchedule) -> Hardware:
    """The hardware of a scheduled kernel, as CIRCT text without the enclosing module."""
    verilog, model = Emitter(schedule, for_model=False), Emitter(schedule, for_model=True)
    hardware = Hardware(verilog.text(), model.text(), module_name(schedule.kernel.name))
    hardware.fixed = {name: bits for bits, name in model.datapath.fixed.items()}
    hardware.register_lines = model.module.register_lines
    hardware.register_scopes = model.module.register_scopes
    hardware.stages = verilog.stages
    hardware.first_bits = verilog.module.first_bits
    hardware.fifo_depths = {name: fifo.depth for name, fifo in verilog.fifos.items()}
    return hardware
