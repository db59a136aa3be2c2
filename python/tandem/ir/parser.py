# SPDX-License-Identifier: Apache-2.0
"""Reads the text that `printer.print_kernel` writes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tandem.diagnostics import Place, UserError, user_error
from tandem.ir.expressions import parse_expression
from tandem.ir.kernel import (
    Argument,
    Block,
    Edge,
    Extent,
    Kernel,
    Memory,
    Op,
    Terminator,
    constant,
)
from tandem.ir.operations import OPERATIONS

_ARGUMENT = re.compile(
    r'argument @(\S+) : (\w+) (\w+)(?: i(\d+))?( signed)?(?: memory=@(\S+))? "([^"]*)"'
    r'(?: (exact|bound|declared|typed)="([^"]*)")?(?: proof="([^"]*)")?$'
)
_MEMORY = re.compile(
    r"memory @(\S+) : (\w+) (\d+|\?) x i(\d+)(?: = \[([^\]]*)\])?(?: banks=(\d+))?$"
)
_HEADER = re.compile(r"\^([\w.]+)(?:\(([^)]*)\))?:(.*)$")
_OP = re.compile(
    r"(?:(%\d+) = )?(\w+)(?: ([^{:!][^{!]*?))?(?: \{([^}]*)\})?(?: : i(\d+))?(?: !(\d+))?$"
)
_EDGE = re.compile(r"\^([\w.]+)\(([^)]*)\)( seldom)?")


@dataclass
class _State:
    file: str
    kernel: Kernel = field(default_factory=lambda: Kernel(""))
    values: dict[str, Op] = field(default_factory=dict)
    blocks: dict[str, Block] = field(default_factory=dict)
    later: list[tuple[int, Block, str]] = field(default_factory=list)
    trips: list[tuple[int, Block, str]] = field(default_factory=list)


def parse(text: str, file: str = "<text>") -> Kernel:
    """The kernel that `text` describes. Raises UserError with the line that cannot be read."""
    state = _State(file)
    current: Block | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        if line.startswith("kernel @"):
            state.kernel.name = line[8:]
        elif line.startswith("argument "):
            _argument(state, line, number)
        elif line.startswith("memory "):
            _memory(state, line, number)
        elif line.startswith("^"):
            current = _header(state, line, number)
        elif current is None:
            raise _error(state, number, f"expected a block header, found `{line}`")
        elif line.split()[0] in ("jump", "branch", "call", "return"):
            state.later.append((number, current, line))
        else:
            _op(state, current, line, number)
    for number, block, line in state.later:
        block.end = _end(state, line, number)
    for number, block, word in state.trips:
        block.trip_count = _use(state, word, number)
    _bind_memories(state)
    return state.kernel


def _error(state: _State, number: int, message: str) -> UserError:
    return user_error("ir-syntax", message, Place(state.file, number), "see docs/ir.md")


def _argument(state: _State, line: str, number: int) -> None:
    match = _ARGUMENT.match(line)
    if not match:
        raise _error(state, number, f"not an argument: `{line}`")
    name, kind, direction, width, sign, memory, c_type, *extent = match.groups()
    argument = Argument(name, kind, direction, c_type, int(width or 0), signed=bool(sign))
    argument.extent = _extent(state, number, *extent)
    if kind in ("scalar", "block") and direction == "in":
        argument.op = Op("argument", (), argument.width, {"name": name}, name=name)
        state.values[f"@{name}"] = argument.op
    if memory:
        argument.memory = Memory(memory, "", 0)
    state.kernel.arguments.append(argument)


def _extent(
    state: _State, number: int, source: str | None, claim: str | None, proof: str | None
) -> Extent:
    try:
        found = parse_expression(claim) if claim else None
        proven = parse_expression(proof) if proof else found if source == "exact" else None
    except ValueError as error:
        raise _error(state, number, str(error)) from None
    return Extent(source or "observed", found, proven)


def _memory(state: _State, line: str, number: int) -> None:
    match = _MEMORY.match(line)
    if not match:
        raise _error(state, number, f"not a memory: `{line}`")
    name, kind, depth, width, contents, banks = match.groups()
    words = tuple(int(w) for w in contents.split(",")) if contents else ()
    size = None if depth == "?" else int(depth)
    memory = Memory(name, kind, int(width), size, words, banks=int(banks or 1))
    state.kernel.memories[name] = memory


def _bind_memories(state: _State) -> None:
    for argument in state.kernel.arguments:
        if argument.memory is not None:
            argument.memory = state.kernel.memories[argument.memory.name]


def _header(state: _State, line: str, number: int) -> Block:
    match = _HEADER.match(line)
    if not match:
        raise _error(state, number, f"not a block header: `{line}`")
    name, parameters, rest = match.groups()
    block = state.blocks.setdefault(name, Block(name))
    state.kernel.blocks.append(block)
    for text in filter(None, (p.strip() for p in (parameters or "").split(","))):
        label, width = text.split(":i")
        op = Op("parameter", (), int(width))
        block.parameters.append(op)
        state.values[label] = op
    for word in rest.split():
        key, _, value = word.partition("=")
        if key == "line":
            block.line = int(value)
        elif key == "ii":
            block.wanted_ii = int(value)
        elif key == "copies":
            block.copies = int(value)
        elif key == "turns":
            block.turns = int(value)
        elif key == "trip":
            state.trips.append((number, block, value))
    return block


def _use(state: _State, word: str, number: int) -> Op:
    word = word.strip()
    if word[0] in "%@":
        if word not in state.values:
            raise _error(state, number, f"{word} is used before it is defined")
        return state.values[word]
    value, _, width = word.partition(":i")
    if not width:
        raise _error(state, number, f"expected a value such as %3 or 7:i32, found `{word}`")
    return constant(int(value), int(width))


def _uses(state: _State, text: str | None, number: int) -> list[Op]:
    return [_use(state, w, number) for w in (text or "").split(",") if w.strip()]


def _op(state: _State, block: Block, line: str, number: int) -> None:
    match = _OP.match(line)
    if not match or match[2] not in OPERATIONS:
        raise _error(state, number, f"not an operation: `{line}`")
    label, kind, operands, attributes, width, source_line = match.groups()
    op = Op(kind, _uses(state, operands, number), int(width or 0), line=int(source_line or 0))
    for pair in filter(None, (attributes or "").split(", ")):
        key, _, value = pair.partition("=")
        op.attributes[key] = int(value) if value.isdigit() else value
    block.ops.append(op)
    if label:
        state.values[label] = op


def _end(state: _State, line: str, number: int) -> Terminator:
    kind, _, rest = line.partition(" ")
    edges = []
    for name, arguments, seldom in _EDGE.findall(rest):
        if name not in state.blocks:
            raise _error(state, number, f"no block ^{name}")
        edges.append(Edge(state.blocks[name], _uses(state, arguments, number), bool(seldom)))
    end = Terminator(kind, edges=edges)
    first = rest.split(",")[0].strip()
    if kind == "branch":
        end.condition = _use(state, first, number)
    elif kind == "call":
        end.callee = first.removeprefix("@")
    elif kind == "return" and first:
        end.value = _use(state, first, number)
    return end
