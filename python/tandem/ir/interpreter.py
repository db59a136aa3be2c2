# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel on numbers: the second of the three independent answers (C, IR, RTL).

Plain on purpose; a block that runs often becomes a function (`ir.hot_blocks`). Pointer arguments
are given as bytearrays, scalars and blocks as integers or bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tandem.diagnostics import Diagnostic, InternalError
from tandem.ir.argument import Argument
from tandem.ir.blocks import Block, Call, Edge, Join, Return, Start, Terminator
from tandem.ir.hot_blocks import function_of, may_wait, read_elsewhere
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import (
    Constant,
    Extract,
    Load,
    MacroOp,
    Op,
    Peek,
    Poll,
    Pop,
    Push,
    ResultOp,
    Rom,
    Room,
    Store,
    Take,
    mask,
)
from tandem.ir.traps import trap_reason

STEP_LIMIT = 50_000_000
OFTEN = 32
"""Runs of a block after which it is worth a function (`ir.hot_blocks`)."""
UNDEFINED = int.from_bytes(b"\xa5" * 128)
"""What a load that is not enabled gives, in as many bits as it has: a pattern that a result would
show."""


Step = Callable[[], None]
"""Runs an operation once."""


@dataclass
class _Thread:
    """What runs: a place in a block, and where the callers of the function go on."""

    block: Block | None
    place: int = 0
    waiting: list[tuple[str, Block]] = field(default_factory=list)
    result: int | None = None
    answers: Iterator[int] | None = None
    """What is left of what its polls answer, where that is known."""


@dataclass
class Machine:
    """What runs a kernel, and what is known of it: values by operation, arrays by name."""

    kernel: Kernel
    threads: list[_Thread] = field(default_factory=list)
    """The kernel's own blocks first, then the processes that it has started."""
    values: dict[Op, int] = field(default_factory=dict)
    cells: dict[str, list[int] | bytearray | memoryview] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    queues: dict[str, list[int]] = field(default_factory=dict)
    """What is in each FIFO."""
    results: dict[str, int] = field(default_factory=dict)
    """What the last call of each function has returned."""
    answer: int = 0
    """What the poll answers that runs next."""
    answers: Iterator[Sequence[int]] = field(default_factory=lambda: iter(()))
    """What the polls of each process answer that is yet to be started."""
    steps: int = 0
    most_steps: int = STEP_LIMIT
    bound: dict[Op, Step] = field(default_factory=dict)
    """Operations that have run, with what is the same each time."""
    runs: dict[Block, int] = field(default_factory=dict)
    """How often blocks have run that are no function yet."""
    functions: dict[Block, Step] = field(default_factory=dict)
    kept: set[Op] = field(default_factory=set)
    """Values that functions leave to others, once there is one."""


def interpret(
    kernel: Kernel,
    data: Mapping[str, int | bytes | bytearray],
    most_steps: int = STEP_LIMIT,
    answers: Sequence[Sequence[int]] = (),
) -> int | None:
    """Runs the kernel on `data`, argument name to value; buffers given as bytearrays are changed
    in place. `answers` are what the polls of each process answer, in the order in which they are
    started; without them, a poll sees what is there when it is a process's turn. Returns the
    kernel's result. Raises InternalError when it does not end."""
    machine = Machine(kernel, most_steps=most_steps, answers=iter(answers))
    _load_arguments(machine, data)
    for memory in kernel.memories.values():
        if memory.kind in (MemoryKind.RAM, MemoryKind.ROM):
            machine.cells[memory.name] = first_cells(memory)
        if memory.kind is MemoryKind.FIFO:
            machine.queues[memory.name] = []
    machine.threads.append(_Thread(kernel.entry))
    while machine.threads[0].block is not None:
        moved = [_run_thread(machine, thread) for thread in list(machine.threads)]
        if not any(moved):
            text = f"@{kernel.name}: every process waits for another one"
            raise InternalError(Diagnostic("deadlock", text))
    return machine.threads[0].result


def first_cells(memory: Memory) -> list[int]:
    """What an array inside the kernel holds before anything is stored."""
    return [*memory.contents, *[0] * ((memory.depth or 0) - len(memory.contents))]


def _load_arguments(machine: Machine, data: Mapping[str, int | bytes | bytearray]) -> None:
    for argument in machine.kernel.arguments:
        if argument.memory is not None and argument.op is None:
            buffer = _given(argument, data)
            assert isinstance(buffer, (bytearray, memoryview))
            machine.cells[argument.memory.name] = buffer
        elif argument.op is not None:
            value = _given(argument, data)
            if not isinstance(value, int):
                value = int.from_bytes(value, "little")
            machine.values[argument.op] = value & mask(argument.op.width)


def _given(
    argument: Argument, data: Mapping[str, int | bytes | bytearray]
) -> int | bytes | bytearray | memoryview:
    """What `data` has for an argument; for a member of a struct, the struct."""
    if argument.part is None:
        return data[argument.name]
    whole, start = data[argument.part.parent], argument.part.offset
    assert not isinstance(whole, int)
    return memoryview(whole)[start : start + argument.part.bytes]


def value_in(machine: Machine, op: Op) -> int:
    """Raises KeyError where it is not known."""
    return op.value if isinstance(op, Constant) else machine.values[op]


def _run_thread(machine: Machine, thread: _Thread) -> bool:
    """Runs until it ends, or waits for a record or for other threads; whether it has moved."""
    moved = False
    while thread.block is not None:
        ops = [] if _run_whole(machine, thread.block) else thread.block.ops[thread.place :]
        for op in ops:
            if _must_wait(machine, thread, op):
                return moved
            machine.steps += 1
            run_op(machine, op)
            thread.place += 1
            moved = True
        if machine.steps > machine.most_steps:
            text = f"@{machine.kernel.name} has not ended after {machine.most_steps} operations"
            raise InternalError(Diagnostic("interpreter-limit", text))
        if isinstance(thread.block.end, Join) and any(t.block for t in machine.threads[1:]):
            return moved
        thread.block, thread.place, moved = _following(machine, thread, thread.block), 0, True
        machine.steps += 1
    return moved


def _must_wait(machine: Machine, thread: _Thread, op: Op) -> bool:
    """Whether it has come to a record that is not there yet. A poll is told what it answers."""
    is_empty = op.has_memory and machine.queues.get(op.memory.name) == []
    if isinstance(op, Take) and is_empty:
        return op.enable is None or value_in(machine, op.enable) == 1
    if isinstance(op, Poll) and (op.enable is None or value_in(machine, op.enable)):
        machine.answer = int(isinstance(op, Room) or not is_empty)
        if thread.answers is not None:
            machine.answer = next(thread.answers)
    return False


def _run_whole(machine: Machine, block: Block) -> bool:
    """Runs a block that is a function, or becomes one; False of all others."""
    run = machine.functions.get(block)
    if run is None:
        machine.runs[block] = times = machine.runs.get(block, 0) + 1
        if times != OFTEN or may_wait(block, machine.kernel):
            return False
        run = machine.functions[block] = _function_of(machine, block)
    run()
    machine.steps += len(block.ops)
    return True


def _function_of(machine: Machine, block: Block) -> Step:
    if not machine.functions:
        machine.kept = read_elsewhere(machine.kernel)

    return function_of(block.ops, machine.values, machine.kept, partial(_other, machine))


def _other(machine: Machine, op: Op) -> Callable[..., int | None]:
    """What needs more than operand values, as a function of these."""
    memory = op.memory if op.has_memory else None
    if memory is not None and memory.name in machine.cells and op.enable is None:
        if isinstance(op, (Load, Rom)):
            return partial(_read, machine, memory)
        if isinstance(op, Store):
            return partial(_write, machine, memory)

    def evaluate(*values: int) -> int | None:
        _run_other(machine, op, list(values))
        return machine.values.get(op)

    return evaluate


def _following(machine: Machine, thread: _Thread, block: Block) -> Block | None:
    end = block.end
    if isinstance(end, Return):
        return _return(machine, thread, None if end.value is None else value_in(machine, end.value))
    if isinstance(end, Call):
        into, onward = end.edges
        thread.waiting.append((end.callee, take(machine, onward)))
        return take(machine, into)
    if isinstance(end, Start):
        into, onward = end.edges
        answers = next(machine.answers, None)
        known = None if answers is None else iter(answers)
        machine.threads.append(_Thread(take(machine, into), answers=known))
        return take(machine, onward)
    if isinstance(end, Join):
        del machine.threads[1:]
        machine.queues = {name: [] for name in machine.queues}
    return take(machine, edge_taken(machine, end))


def edge_taken(machine: Machine, end: Terminator) -> Edge:
    """The edge of a jump or a branch along which it goes; raises KeyError where that is not
    known."""
    if end.condition is None or value_in(machine, end.condition):
        return end.edges[0]
    return end.edges[1]


def _return(machine: Machine, thread: _Thread, value: int | None) -> Block | None:
    if not thread.waiting:
        thread.result = value
        return None
    function, onward = thread.waiting.pop()
    if value is not None:
        machine.results[function] = value
    return onward


def take(machine: Machine, edge: Edge) -> Block:
    """Goes along an edge; raises KeyError where an argument is not known."""
    values = [value_in(machine, a) for a in edge.arguments]
    machine.values.update(zip(edge.block.parameters, values, strict=True))
    return edge.block


def run_op(machine: Machine, op: Op) -> None:
    """Runs one operation; raises KeyError where an operand or an array is not known."""
    step = machine.bound.get(op)
    if step is None:
        step = machine.bound[op] = _step(machine, op)
    step()


def _step(machine: Machine, op: Op) -> Step:
    """What an operation does each time."""
    values, operands, width = machine.values, op.operands, op.width
    values.update({o: o.value for o in operands if isinstance(o, Constant)})
    widths, most = [o.width for o in operands], mask(width)
    evaluate = type(op).evaluate
    if evaluate is not None:

        def step() -> None:
            values[op] = evaluate([values[o] for o in operands], widths, width) & most

    elif isinstance(op, Extract):
        (source,), low = operands, op.low

        def step() -> None:
            values[op] = values[source] >> low & most

    else:

        def step() -> None:
            _run_other(machine, op, [values[o] for o in operands])

    return step


def _run_other(machine: Machine, op: Op, values: list[int]) -> None:
    """What needs more than operand values."""
    if isinstance(op, MacroOp):
        machine.values[op] = _macro(machine, op, values)
    elif isinstance(op, ResultOp):
        machine.values[op] = machine.results[op.function]
    else:
        _access(machine, op, values)


def _macro(machine: Machine, op: MacroOp, values: list[int]) -> int:
    """What the C makes of the operands."""
    macro = machine.kernel.macros[op.function]
    names = (a.name for a in macro.body.arguments if a.is_parameter)
    result = interpret(macro.body, dict(zip(names, values, strict=True)))
    assert result is not None
    return result & mask(op.width)


def _access(machine: Machine, op: Op, values: list[int]) -> None:
    memory = op.memory
    if op.enable_at is not None and not all(values[op.enable_at :]):
        machine.values[op] = UNDEFINED & mask(op.width)
    elif memory.kind is MemoryKind.FIFO:
        _queue(machine, op, values)
    elif isinstance(op, Pop):
        machine.values[op] = _read(machine, memory, _advance(machine, memory))
    elif isinstance(op, Push):
        _write(machine, memory, _advance(machine, memory), values[0])
    elif memory.kind is MemoryKind.TRAP:
        raise InternalError(Diagnostic("trap", trap_reason(memory)))
    elif isinstance(op, Store):
        _write(machine, memory, values[0], values[1])
    else:
        machine.values[op] = _read(machine, memory, values[0])


def _queue(machine: Machine, op: Op, values: list[int]) -> None:
    queue = machine.queues[op.memory.name]
    if isinstance(op, Push):
        queue.append(values[0])
    elif isinstance(op, Poll):
        machine.values[op] = machine.answer
    else:
        machine.values[op] = queue[0] if isinstance(op, Peek) else queue.pop(0)


def _advance(machine: Machine, memory: Memory) -> int:
    position = machine.positions.get(memory.name, 0)
    machine.positions[memory.name] = position + 1
    return position


def _read(machine: Machine, memory: Memory, index: int) -> int:
    cells = machine.cells[memory.name]
    if not isinstance(cells, list):
        size = memory.element_bits // 8
        part = cells[index * size : index * size + size]
        if len(part) != size:
            raise _outside(machine, memory, index)
        return int.from_bytes(part, "little")
    index &= mask(memory.index_bits)
    return cells[index] if index < len(cells) else 0


def _write(machine: Machine, memory: Memory, index: int, value: int) -> None:
    cells = machine.cells[memory.name]
    if not isinstance(cells, list):
        size = memory.element_bits // 8
        if (index + 1) * size > len(cells):
            raise _outside(machine, memory, index)
        cells[index * size : (index + 1) * size] = value.to_bytes(size, "little")
        return
    index &= mask(memory.index_bits)
    if index < len(cells):
        cells[index] = value & mask(memory.element_bits)


def _outside(machine: Machine, memory: Memory, index: int) -> InternalError:
    text = f"@{machine.kernel.name}: element {index} of {memory.name} is outside its buffer"
    return InternalError(Diagnostic("outside-buffer", text))
