# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel on numbers: the second of the three independent answers (C, IR, RTL).

Slow and plain on purpose. Pointer arguments are given as bytearrays, scalars and blocks as
integers or bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.kernel import Block, Edge, Kernel, Memory, Op
from tandem.ir.operations import OPERATIONS, mask

STEP_LIMIT = 50_000_000
UNDEFINED = int.from_bytes(b"\xa5" * 128)
"""What a load that is not enabled gives, in as many bits as it has: a pattern that a result would
show."""


@dataclass
class _Machine:
    kernel: Kernel
    values: dict[Op, int] = field(default_factory=dict)
    cells: dict[str, list[int] | bytearray] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    waiting: list[tuple[str, Block]] = field(default_factory=list)
    """Functions that are running, and where their callers go on."""
    results: dict[str, int] = field(default_factory=dict)
    """What the last call of each function has returned."""
    steps: int = 0


def interpret(kernel: Kernel, data: Mapping[str, int | bytes | bytearray]) -> int | None:
    """Runs the kernel on `data`, argument name to value; buffers given as bytearrays are changed
    in place. Returns the kernel's result. Raises InternalError when it does not end."""
    machine = _Machine(kernel)
    _load_arguments(machine, data)
    for memory in kernel.memories.values():
        if memory.kind in ("ram", "rom"):
            cells = list(memory.contents) + [0] * ((memory.depth or 0) - len(memory.contents))
            machine.cells[memory.name] = cells
    block, result = kernel.entry, None
    while block is not None:
        block, result = _run_block(machine, block)
    return result


def _load_arguments(machine: _Machine, data: Mapping[str, int | bytes | bytearray]) -> None:
    for argument in machine.kernel.arguments:
        if argument.memory is not None and argument.op is None:
            buffer = data[argument.name]
            assert isinstance(buffer, bytearray)
            machine.cells[argument.memory.name] = buffer
        elif argument.op is not None:
            value = data[argument.name]
            if not isinstance(value, int):
                value = int.from_bytes(value, "little")
            machine.values[argument.op] = value & mask(argument.op.width)


def _value(machine: _Machine, op: Op) -> int:
    return op.value if op.kind == "constant" else machine.values[op]


def _run_block(machine: _Machine, block: Block) -> tuple[Block | None, int | None]:
    for op in block.ops:
        machine.steps += 1
        _run_op(machine, op)
    if machine.steps > STEP_LIMIT:
        text = f"@{machine.kernel.name} has not ended after {STEP_LIMIT} operations"
        raise InternalError(Diagnostic("interpreter-limit", text))
    end = block.end
    if end.kind == "return":
        return _return(machine, None if end.value is None else _value(machine, end.value))
    if end.kind == "call":
        into, onward = end.edges
        machine.waiting.append((end.callee, _take(machine, onward)))
        return _take(machine, into), None
    taken = end.edges[0]
    if end.condition is not None and not _value(machine, end.condition):
        taken = end.edges[1]
    return _take(machine, taken), None


def _return(machine: _Machine, value: int | None) -> tuple[Block | None, int | None]:
    if not machine.waiting:
        return None, value
    function, onward = machine.waiting.pop()
    if value is not None:
        machine.results[function] = value
    return onward, None


def _take(machine: _Machine, edge: Edge) -> Block:
    values = [_value(machine, a) for a in edge.arguments]
    machine.values.update(zip(edge.block.parameters, values, strict=True))
    return edge.block


def _run_op(machine: _Machine, op: Op) -> None:
    values = [_value(machine, o) for o in op.operands]
    row = OPERATIONS[op.kind]
    if row.evaluate is not None:
        result = row.evaluate(values, [o.width for o in op.operands], op.width)
        machine.values[op] = result & mask(op.width)
    elif op.kind == "result":
        machine.values[op] = machine.results[op.attributes["function"]]
    elif op.kind == "extract":
        machine.values[op] = values[0] >> op.attributes["low"] & mask(op.width)
    else:
        _access(machine, op, values)


def _access(machine: _Machine, op: Op, values: list[int]) -> None:
    memory = machine.kernel.memories[op.memory]
    if op.kind == "pop":
        machine.values[op] = _read(machine, memory, _advance(machine, memory))
    elif op.kind == "push":
        _write(machine, memory, _advance(machine, memory), values[0])
    elif op.kind == "store":
        if len(values) < 3 or values[2]:
            _write(machine, memory, values[0], values[1])
    elif len(values) > 1 and not values[1]:
        machine.values[op] = UNDEFINED & mask(op.width)
    else:
        machine.values[op] = _read(machine, memory, values[0])


def _advance(machine: _Machine, memory: Memory) -> int:
    position = machine.positions.get(memory.name, 0)
    machine.positions[memory.name] = position + 1
    return position


def _read(machine: _Machine, memory: Memory, index: int) -> int:
    cells = machine.cells[memory.name]
    if isinstance(cells, bytearray):
        size = memory.element_bits // 8
        part = cells[index * size : index * size + size]
        if len(part) != size:
            raise _outside(machine, memory, index)
        return int.from_bytes(part, "little")
    index &= mask(memory.index_bits)
    return cells[index] if index < len(cells) else 0


def _write(machine: _Machine, memory: Memory, index: int, value: int) -> None:
    cells = machine.cells[memory.name]
    if isinstance(cells, bytearray):
        size = memory.element_bits // 8
        if (index + 1) * size > len(cells):
            raise _outside(machine, memory, index)
        cells[index * size : (index + 1) * size] = value.to_bytes(size, "little")
        return
    index &= mask(memory.index_bits)
    if index < len(cells):
        cells[index] = value & mask(memory.element_bits)


def _outside(machine: _Machine, memory: Memory, index: int) -> InternalError:
    text = f"@{machine.kernel.name}: element {index} of {memory.name} is outside its buffer"
    return InternalError(Diagnostic("outside-buffer", text))
