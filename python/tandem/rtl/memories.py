# SPDX-License-Identifier: Apache-2.0
"""Tables, local memories and memory ports in hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.ir.kernel import PORT_INDEX_BITS, Block, Memory, Op
from tandem.rtl.text import Module, Wire, inner_module_name
from tandem.schedule.delays import in_look_up_tables

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
    accesses: dict[str, list[Access]] = {name: [] for name in emitter.kernel.memories}
    for block, op in emitter.kernel.ops():
        if op.is_access:
            accesses[op.memory].append((block, op))
    for memory in list(emitter.kernel.memories.values()):
        reads = [a for a in accesses[memory.name] if a[1].kind == "load"]
        writes = [a for a in accesses[memory.name] if a[1].kind == "store"]
        if memory.kind == "ram":
            _emit_ram(emitter, memory, reads, writes)
        elif memory.kind == "external":
            _emit_port(emitter, memory, reads, writes)


Access = tuple[Block, Op]


def _emit_ram(emitter: Emitter, memory: Memory, reads: list[Access], writes: list[Access]) -> None:
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
        _model_ram(emitter.module, memory, ports, write)
    else:
        name = inner_module_name(emitter.kernel.name, memory.name)
        emitter.inner.append(_ram_module(name, memory, len(ports), write is not None))
        _ram_instance(emitter.module, name, memory, ports, write)


Request = tuple[Wire, Wire]
"""(enable, index) of a port."""


def _model_ram(
    module: Module, memory: Memory, ports: dict[str, Request], write: tuple[Wire, Wire, Wire] | None
) -> None:
    """The memory as the model's compiler knows it."""
    shape = f"<{memory.depth} x {memory.element_bits}>"
    handle = f"%{memory.name}_cells"
    module.lines.append(
        f'{handle} = seq.firmem 1, 1, undefined, undefined {{name = "{memory.name}"}} : {shape}'
    )
    for name, (enable, index) in ports.items():
        module.lines.append(
            f"%{name} = seq.firmem.read_port {handle}[{index.name}], "
            f"clock %clk enable {enable.name} : {shape}"
        )
    if write:
        enable, index, data = write
        module.lines.append(
            f"seq.firmem.write_port {handle}[{index.name}] = {data.name}, "
            f"clock %clk enable {enable.name} : {shape}"
        )


def _ram_module(name: str, memory: Memory, reads: int, writes: bool) -> str:
    """A memory as tools recognise it: one clock, words that are read into a register. No schedule
    reads an element in the cycle in which it is written, so what is read then is left open."""
    module = Module(name)
    width, kind = memory.element_bits, f"!hw.inout<uarray<{memory.depth}xi{memory.element_bits}>>"
    module.inputs.append(("clk", "!seq.clock"))
    lines = ["%clock = seq.from_clock %clk"]
    style = "distributed" if in_look_up_tables(memory) else "block"
    attributes = f'#sv.attribute<"no_rw_check">, #sv.attribute<"ram_style" = "\\"{style}\\"">'
    lines.append(f'%cells = sv.reg name "cells" {{sv.attributes = [{attributes}]}} : {kind}')
    body: list[str] = []
    for port in range(reads):
        enable, index = _ram_inputs(module, f"read{port}", memory)
        lines.append(f'%answer{port} = sv.reg name "answer{port}" : !hw.inout<i{width}>')
        body += [
            f"sv.if {enable.name} {{",
            f"  %cell = sv.array_index_inout %cells[{index.name}] : {kind}, i{index.width}",
            f"  %word = sv.read_inout %cell : !hw.inout<i{width}>",
            f"  sv.passign %answer{port}, %word : i{width}",
            "}",
        ]
    if writes:
        enable, index = _ram_inputs(module, "write", memory)
        data = module.input("write_data", width)
        body += [
            f"sv.if {enable.name} {{",
            f"  %cell = sv.array_index_inout %cells[{index.name}] : {kind}, i{index.width}",
            f"  sv.passign %cell, {data.name} : i{width}",
            "}",
        ]
    lines += ["sv.alwaysff(posedge %clock) {", *(f"  {line}" for line in body), "}"]
    for port in range(reads):
        lines.append(f"%read{port}_data = sv.read_inout %answer{port} : !hw.inout<i{width}>")
        module.output(f"read{port}_data", Wire(f"%read{port}_data", width))
    module.lines += lines
    return module.text().replace("hw.module @", "hw.module private @", 1)


def _ram_inputs(module: Module, port: str, memory: Memory) -> Request:
    return module.input(f"{port}_enable", 1), module.input(f"{port}_index", memory.index_bits)


def _ram_instance(
    module: Module,
    name: str,
    memory: Memory,
    ports: dict[str, Request],
    write: tuple[Wire, Wire, Wire] | None,
) -> None:
    inputs = ["clk: %clk: !seq.clock"]
    for port, (enable, index) in enumerate(ports.values()):
        inputs.append(f"read{port}_enable: {enable.name}: i1")
        inputs.append(f"read{port}_index: {index.name}: i{index.width}")
    if write:
        for part, wire in zip(("enable", "index", "data"), write, strict=True):
            inputs.append(f"write_{part}: {wire.name}: i{wire.width}")
    answers = ", ".join(f"read{port}_data: i{memory.element_bits}" for port in range(len(ports)))
    made = f"{', '.join(f'%{wire}' for wire in ports)} = " if ports else ""
    label = module.unique(memory.name)
    module.lines.append(f'{made}hw.instance "{label}" @{name}({", ".join(inputs)}) -> ({answers})')


def _by_port(emitter: Emitter, accesses: list[Access]) -> dict[int, list[Access]]:
    """The accesses that each of a memory's equal ports serves."""
    ports: dict[int, list[Access]] = {}
    for block, op in accesses:
        ports.setdefault(emitter.schedule.blocks[block].ports[op], []).append((block, op))
    return ports


def _emit_port(emitter: Emitter, memory: Memory, reads: list[Access], writes: list[Access]) -> None:
    module = emitter.module
    off = module.constant(0, 1)
    nowhere = module.constant(0, PORT_INDEX_BITS)
    enable, index = _request(emitter, reads, 0, PORT_INDEX_BITS) if reads else (off, nowhere)
    module.output(f"{memory.name}_read_enable", enable)
    module.output(f"{memory.name}_read_index", index)
    if writes:
        enable, index = _request(emitter, writes, 0, PORT_INDEX_BITS)
        _, data = _request(emitter, writes, 1, memory.element_bits)
        module.output(f"{memory.name}_write_enable", enable)
        module.output(f"{memory.name}_write_index", index)
        module.output(f"{memory.name}_write_data", data)


def _request(
    emitter: Emitter, accesses: list[Access], operand: int, width: int
) -> tuple[Wire, Wire]:
    """(some access happens in this cycle, the operand of the one that does). A read happens
    whether it is wanted or not."""
    module = emitter.module
    happens: list[Wire] = []
    ways: list[tuple[Wire, Wire]] = []
    for block, op in accesses:
        cycle = emitter.schedule.blocks[block].start[op]
        now = emitter.tokens[block].valid[cycle]
        value = module.resize(emitter.datapath.at(block, op.operands[operand], cycle), width)
        ways.append((now, value))
        if op.kind == "store" and op.enable is not None:
            now = module.logic("and", [now, emitter.datapath.at(block, op.enable, cycle)])
        happens.append(now)
    return module.logic("or", happens), module.choose(ways)
