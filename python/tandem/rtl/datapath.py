# SPDX-License-Identifier: Apache-2.0
"""Values in time: which wire carries a value in which cycle of its block.

In a pipelined loop a value moves one register a cycle, away from its operation. Elsewhere, and for
what leaves a loop, one register keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tandem.ir.kernel import Block, Op
from tandem.ir.names import is_told_by_clang
from tandem.ir.operations import COMPARE, LOGIC, SHIFT, WIRING
from tandem.ir.wiring import Bits, bits_of, is_sign_extended, multiplier_bits, segments
from tandem.rtl.dividers import divider_module
from tandem.rtl.memories import read_data
from tandem.rtl.ports import signal_name
from tandem.rtl.streams import Fifo
from tandem.rtl.text import Module, Stage, Wire

if TYPE_CHECKING:
    from tandem.rtl.cores import CoreEmitter
    from tandem.rtl.emit import Emitter

Unit = tuple[str, int]
"""The name of a core, and its number."""


def operand_port(number: int) -> str:
    """The port of a core for an operand."""
    return f"operand{number}"


@dataclass(frozen=True)
class Multiplier:
    """A multiplier that products share: the registers of its factors, and what comes out."""

    factors: list[Wire]
    product: Wire


class Datapath:
    """The wires of a kernel's values."""

    def __init__(self, emitter: Emitter | CoreEmitter) -> None:
        self.emitter = emitter
        self.module = emitter.module
        self.constants: dict[Op, Wire] = {}
        self.results: dict[str, Wire] = {}
        """Function -> the register of what its last call has returned."""
        self.home: dict[Op, Block] = {}
        self.fixed: dict[Bits, str] = {}
        self.inner: dict[str, str] = {}
        """Modules of operations that have one of their own: name -> text."""
        self.multipliers: dict[int, Multiplier] = {}
        self.cores: dict[Unit, Wire] = {}
        """The result of each core."""
        self._made: dict[tuple[Op, int], Wire] = {}
        self._kept: dict[Op, Wire] = {}
        self._copies: dict[tuple[Block, Op, int], Wire] = {}
        self._parameters: dict[Op, Wire] = {}
        self._driven: set[Op] = set()
        self._places = {block: place for place, block in enumerate(emitter.kernel.blocks)}
        for block in emitter.kernel.blocks:
            for op in [*block.parameters, *block.ops]:
                self.home[op] = block

    def make_all(self, block: Block) -> None:
        """Every operation of the block, in program order: so that asking for one later never has to
        go down a chain of operations."""
        for op in block.ops:
            if op.width and op.kind not in WIRING:
                self._in_block(block, op, self._available(block, op))

    def at(self, block: Block, value: Op, cycle: int) -> Wire:
        """The wire that carries `value` in `cycle` of an iteration of `block`."""
        if self.emitter.for_model and self._is_fixed(value):
            return self._fixed_input(bits_of(value))
        parts = []
        for source, low, width in segments(bits_of(value)):
            if source is None:
                parts.append(self.module.constant(low, width))
            else:
                whole = self._source(block, source, cycle)
                parts.append(self.module.extract(whole, low, width))
        return self.module.concat(parts[::-1], self._wire_name(value))

    def _is_fixed(self, value: Op) -> bool:
        """Whether the value is a rearrangement of arguments' bits."""
        found = [source for source, _, _ in segments(bits_of(value))]
        sources = [s for s in found if s is not None]
        return len(found) > 1 and bool(sources) and all(s in self.constants for s in sources)

    def _fixed_input(self, bits: Bits) -> Wire:
        """An input of the model that carries a rearrangement of arguments' bits: made once a call
        by the harness, not in every cycle. Triple DES runs 1.8 times as fast for it."""
        if bits not in self.fixed:
            self.fixed[bits] = self.module.unique(f"fixed_{len(self.fixed)}")
            self.module.input(self.fixed[bits], len(bits))
        return Wire(f"%{self.fixed[bits]}", len(bits))

    def leaving(self, block: Block, value: Op) -> Wire:
        """The value in the cycle in which control leaves `block`: its last iteration's."""
        schedule = self.emitter.schedule.blocks[block]
        last = schedule.leave - 1
        if not schedule.ii:
            return self.at(block, value, last)
        parts = []
        for source, low, width in segments(bits_of(value)):
            if source is None:
                parts.append(self.module.constant(low, width))
                continue
            here = self.home.get(source) is block
            at_last = here and self._lasts_from(block, source) == last
            whole = self._source(block, source, last) if at_last or not here else self._keep(source)
            if at_last and schedule.stay:
                now = self.emitter.tokens[block].at(last)
                whole = self.module.mux(now, whole, self._keep(source))
            parts.append(self.module.extract(whole, low, width))
        return self.module.concat(parts[::-1])

    def lasting(self, block: Block, value: Op) -> Wire | None:
        """The value as it stays from the block's last cycle until the block runs again, where it
        is in registers by then; None where it is not."""
        schedule = self.emitter.schedule.blocks[block]
        last = schedule.length - 1
        sources = [source for source, _, _ in segments(bits_of(value)) if source is not None]
        waiting = (
            source not in self.constants
            and (
                self.home[source] is not block
                or source.kind == "parameter"
                or last > schedule.ready(source)
            )
            for source in sources
        )
        return self.at(block, value, last) if not schedule.ii and all(waiting) else None

    # -- one source -----------------------------------------------------------------------------

    def _source(self, block: Block, source: Op, cycle: int) -> Wire:
        if source in self.constants:
            return self.constants[source]
        home = self.home[source]
        if home is not block:
            return self._copied(block, source, cycle)
        if source.kind == "parameter" and not self.emitter.schedule.blocks[block].ii:
            return self._parameter(source)
        return self._in_block(block, source, cycle)

    def _available(self, block: Block, source: Op) -> int:
        return self.emitter.schedule.blocks[block].ready(source)

    def _lasts_from(self, block: Block, source: Op) -> int:
        """The cycle in which a value may be kept for what comes after the block. Until a loop's
        exit is known, an iteration that is not meant could overwrite it."""
        schedule = self.emitter.schedule.blocks[block]
        return max(self._available(block, source), schedule.decide if schedule.ii else 0)

    def _in_block(self, block: Block, source: Op, cycle: int) -> Wire:
        schedule = self.emitter.schedule.blocks[block]
        ready = self._available(block, source)
        if (source, ready) not in self._made:
            self._made[source, ready] = self._first(block, source, ready)
        if cycle == ready:
            return self._made[source, ready]
        if not schedule.ii:
            return self._keep(source)
        if source.kind == "parameter" and cycle <= schedule.writes[source]:
            return self._parameter(source)
        return self._moved(block, source, ready, cycle)

    def _moved(self, block: Block, source: Op, ready: int, cycle: int) -> Wire:
        """The register that has the value in a later cycle of its iteration. The next iteration's
        value comes `ii` cycles behind, so that many cycles long it may stay where it is; then the
        token of its own iteration takes it on."""
        ii = self.emitter.schedule.blocks[block].ii
        held = self._last_held(block, source, ready)
        name = hint(source) or source.kind
        while held < cycle:
            following = held + ii
            if (source, following) not in self._made:
                wire = self._made[source, held]
                made = self._stage(block, f"{name}_s{held + 1}", wire, held)
                self._made[source, following] = self.module.of_line(made, source.line)
            held = following
        return self._made[source, held]

    def _last_held(self, block: Block, source: Op, ready: int) -> int:
        """The last cycle in which the value is where it first was: a parameter's register keeps it
        until the next value is written."""
        if source.kind != "parameter":
            return ready
        last = self.emitter.schedule.blocks[block].writes[source]
        self._made[source, last] = self._parameter(source)
        return last

    def _stage(self, block: Block, name: str, wire: Wire, cycle: int) -> Wire:
        """A register that takes what an iteration has in `cycle`."""
        if self.emitter.schedule.blocks[block].ii == 1:
            register = self.module.register(name, wire)
        else:
            register = self.module.held(name, self.emitter.tokens[block].at(cycle), wire)
        return self._of_stage(block, register, cycle + 1)

    def _of_stage(self, block: Block, register: Wire, cycle: int) -> Wire:
        """A register of what is there in a cycle of a block's iterations; before the first cycle is
        what comes into the block."""
        label = self.emitter.labels[block]
        told = f"cycle {cycle}" if cycle >= 0 else "from iteration to iteration"
        if cycle < 0 and not self.emitter.schedule.blocks[block].ii:
            told = "on entry"
        return self.module.of_stage(register, Stage(self._places[block], cycle, f"{label}, {told}"))

    def _of_unit(self, register: Wire, number: int, told: str) -> Wire:
        """A register of something that several blocks use."""
        return self.module.of_stage(register, Stage(len(self._places), number, told))

    def _first(self, block: Block, source: Op, ready: int) -> Wire:
        if source.kind == "parameter":
            return self._arrived(block, source)
        if source.kind == "load":
            return self._loaded(source)
        if source.kind == "result":
            return self._result(source)
        if source.memory in self.emitter.queues:
            return self._asked(block, source, self.emitter.queues[source.memory])
        if source.kind == "pop":
            return Wire(f"%{signal_name(source.attributes['memory'], 'data')}", source.width)
        if source.kind == "divide":
            return self._divided(block, source, ready)
        if source.core:
            return self._core(block, source)
        if source in self.emitter.schedule.blocks[block].latency:
            return self._multiplied(block, source)
        return self._operate(block, source, ready)

    def _asked(self, block: Block, source: Op, queue: Fifo) -> Wire:
        """What an operation learns of a FIFO in the cycle in which its block starts."""
        if source.kind == "has":
            return queue.has_record
        if source.kind == "room":
            return queue.has_room(self.emitter.schedule.blocks[block].records_before(source))
        return queue.record

    def _result(self, source: Op) -> Wire:
        function = source.attributes["function"]
        if function not in self.results:
            register = self.module.declare_register(f"{function}_result", source.width)
            self.results[function] = self._of_unit(register, 0, "What functions return")
        return self.results[function]

    def _keep(self, source: Op) -> Wire:
        """A register that keeps the value from the cycle after it is made."""
        if source.kind == "parameter" and not self.emitter.schedule.blocks[self.home[source]].ii:
            return self._parameter(source)
        block = self.home[source]
        ready = self._lasts_from(block, source)
        if self.emitter.schedule.blocks[block].keeps(source):
            return self._in_block(block, source, ready)
        if source not in self._kept:
            name = f"{hint(source) or source.kind}_kept"
            register = self.module.declare_register(name, source.width)
            self._of_stage(block, register, ready + 1)
            self._kept[source] = self.module.of_line(register, source.line)
            value = self._in_block(block, source, ready)
            enable = self.emitter.tokens[block].at(ready)
            self.module.drive_register(register, value, enable=enable)
        return self._kept[source]

    def _copied(self, block: Block, source: Op, cycle: int) -> Wire:
        """A value of another block as it is in a cycle of this one's iterations."""
        wire = self._keep(source)
        copies = self.emitter.schedule.blocks[block].copies.get(source, ())
        for copied in (copied for copied in copies if copied < cycle):
            key = (block, source, copied)
            if key not in self._copies:
                token = self.emitter.tokens[block].at(copied)
                name = f"{hint(source) or source.kind}_s{copied + 1}"
                copy = self._of_stage(block, self.module.held(name, token, wire), copied + 1)
                self._copies[key] = self.module.of_line(copy, source.line)
            wire = self._copies[key]
        return wire

    def _parameter(self, parameter: Op) -> Wire:
        if parameter not in self._parameters:
            name = hint(parameter) or f"{self.emitter.labels[self.home[parameter]]}_value"
            register = self.module.declare_register(name, parameter.width)
            home = self.home[parameter]
            self._of_stage(home, register, -1)
            line = parameter.line or home.loop.line or home.line
            self._parameters[parameter] = self.module.of_line(register, line)
        return self._parameters[parameter]

    def _arrived(self, block: Block, parameter: Op) -> Wire:
        """A parameter in the cycle in which an iteration first reads it. What the iteration before
        writes in that very cycle is taken before it is in the register."""
        schedule = self.emitter.schedule.blocks[block]
        if not schedule.passes_on(parameter):
            return self._parameter(parameter)
        written = schedule.writes[parameter]
        value = block.back_edge.arguments[block.parameters.index(parameter)]
        now = self.emitter.tokens[block].at(written)
        return self.module.mux(now, self.at(block, value, written), self._parameter(parameter))

    def drive_parameters(self) -> None:
        """Connects every parameter register to the edges that give it values."""
        while set(self._parameters) - self._driven:
            for parameter in list(self._parameters):
                if parameter not in self._driven:
                    self._driven.add(parameter)
                    self._drive(parameter)

    def _drive(self, parameter: Op) -> None:
        block, register = self.home[parameter], self._parameters[parameter]
        index = block.parameters.index(parameter)
        ways: list[tuple[Wire, Wire]] = []
        for source in self.emitter.kernel.blocks:
            for number, edge in enumerate(source.end.edges):
                if edge.block is not block:
                    continue
                value, taken = self._arriving(
                    source, block, number, edge.arguments[index], parameter
                )
                ways.append((taken, value))
        self.module.drive_chosen(register, ways)

    def _arriving(
        self, source: Block, block: Block, number: int, value: Op, parameter: Op
    ) -> tuple[Wire, Wire]:
        tokens = self.emitter.tokens[source]
        schedule = self.emitter.schedule.blocks[source]
        if source is block and schedule.ii:
            cycle = schedule.writes[parameter]
            return self.at(block, value, cycle), tokens.at(cycle)
        return self.leaving(source, value), tokens.taken[number]

    # -- operations -----------------------------------------------------------------------------

    def _operate(self, block: Block, op: Op, cycle: int) -> Wire:
        wires = [self.at(block, o, cycle) for o in op.operands]
        self.module.line = op.line
        made = self._made_of(op, wires)
        self.module.line = 0
        return made

    def _multiplied(self, block: Block, op: Op) -> Wire:
        """A product with registers before and behind the multiplication, which a multiplier block
        has inside. They take what is there in every cycle: nothing ever stops in a pipeline. The
        factors come last: they may be made of what the product was an iteration before."""
        schedule = self.emitter.schedule.blocks[block]
        if op in schedule.ports:
            product = self._multiplier(schedule.ports[op], schedule.latency[op]).product
            return self.module.extract(product, 0, op.width)
        self.module.line = op.line
        start = schedule.start[op]
        registers = [self._factor_register(block, factor, start) for factor in op.operands]
        wires = [
            self._factor(factor, register)
            for factor, register in zip(op.operands, registers, strict=True)
        ]
        name = hint(op)
        product = self.module.binary("mul", wires[0], wires[1], name)
        for cycle in range(start + 2, schedule.ready(op) + 1):
            product = self.module.register(f"{name or 'mul'}_product", product)
            self._of_stage(block, product, cycle)
        self._made[op, schedule.ready(op)] = product
        for factor, register in zip(op.operands, registers, strict=True):
            if register is not None:
                value = self.at(block, factor, start)
                self.module.drive_register(register, self.module.extract(value, 0, register.width))
        self.module.line = 0
        return product

    def _divided(self, block: Block, op: Op, ready: int) -> Wire:
        """A divider. Its operands come last: they may be made of its result an iteration before."""
        schedule = self.emitter.schedule.blocks[block]
        start, cycles = schedule.start[op], schedule.latency[op] - 1
        bits = [o.width for o in op.operands]
        kind = self.emitter.inner_name("divide_{}_{}_in_{}".format(*bits, cycles))
        if kind not in self.inner:
            self.inner[kind] = divider_module(kind, bits[0], bits[1], cycles)
        result = self._made[op, ready] = Wire(self.module.fresh(), op.width)
        a, b = (self.at(block, operand, start) for operand in op.operands)
        token = self.emitter.tokens[block].at(start)
        inputs = {"reset": Wire("%reset", 1), "start": token, "dividend": a, "divisor": b}
        label = f"{hint(op) or 'divide'}_divider"
        self.module.instance(kind, label, inputs, {"value": result}, clock="clk")
        return result

    def _core(self, block: Block, op: Op) -> Wire:
        """What a core gives. Its operands are connected to it later."""
        unit = (op.core, self.emitter.schedule.blocks[block].ports[op])
        if unit not in self.cores:
            self.cores[unit] = Wire(self.module.fresh(), op.width)
        return self.cores[unit]

    def drive_cores(self) -> None:
        """Places the cores, and connects each to the operands of all its operations."""
        served: dict[Unit, list[tuple[Block, Op]]] = {}
        for block, schedule in self.emitter.schedule.blocks.items():
            for op in (op for op in schedule.ports if op.core):
                served.setdefault((op.core, schedule.ports[op]), []).append((block, op))
        for unit, ops in served.items():
            name, count = self.emitter.inner_name(unit[0]), len(ops[0][1].operands)
            inputs = {operand_port(i): self._chosen(ops, i) for i in range(count)}
            outputs = {"value": self._core(*ops[0])}
            self.module.instance(name, "_".join(map(str, unit)), inputs, outputs, clock="clk")

    def operand_registers(self) -> dict[Op, Wire]:
        """Those of the parameters that were asked for."""
        return self._parameters

    def _chosen(self, ops: list[tuple[Block, Op]], operand: int) -> Wire:
        """An operand of the operation that starts."""
        ways: list[tuple[Wire, Wire]] = []
        for block, op in ops:
            start = self.emitter.schedule.blocks[block].start[op]
            value = self.at(block, op.operands[operand], start)
            ways.append((self.emitter.tokens[block].at(start), value))
        return ways[0][1] if len(ways) == 1 else self.module.choose(ways)

    def _multiplier(self, number: int, latency: int) -> Multiplier:
        """One that several products share. Its registers are connected to them later."""
        if number not in self.multipliers:
            width, told = self._shared_factor_bits, f"multiplier{number}, that products share"
            factors = [
                self._of_unit(
                    self.module.declare_register(f"multiplier{number}_{which}", width), 1, told
                )
                for which in ("a", "b")
            ]
            wide = [self._signed(factor, 2 * width) for factor in factors]
            product = self.module.binary("mul", wide[0], wide[1])
            for _ in range(latency - 1):
                product = self.module.register(f"multiplier{number}_product", product)
                self._of_unit(product, 1, told)
            self.multipliers[number] = Multiplier(factors, product)
        return self.multipliers[number]

    def drive_multipliers(self) -> None:
        """Connects the registers of shared multipliers to the factors of all their products."""
        ways: dict[int, list[list[tuple[Wire, Wire]]]] = {}
        for block, schedule in self.emitter.schedule.blocks.items():
            for op in (op for op in schedule.ports if op.kind == "mul"):
                start = schedule.start[op]
                token = self.emitter.tokens[block].at(start)
                sides = ways.setdefault(schedule.ports[op], [[], []])
                for side, factor in zip(sides, op.operands, strict=True):
                    value = self.at(block, factor, start)
                    side.append((token, self._with_sign(factor, value)))
        for number, sides in ways.items():
            for register, side in zip(self.multipliers[number].factors, sides, strict=True):
                self.module.drive_register(register, self.module.choose(side))

    @cached_property
    def _shared_factor_bits(self) -> int:
        """The width of the factors of all products, with a sign."""
        products = (op for _, op in self.emitter.kernel.ops() if op.kind == "mul")
        factors = {bits_of(factor) for op in products for factor in op.operands}
        return max(multiplier_bits(bits) + (not is_sign_extended(bits)) for bits in factors)

    def _with_sign(self, factor: Op, value: Wire) -> Wire:
        """A factor as wide as those of shared multipliers."""
        width = self._shared_factor_bits
        kept = self.module.extract(value, 0, multiplier_bits(bits_of(factor)))
        if is_sign_extended(bits_of(factor)):
            return self._signed(kept, width)
        return self.module.resize(kept, width)

    def _signed(self, value: Wire, width: int) -> Wire:
        """The value with copies of its sign above."""
        if width == value.width:
            return value
        sign = self.module.extract(value, value.width - 1, 1)
        return self.module.concat([self.module.replicate(sign, width - value.width), value])

    def _factor_register(self, block: Block, factor: Op, start: int) -> Wire | None:
        """What holds a factor, no wider than it needs to be; a constant needs none."""
        if factor.kind == "constant":
            return None
        width = multiplier_bits(bits_of(factor))
        register = self.module.declare_register(f"{hint(factor) or 'mul'}_factor", width)
        return self._of_stage(block, register, start + 1)

    def _factor(self, factor: Op, held: Wire | None) -> Wire:
        """A factor as wide as it is."""
        if held is None:
            return self.module.constant(factor.value, factor.width)
        if not is_sign_extended(bits_of(factor)):
            return self.module.resize(held, factor.width)
        return self._signed(held, factor.width)

    def _made_of(self, op: Op, wires: list[Wire]) -> Wire:
        name = self._wire_name(op)
        if op.kind in LOGIC:
            return self._logic(op, wires, name)
        if op.kind in COMPARE:
            return self.module.compare(op.kind, wires[0], wires[1], name)
        if op.kind == "select":
            return self.module.mux(wires[0], wires[1], wires[2], name)
        if op.kind in SHIFT:
            return self._shift(op, wires, name)
        if op.kind == "rom":
            return self._look_up(op, wires[0])
        return self.module.binary(op.kind, wires[0], wires[1], name)

    def _wire_name(self, op: Op) -> str:
        """What a value is called that is in no register: as its C variable, or by what it is and
        where."""
        is_told = self.module.source and op.line
        return hint(op) or (f"{op.kind}_line{op.line:d}" if is_told else op.kind)

    def _logic(self, op: Op, wires: list[Wire], name: str) -> Wire:
        """Three and more inputs a bit are a module of their own: synthesis, which maps module by
        module, would otherwise take them apart again to share two of the inputs."""
        if len(wires) < 3:
            return self.module.logic(op.kind, wires, name)
        kind = self.emitter.inner_name(f"{op.kind}{len(wires)}_{op.width}")
        if kind not in self.inner:
            self.inner[kind] = logic_module(kind, op.kind, len(wires), op.width)
        result = Wire(self.module.fresh(), op.width)
        inputs = {f"i{i}": wire for i, wire in enumerate(wires)}
        self.module.instance(kind, hint(op) or f"{op.kind}{len(wires)}", inputs, {"value": result})
        return result

    def _shift(self, op: Op, wires: list[Wire], name: str) -> Wire:
        """comb shifts want both operands of one width; an amount that does not fit it is large."""
        value, amount = wires
        wide = max(value.width, amount.width)
        if op.kind == "ashr" and wide > value.width:
            sign = self.module.extract(value, value.width - 1, 1)
            value = self.module.concat([sign] * (wide - value.width) + [value])
        else:
            value = self.module.resize(value, wide)
        made = self.module.binary(op.kind, value, self.module.resize(amount, wide), name)
        return self.module.extract(made, 0, op.width)

    def _look_up(self, op: Op, index: Wire) -> Wire:
        memory = self.emitter.kernel.memories[op.memory]
        table = self.emitter.inner_name(memory.name)
        result = Wire(self.module.fresh(), op.width)
        self.module.instance(table, memory.name, {"index": index}, {"value": result})
        return result

    def _loaded(self, op: Op) -> Wire:
        """What the memory's read port shows in the cycle of the answer."""
        port = self.emitter.schedule.blocks[self.home[op]].ports[op]
        return Wire(f"%{read_data(op.memory, port)}", op.width)


def hint(op: Op) -> str:
    """The name of the C variable that a value belongs to, '' if there is none."""
    base = op.name.split(".")[0]
    if is_told_by_clang(base) or not (base.isidentifier() and base.isascii()):
        return ""
    return base


_APART = "A module, so that synthesis keeps it one level of look-up tables."


def logic_module(name: str, kind: str, inputs: int, width: int) -> str:
    """One logic operation of several inputs as a module."""
    module = Module(name, comment=_APART)
    wires = [module.input(f"i{i}", width) for i in range(inputs)]
    module.output("value", module.logic(kind, wires))
    return module.text().replace("hw.module @", "hw.module private @", 1)
