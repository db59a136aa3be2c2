# SPDX-License-Identifier: Apache-2.0
"""Streams during import: which there are, and every record taken and given.

A stream is a variable that the program hands to its processes and the functions of
`tandem/stream.h` alone. Its records have a bit more where it is closed: whether this is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tandem.diagnostics import Diagnostic, UserError
from tandem.frontend.functions import next_turn
from tandem.frontend.pointers import PointerFacts
from tandem.frontend.processes import (
    DEPTH,
    EMPTY,
    FULL,
    READ,
    STREAM_CALLS,
    TRY_READ,
    TRY_WRITE,
    WORD,
    WRITE,
)
from tandem.frontend.state import Importer, value_of
from tandem.ir.blocks import Block, Join, Jump, Return, Start
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.memory import Memory
from tandem.ir.ops import (
    GIVING,
    Access,
    And,
    Has,
    Ne,
    Op,
    Peek,
    Pop,
    Push,
    Room,
    Store,
    StreamOp,
    Take,
    constant,
)
from tandem.ir.processes import may_follow, process_of, processes, stream_ops
from tandem.llvm import read as llvm

if TYPE_CHECKING:
    from tandem.frontend.memories import MemoryTable

WORD_BITS = 64
TAKEN, GIVEN = "taken from", "given to"


@dataclass
class Stream:
    """`bytes` of a record, whether it is ever closed, and the least depth that the C wants."""

    bytes: int = 0
    is_closed: bool = False
    depth: int = 0

    @property
    def record_bits(self) -> int:
        return 8 * self.bytes + self.is_closed


def is_called(instruction: llvm.Ref, *names: str) -> bool:
    """Whether an instruction calls one of some functions."""
    if llvm.call("GetInstructionOpcode", instruction) != llvm.CALL:
        return False
    return llvm.name(llvm.call("GetCalledValue", instruction)) in names


def find_streams(functions: Sequence[llvm.Ref], facts: PointerFacts) -> dict[llvm.Ref, Stream]:
    """The streams of some functions, by the variables that they are."""
    found: dict[llvm.Ref, Stream] = {}
    for call in llvm.calls(functions):
        name = llvm.name(llvm.call("GetCalledValue", call))
        if name not in STREAM_CALLS:
            continue
        pointer, *numbers = llvm.operands(call)
        for base in facts.bases(pointer):
            stream = found.setdefault(base, Stream())
            if name in (READ, WRITE, TRY_READ, TRY_WRITE):
                stream.bytes = llvm.constant_number(numbers[0]) or 0
            if name in (WRITE, TRY_WRITE):
                stream.is_closed |= llvm.constant_number(numbers[1]) == 0
            if name == DEPTH:
                stream.depth = max(stream.depth, llvm.constant_number(numbers[0]) or 0)
    return found


def stream_call(
    state: Importer, memories: MemoryTable, builder: Builder, home: llvm.Ref, ref: llvm.Ref
) -> Builder:
    """Translates a call of a stream's function; the builder to go on with. `home` is the LLVM
    block in which the call stands. Raises UserError where it may be one of several streams."""
    name = llvm.name(llvm.call("GetCalledValue", ref))
    pointer, *numbers = llvm.operands(ref)
    memory, stream = _stream(state, memories, builder, pointer)
    if name == WRITE:
        builder = _ready(state, builder, home, Push, memory)
        value = _record(state, builder, stream, numbers)
        builder.raw(Push, [value], 0, memory=memory)
    elif name in (EMPTY, FULL, TRY_READ, TRY_WRITE):
        kind = Has if name in (EMPTY, TRY_READ) else Room
        builder = _ready(state, builder, home, kind, memory)
        answer = _poll(state, builder, stream, ref, memory)
        state.values[ref] = builder.resize(answer, 32)
    elif name == READ:
        kind = Peek if llvm.constant_number(numbers[1]) else Pop
        builder = _ready(state, builder, home, kind, memory)
        record = builder.raw(kind, [], memory.element_bits, memory=memory)
        state.taken[pointer] = record
        is_more = constant(1, 1)
        if stream.is_closed:
            is_more = builder.extract(record, 8 * stream.bytes, 1)
        state.values[ref] = builder.resize(is_more, 32)
    elif name == WORD:
        state.values[ref] = _word(builder, stream, state.taken[pointer], numbers[0])
    return builder


def _stream(
    state: Importer, memories: MemoryTable, builder: Builder, pointer: llvm.Ref
) -> tuple[Memory, Stream]:
    cases = memories.pointer(builder, pointer).cases
    memory = cases[0].address.memory
    bases = list(memories.facts.bases(pointer))
    stream = memories.streams.get(bases[0]) if len(bases) == 1 else None
    if memory is None or stream is None:
        raise state.error(
            "stream",
            "cannot tell which stream this is",
            "hand every process the streams themselves: `tandem_start(filter(&a, &b))`",
        )
    return memory, stream


def _ready(
    state: Importer, builder: Builder, home: llvm.Ref, kind: type[Op], memory: Memory
) -> Builder:
    """The builder of a block in which such an operation can stand next."""
    asked = kind((), 0, {"memory": memory})
    ready = may_follow(builder.block.ops, [asked])
    return builder if ready else next_turn(state, builder, home)


def _poll(state: Importer, builder: Builder, stream: Stream, ref: llvm.Ref, memory: Memory) -> Op:
    """What a call answers that waits for nothing."""
    name = llvm.name(llvm.call("GetCalledValue", ref))
    pointer, *numbers = llvm.operands(ref)
    if name == TRY_READ:
        return _tried(state, builder, stream, pointer, memory)
    if name == EMPTY:
        return builder.invert(builder.raw(Has, [], 1, memory=memory))
    room = builder.raw(Room, [], 1, memory=memory)
    if name == FULL:
        return builder.invert(room)
    value = _record(state, builder, stream, numbers)
    builder.raw(Push, [value, room], 0, memory=memory)
    return room


def _tried(
    state: Importer, builder: Builder, stream: Stream, pointer: llvm.Ref, memory: Memory
) -> Op:
    """0 where there is nothing, 1 for a record, and 2 for what says that there are no more."""
    there = builder.raw(Has, [], 1, memory=memory)
    record = builder.raw(Pop, [there], memory.element_bits, memory=memory)
    state.taken[pointer] = record
    if not stream.is_closed:
        return there
    is_more = builder.extract(record, 8 * stream.bytes, 1)
    is_end = builder.logic(And, [there, builder.invert(is_more)])
    return builder.concat(is_end, builder.logic(And, [there, is_more]))


def _record(state: Importer, builder: Builder, stream: Stream, numbers: Sequence[llvm.Ref]) -> Op:
    """What is written, lowest word first, and above it whether it is a record; `numbers` are what
    the call has behind its stream."""
    more, *words = numbers[1:-1]
    values = [value_of(state, word) for word in words]
    data = builder.extract(builder.concat(*reversed(values)), 0, 8 * stream.bytes)
    if not stream.is_closed:
        return data
    is_more = builder.compare(Ne, value_of(state, more), constant(0, 32))
    return builder.concat(is_more, data)


def _word(builder: Builder, stream: Stream, record: Op, number: llvm.Ref) -> Op:
    """One of the record's words; zeros behind its end."""
    low = WORD_BITS * (llvm.constant_number(number) or 0)
    width = min(WORD_BITS, 8 * stream.bytes - low)
    if width <= 0:
        return constant(0, WORD_BITS)
    return builder.resize(builder.extract(record, low, width), WORD_BITS)


# -- what processes may not do ---------------------------------------------------------------------


def check_processes(kernel: Kernel, in_turns: Collection[str]) -> None:
    """Raises UserError where processes share more than streams and arrays that they use
    `in_turns`, of which one writes; or a stream has not one end in a process each."""
    homes = process_of(kernel)
    users: dict[str, dict[str, Op]] = {}
    used: set[str] = set()
    ends: dict[tuple[str, str], dict[str, Op]] = {}
    for block, op in kernel.ops():
        home = homes.get(block, "")
        if isinstance(op, StreamOp):
            side = GIVEN if isinstance(op, GIVING) else TAKEN
            ends.setdefault((op.memory.name, side), {}).setdefault(home, op)
        elif isinstance(op, Access) and home:
            used.add(op.memory.name)
            if isinstance(op, Store) or op.memory.name not in in_turns:
                users.setdefault(op.memory.name, {}).setdefault(home, op)
    beside = _beside(kernel)
    findings = [
        _shared(kernel, name, {home: by[home] for home in together}, name in in_turns)
        for name, by in users.items()
        if (together := [home for home in by if beside.get(home, set()) & by.keys() - {home}])
    ]
    findings += [
        _several_ends(kernel, name, side, by)
        for (name, side), by in ends.items()
        if len(by) > 1 or "" in by
    ]
    findings += _while_they_run(kernel, used)
    findings += [] if findings else _deadlocks(kernel, ends)
    if findings:
        raise UserError(*findings)


def _beside(kernel: Kernel) -> dict[str, set[str]]:
    """Process -> the processes that may run while it does: those that are started before a join."""
    found: dict[str, set[str]] = {}
    for block in kernel.blocks:
        if not isinstance(block.end, Start):
            continue
        seen, work = {block}, [block.end.edges[1].block]
        while work:
            current = work.pop()
            if isinstance(current.end, Start):
                found.setdefault(block.end.callee, set()).add(current.end.callee)
                found.setdefault(current.end.callee, set()).add(block.end.callee)
            if current not in seen and not isinstance(current.end, Join):
                seen.add(current)
                work += current.successors
    return found


def _while_they_run(kernel: Kernel, used: set[str]) -> list[Diagnostic]:
    """What the function itself does between the first start and the join, and may not: whether it
    comes before what a process does, nobody can tell."""
    for block in kernel.blocks:
        if not isinstance(block.end, Start):
            continue
        seen, work = {block: None}, [block.end.edges[1].block]
        while work:
            current = work.pop()
            if finding := _wrong_meanwhile(kernel, current, block, used):
                return [finding]
            if current not in seen and not isinstance(current.end, Join):
                seen[current] = None
                work += current.successors
    return []


def _wrong_meanwhile(
    kernel: Kernel, block: Block, start: Block, used: set[str]
) -> Diagnostic | None:
    process = start.end.callee
    for op in block.ops:
        if isinstance(op, Access) and op.memory.name in used:
            return Diagnostic(
                "process",
                f"the array `{op.memory.name}` is used while processes run that use it",
                kernel.place(op.line),
                "use it before the first `tandem_start`, or behind `tandem_join`",
            )
    again = isinstance(block.end, Start) and block.end.callee == process
    if not again and not isinstance(block.end, Return):
        return None
    what = "is started again while it runs" if again else "may run when the function returns"
    return Diagnostic(
        "process",
        f"the process `{process}` {what}",
        kernel.place(start.end.line),
        "call `tandem_join()` behind what starts the processes",
    )


def _deadlocks(kernel: Kernel, ends: dict[tuple[str, str], dict[str, Op]]) -> list[Diagnostic]:
    """Processes in a circle, each of which takes a record of the next one's before it does anything
    else: none will ever come."""
    first = {name: _taken_first(entry) for name, entry in processes(kernel).items()}
    waits: dict[str, str] = {}
    for name, op in first.items():
        giving = ends.get((op.memory.name, GIVEN), {}) if op is not None else {}
        if giving:
            waits[name] = next(iter(giving))
    for start in waits:
        circle = [start]
        while (following := waits.get(circle[-1])) is not None and following not in circle:
            circle.append(following)
        if following == start:
            return [_deadlock(kernel, [(name, op) for name in circle if (op := first[name])])]
    return []


def _taken_first(entry: Block) -> Op | None:
    """The first thing that a process does in any case, if that is to take a record."""
    block, seen = entry, set()
    while block not in seen:
        seen.add(block)
        for op in stream_ops(block):
            return op if isinstance(op, Take) else None
        if not isinstance(block.end, Jump):
            return None
        block = block.end.edges[0].block
    return None


def _deadlock(kernel: Kernel, circle: Sequence[tuple[str, Op]]) -> Diagnostic:
    told = "; ".join(
        f"`{n}` (line {op.line}) takes a record of `{op.memory.name}`" for n, op in circle
    )
    return Diagnostic(
        "deadlock",
        f"each process waits for another one before it gives anything: {told}",
        kernel.place(circle[0][1].line),
        "have one of them give a record first",
    )


def _shared(kernel: Kernel, name: str, users: dict[str, Op], in_turns: bool) -> Diagnostic:
    line = max(op.line for op in users.values())
    done, cure = "used", "leave it to one of them, and hand its elements on through a stream"
    if in_turns:
        done, cure = "written", "have one of them write another array, and hand on that one"
    text = f"the array `{name}` is {done} by {_several(users)}, which run at the same time"
    return Diagnostic("process", text, kernel.place(line), cure)


def _several_ends(kernel: Kernel, name: str, side: str, users: dict[str, Op]) -> Diagnostic:
    line = max(op.line for op in users.values())
    text = f"the stream `{name}` is {side} by {_several(users)}: there is one at each end"
    if "" in users:
        text = f"a record is {side} the stream `{name}` outside of every process"
    cure = "give each of them a stream of its own, in a function that `tandem_start` starts"
    return Diagnostic("process", text, kernel.place(line), cure)


def _several(users: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(users))
