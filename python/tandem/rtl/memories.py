# SPDX-License-Identifier: Apache-2.0
"""Tables, local memories and memory ports in hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.ir.kernel import PORT_INDEX_BITS, Block, Memory, Op
from tandem.rtl.text import Module, Wire

if TYPE_CHECKING:
    from tandem.rtl.emit import Emitter


def rom_module(memory: Memory) -> str:
    """A table as a module of its own: synthesis then maps it once and well."""
    bits = memory.index_bits
    module = Module(memory.name)
    module.input("index", bits)
    words = list(memory.contents) + [0] * ((1 << bits) - len(memory.contents))
    width = memory.element_bits
    shown = ", ".join(
        f"{w - (1 << width) if w >> (width - 1) else w} : i{width}" for w in reversed(words)
    )
    module.lines.append(
        f"%table = hw.aggregate_constant [{shown}] : !hw.array<{len(words)}xi{width}>"
    )
    module.lines.append(
        f"%value = hw.array_get %table[%index] : !hw.array<{len(words)}xi{width}>, i{bits}"
    )
    module.output("value", Wire("%value", width))
    return module.text().replace("hw.module @", "hw.module private @", 1)


def emit_memories(emitter: Emitter) -> None:
    """Local memories, and the signals of memory ports."""
    for memory in list(emitter.kernel.memories.values()):
        if memory.kind in ("ram", "external"):
            accesses = [
                (b, o) for b, o in emitter.kernel.ops() if o.attributes.get("memory") == memory.name
            ]
            reads = [a for a in accesses if a[1].kind == "load"]
            writes = [a for a in accesses if a[1].kind == "store"]
            if memory.kind == "ram":
                _emit_ram(emitter, memory, reads, writes)
            else:
                _emit_port(emitter, memory, reads, writes)


Access = tuple[Block, Op]


def _emit_ram(emitter: Emitter, memory: Memory, reads: list[Access], writes: list[Access]) -> None:
    module = emitter.module
    shape = f"<{memory.depth} x {memory.element_bits}>"
    handle = f"%{module.unique(memory.name)}_cells"
    module.lines.append(
        f'{handle} = seq.firmem 1, 1, undefined, undefined {{name = "{memory.name}"}} : {shape}'
    )
    if reads:
        enable, index = _request(emitter, reads, 0, memory.index_bits)
        module.lines.append(
            f"%{memory.name}_read_data = seq.firmem.read_port {handle}[{index.name}], "
            f"clock %clk enable {enable.name} : {shape}"
        )
    if writes:
        enable, index = _request(emitter, writes, 0, memory.index_bits)
        _, data = _request(emitter, writes, 1, memory.element_bits)
        module.lines.append(
            f"seq.firmem.write_port {handle}[{index.name}] = {data.name}, "
            f"clock %clk enable {enable.name} : {shape}"
        )


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
    """(some access happens in this cycle, the operand of the one that does)."""
    module = emitter.module
    happens, chosen = [], None
    for block, op in accesses:
        cycle = emitter.schedule.blocks[block].start[op]
        now = emitter.tokens[block].valid[cycle]
        value = module.resize(emitter.datapath.at(block, op.operands[operand], cycle), width)
        chosen = value if chosen is None else module.mux(now, value, chosen)
        plain = 1 if op.kind == "load" else 2
        if len(op.operands) > plain:
            now = module.logic("and", [now, emitter.datapath.at(block, op.operands[plain], cycle)])
        happens.append(now)
    assert chosen is not None
    return module.logic("or", happens), chosen
