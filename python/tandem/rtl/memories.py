# SPDX-License-Identifier: Apache-2.0
"""Tables, local memories and memory ports in hardware."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tandem.ir.blocks import Block
from tandem.ir.memory import PORT_INDEX_BITS, Memory, MemoryKind
from tandem.ir.ops import Access, Load, Op, Store
from tandem.rtl.ports.names import signal_name
from tandem.rtl.text import Module, Stage, Wire

if TYPE_CHECKING:
    from tandem.rtl.emit import Emitter


def rom_module(memory: Memory, name: str, as_case: bool) -> str:
    """A table as a module of its own: synthesis then maps it once and well. As a case statement
    for Verilog, which people and every tool read; as an array for the model, which knows no
    statements."""
    module = Module(name)
    module.input("index", memory.index_bits)
    words = list(memory.contents) + [0] * ((1 << memory.index_bits) - len(memory.contents))
    lines = _case_lines(memory, words) if as_case else _array_lines(memory, words)
    module.lines += lines
    module.output("value", Wire("%value", memory.element_bits))
    return module.text().replace("hw.module @", "hw.module private @", 1)


def _signed(word: int, width: int) -> int:
    """CIRCT prints and reads constants as signed numbers."""
    return word - (1 << width) if word >> (width - 1) else word


def _array_lines(memory: Memory, words: list[int]) -> list[str]:
    width = memory.element_bits
    kind = f"!hw.array<{len(words)}xi{width}>"
    shown = ", ".join(f"{_signed(w, width)} : i{width}" for w in reversed(words))
    return [
        f"%table = hw.aggregate_constant [{shown}] : {kind}",
        f"%value = hw.array_get %table[%index] : {kind}, i{memory.index_bits}",
    ]


def _case_lines(memory: Memory, words: list[int]) -> list[str]:
    width, bits = memory.element_bits, memory.index_bits
    lines = [f'%chosen = sv.reg name "chosen" : !hw.inout<i{width}>']
    lines += [f"%word{w} = hw.constant {_signed(w, width)} : i{width}" for w in sorted(set(words))]
    lines += ["sv.alwayscomb {", f"  sv.case %index : i{bits}"]
    for i, word in enumerate(words[:-1]):
        lines.append(f"  case b{i:0{bits}b}: {{ sv.bpassign %chosen, %word{word} : i{width} }}")
    lines.append(f"  default: {{ sv.bpassign %chosen, %word{words[-1]} : i{width} }}")
    return [*lines, "}", f"%value = sv.read_inout %chosen : !hw.inout<i{width}>"]


def read_data(memory: str, port: int) -> str:
    """The wire on which a reading port of a memory answers."""
    return f"{memory}_read_data{f'_{port}' if port else ''}"


def emit_memories(emitter: Emitter) -> None:
    """Local memories, and the signals of memory ports."""
    accesses: dict[str, list[Placed]] = {name: [] for name in emitter.kernel.memories}
    for block, op in emitter.kernel.ops():
        if isinstance(op, Access):
            accesses[op.memory.name].append((block, op))
    for memory in list(emitter.kernel.memories.values()):
        reads = [a for a in accesses[memory.name] if isinstance(a[1], Load)]
        writes = [a for a in accesses[memory.name] if isinstance(a[1], Store)]
        if memory.kind is MemoryKind.RAM:
            _emit_ram(emitter, memory, reads, writes)
        elif memory.kind is MemoryKind.EXTERNAL:
            _emit_port(emitter, memory, reads, writes)


Placed = tuple[Block, Op]


def _emit_ram(emitter: Emitter, memory: Memory, reads: list[Placed], writes: list[Placed]) -> None:
    width = memory.index_bits
    ports = {
        read_data(memory.name, port): _request(emitter, served, 0, width)
        for port, served in _by_port(emitter, reads).items()
    }
    write = None
    if writes:
        enable, index = _request(emitter, writes, 0, width)
        write = (enable, index, _request(emitter, writes, 1, memory.element_bits)[1])
    if emitter.for_model:
        if memory.contents:
            write = _seen_to_be_written(emitter.module, memory, write)
        _model_ram(emitter.module, memory, ports, write, emitter.schedule.read_latency[memory.name])
    else:
        _ram_parts(emitter, memory, ports, write)


Request = tuple[Wire, Wire]
"""(enable, index) of a port."""
Part = tuple[int, int]
"""(first word, words) of a memory."""
Write = tuple[Wire, Wire, Wire]
"""(enable, index, data) of the writing port."""


def _seen_to_be_written(module: Module, memory: Memory, write: Write | None) -> Write:
    """A writing port that may write for all that the model's compiler can tell: it drops a memory
    that it sees to be empty for ever, but this one starts with contents. No run starts while the
    kernel is reset."""
    never = module.logic("and", [Wire("%reset", 1), Wire("%start", 1)])
    if write is None:
        nothing = module.constant(0, memory.index_bits), module.constant(0, memory.element_bits)
        return never, *nothing
    enable, index, data = write
    return module.logic("or", [enable, never]), index, data


def _model_ram(
    module: Module,
    memory: Memory,
    ports: dict[str, Request],
    write: Write | None,
    latency: int,
) -> None:
    """The memory as the model's compiler knows it."""
    shape = f"<{memory.depth} x {memory.element_bits}>"
    handle = f"%{memory.name}_cells"
    module.lines.append(
        f'{handle} = seq.firmem 1, 1, undefined, undefined {{name = "{memory.name}"}} : {shape}'
    )
    for name, (enable, index) in ports.items():
        stages = [Wire(module.fresh(), memory.element_bits) for _ in range(latency - 1)]
        stages.append(Wire(f"%{name}", memory.element_bits))
        module.lines.append(
            f"{stages[0].name} = seq.firmem.read_port {handle}[{index.name}], "
            f"clock %clk enable {enable.name} : {shape}"
        )
        for before, after in pairwise(stages):
            module.drive_register(after, before)
    if write:
        enable, index, data = write
        module.lines.append(
            f"seq.firmem.write_port {handle}[{index.name}] = {data.name}, "
            f"clock %clk enable {enable.name} : {shape}"
        )


def _ram_parts(
    emitter: Emitter, memory: Memory, ports: dict[str, Request], write: Write | None
) -> None:
    """The memory in parts as large as the target's blocks. All answer; the answer that is meant is
    chosen behind their last register."""
    module, schedule = emitter.module, emitter.schedule
    width, latency = memory.element_bits, schedule.read_latency[memory.name]
    in_tables = schedule.target.in_look_up_tables(memory)
    parts = [memory.depth or 1] if in_tables else schedule.target.parts(memory)
    low_bits = _index_bits(parts[0])
    answers: dict[str, list[Wire]] = {port: [] for port in ports}
    for number, words in enumerate(parts):
        own = _own_write(module, write, number, low_bits, words) if write else None
        for port, found in answers.items():
            name = f"%{port}" if len(parts) == 1 else module.fresh()
            found.append(Wire(name, width))
        first = number * parts[0]
        name = _ram_module(emitter, memory, (first, words), len(ports), write is not None, latency)
        made = [found[-1] for found in answers.values()]
        _ram_instance(module, name, memory, _own_reads(module, ports, words), own, made)
    for port, (enable, index) in ports.items():
        if len(parts) > 1:
            stage = Stage(len(emitter.kernel.blocks), 2, f"Which part of {memory.name} answers")
            part = module.held(f"{port}_part", enable, _part(module, index, low_bits))
            module.of_stage(part, stage)
            for _ in range(latency - 1):
                part = module.of_stage(module.register(f"{port}_part", part), stage)
            picked = _picked(module, part, answers[port])
            module.give(Wire(f"%{port}", width), picked)


def _own_reads(module: Module, ports: dict[str, Request], words: int) -> list[Request]:
    """What every port asks of one part of a memory: the others' answers do not count."""
    bits = _index_bits(words)
    return [(enable, module.resize(index, bits)) for enable, index in ports.values()]


def _part(module: Module, index: Wire, low_bits: int) -> Wire:
    """The number of the part in which an element is; all but the last are of one size."""
    return module.extract(index, low_bits, index.width - low_bits)


def _index_bits(words: int) -> int:
    return max(1, (words - 1).bit_length())


def _own_write(module: Module, write: Write, part: int, low_bits: int, words: int) -> Write:
    """What one part of a memory has to write."""
    enable, index, data = write
    if index.width == low_bits:
        return write
    high = _part(module, index, low_bits)
    here = module.compare("eq", high, module.constant(part, high.width))
    low = module.resize(index, _index_bits(words))
    return module.logic("and", [enable, here]), low, data


def _picked(module: Module, number: Wire, values: list[Wire]) -> Wire:
    """The value of a number, a bit of it after the other."""
    if len(values) == 1:
        return values[0]
    half = 1 << ((len(values) - 1).bit_length() - 1)
    high = module.extract(number, half.bit_length() - 1, 1)
    upper, lower = (_picked(module, number, part) for part in (values[half:], values[:half]))
    return module.mux(high, upper, lower)


def _ram_module(
    emitter: Emitter, memory: Memory, part: Part, reads: int, writes: bool, latency: int
) -> str:
    """The name of the module of a part of a memory, which is made if it is not there. It is
    as tools recognise it: one clock, words that are read into a register, and with a latency of two
    into another one. No schedule reads an element in the cycle in which it is written, so what is
    read then is left open."""
    first, words = part
    told = memory.name if words == memory.depth else f"{memory.name}${words}"
    if memory.contents and words != memory.depth:
        told += f"${first}"  # no two start with the same
    name = emitter.inner_name(told)
    if name not in emitter.inner:
        contents = memory.contents[first : first + words]
        own = replace(memory, depth=words, contents=contents)
        in_tables = emitter.schedule.target.in_look_up_tables(own)
        style = "distributed" if in_tables else "block"
        emitter.inner[name] = _ram_text(name, own, style, reads, writes, latency)
    return name


def _ram_text(name: str, memory: Memory, style: str, reads: int, writes: bool, latency: int) -> str:
    module = Module(name)
    words, width = memory.depth or 1, memory.element_bits
    kind = f"!hw.inout<uarray<{words}xi{width}>>"
    module.inputs.append(("clk", "!seq.clock"))
    lines = ["%clock = seq.from_clock %clk"]
    attributes = f'#sv.attribute<"no_rw_check">, #sv.attribute<"ram_style" = "\\"{style}\\"">'
    lines.append(f'%cells = sv.reg name "cells" {{sv.attributes = [{attributes}]}} : {kind}')
    body: list[str] = []
    for port in range(reads):
        enable, index = _ram_inputs(module, f"read{port}", words)
        lines.append(f'%answer{port} = sv.reg name "answer{port}" : !hw.inout<i{width}>')
        body += [
            f"sv.if {enable.name} {{",
            f"  %cell = sv.array_index_inout %cells[{index.name}] : {kind}, i{index.width}",
            f"  %word = sv.read_inout %cell : !hw.inout<i{width}>",
            f"  sv.passign %answer{port}, %word : i{width}",
            "}",
        ]
    if writes:
        enable, index = _ram_inputs(module, "write", words)
        data = module.input("write_data", width)
        body += [
            f"sv.if {enable.name} {{",
            f"  %cell = sv.array_index_inout %cells[{index.name}] : {kind}, i{index.width}",
            f"  sv.passign %cell, {data.name} : i{width}",
            "}",
        ]
    lines += ["sv.alwaysff(posedge %clock) {", *(f"  {line}" for line in body), "}"]
    module.lines += [*lines, *_initial_lines(memory, kind)]
    for port in range(reads):
        data = Wire(module.fresh(), width)
        module.lines.append(f"{data.name} = sv.read_inout %answer{port} : !hw.inout<i{width}>")
        for _ in range(latency - 1):
            data = module.register(f"late{port}", data)
        module.output(f"read{port}_data", data)
    return module.text().replace("hw.module @", "hw.module private @", 1)


def _initial_lines(memory: Memory, kind: str) -> list[str]:
    """What the cells hold when the device is configured."""
    if not memory.contents:
        return []
    width, bits = memory.element_bits, _index_bits(memory.depth or 1)
    words = [_signed(word, width) for word in memory.contents]
    lines = [f"%word{abs(w)}{'n' * (w < 0)} = hw.constant {w} : i{width}" for w in sorted({*words})]
    lines.append("sv.initial {")
    for index, word in enumerate(words):
        lines += [
            f"  %index{index} = hw.constant {_signed(index, bits)} : i{bits}",
            f"  %cell{index} = sv.array_index_inout %cells[%index{index}] : {kind}, i{bits}",
            f"  sv.bpassign %cell{index}, %word{abs(word)}{'n' * (word < 0)} : i{width}",
        ]
    return [*lines, "}"]


def _ram_inputs(module: Module, port: str, words: int) -> Request:
    return module.input(f"{port}_enable", 1), module.input(f"{port}_index", _index_bits(words))


def _ram_instance(
    module: Module,
    name: str,
    memory: Memory,
    reads: list[Request],
    write: Write | None,
    answers: list[Wire],
) -> None:
    inputs: dict[str, Wire] = {}
    for port, (enable, index) in enumerate(reads):
        inputs |= {f"read{port}_enable": enable, f"read{port}_index": index}
    if write:
        parts = ("write_enable", "write_index", "write_data")
        inputs |= dict(zip(parts, write, strict=True))
    outputs = {f"read{port}_data": wire for port, wire in enumerate(answers)}
    module.instance(name, memory.name, inputs, outputs, clock="clk")


def _by_port(emitter: Emitter, accesses: list[Placed]) -> dict[int, list[Placed]]:
    """The accesses that each of a memory's equal ports serves."""
    ports: dict[int, list[Placed]] = {}
    for block, op in accesses:
        ports.setdefault(emitter.schedule.blocks[block].ports[op], []).append((block, op))
    return ports


def _emit_port(emitter: Emitter, memory: Memory, reads: list[Placed], writes: list[Placed]) -> None:
    module = emitter.module
    if reads:
        enable, index = _request(emitter, reads, 0, PORT_INDEX_BITS)
        module.output(signal_name(memory.name, "read_enable"), enable)
        module.output(signal_name(memory.name, "read_index"), index)
    if writes:
        enable, index = _request(emitter, writes, 0, PORT_INDEX_BITS)
        _, data = _request(emitter, writes, 1, memory.element_bits)
        module.output(signal_name(memory.name, "write_enable"), enable)
        module.output(signal_name(memory.name, "write_index"), index)
        module.output(signal_name(memory.name, "write_data"), data)


def _request(
    emitter: Emitter, accesses: list[Placed], operand: int, width: int
) -> tuple[Wire, Wire]:
    """(some access happens in this cycle, the operand of the one that does). A read happens
    whether it is wanted or not."""
    module = emitter.module
    happens: list[Wire] = []
    ways: list[tuple[Wire, Wire]] = []
    for block, op in accesses:
        cycle = emitter.schedule.blocks[block].start[op]
        now = emitter.tokens[block].at(cycle)
        value = module.resize(emitter.datapath.at(block, op.operands[operand], cycle), width)
        ways.append((now, value))
        if isinstance(op, Store) and op.enable is not None:
            now = module.logic("and", [now, emitter.datapath.at(block, op.enable, cycle)])
        happens.append(now)
    return module.logic("or", happens), module.choose(ways)
