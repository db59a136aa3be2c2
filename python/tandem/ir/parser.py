# SPDX-License-Identifier: Apache-2.0
"""Reads the text that `printer.print_kernel` writes, of this version and no other."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TypeVar

from tandem.diagnostics import Place, UserError, user_error
from tandem.ir.argument import Argument, ArgumentKind, Extent, Field, Part, Variable
from tandem.ir.blocks import ENDS, Block, Branch, Call, Edge, Return, Start, Terminator
from tandem.ir.expressions import parse_expression
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LOOP, NO_LOOP, LoopId
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import OPERATIONS, ArgumentOp, Op, Parameter, constant
from tandem.ir.printer import HEAD, LOOP_COUNTS, LOOP_SETS, NUMBERS

_QUOTED = r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*"'
_NUMBERS = r"\d+(?:, \d+)*"
_ORIGIN = rf"(?: !(\d+))?(?: ({_QUOTED}))?"
_KERNEL = re.compile(rf"kernel @(\S+)(?: ({_QUOTED}))?$")
_ARGUMENT = re.compile(
    r"argument @(\S+) : (\w+) (\w+)(?: i(\d+))?( signed)?(?: memory=@(\S+))?( unread)?( volatile)?"
    r"(?: float_bytes=(\d+))?(?: tells_of=@(\S+))?(?: joins=(@\S+))?( made)?"
    r"(?: served=(\d+)\.\.(\d+))?"
    r"(?: field=@(\S+)\+(-?\d+)( open)?)?(?: part=@(\S+)\+(\d+):(\d+))?"
    rf"(?: variable=({_QUOTED}):(\d+)( private)?)? ({_QUOTED})"
    r'(?: (exact|bound|declared|typed)="([^"]*)")?(?: proof="([^"]*)")?$'
)
_MEMORY = re.compile(
    rf"memory @(\S+) : (\w+) (\d+|\?) x i(\d+)(?: = \[({_NUMBERS})\])?(?: banks=(\d+))?"
    rf"(?: rows=\[({_NUMBERS})\])?$"
)
_IN_PLACE = re.compile(r"in_place @(\S+), @(\S+)$")
_OVERLAP = re.compile(r"overlap @(\S+(?:, @\S+)+)$")
_LOOP_NUMBERS = re.compile(rf"(\w+) ({LOOP}): ({_NUMBERS})$")
_LOOPS = re.compile(rf"(\w+) ({LOOP}(?:, {LOOP})*)$")
_NUMBER = re.compile(r"(\w+) (\d+)$")
_PARAMETER = re.compile(rf"(%\d+):i(\d+){_ORIGIN}(?:, )?")
_HEADER = re.compile(
    rf"\^([\w.]+)(?:\(((?:[^\")]|{_QUOTED})*)\))?:(?: line=(\d+))?"
    rf"(?: loop=({LOOP}))?(?: part=([\w-]+))?(?: ii=(-?\d+))?"
    r"(?: copies=(\d+))?(?: turns=(\d+))?(?: uncounted=(\d+))?(?: rounds=(\d+))?"
    r"(?: interleaved=(\d+))?(?: independent=(\d+))?(?: trip=(\S+))?$"
)
_CONSTANT = re.compile(r"(-?\d+):i(\d+)$")
_OP = re.compile(
    r"(?:(%\d+) = )?(\w+)(?: ([^{:!][^{!]*?))?(?: \{([^}]*)\})?(?: : i(\d+))?" + _ORIGIN + "$"
)
_END = re.compile(r"(jump|branch|call|start|join|return)(?: ([^!]+?))?(?: !(\d+))?$")
_EDGE = re.compile(r"\^([\w.]+)\(([^)]*)\)( seldom)?")


_Kind = TypeVar("_Kind", ArgumentKind, MemoryKind)

WIDEST = 1 << 20
"""Bits of a value: far more than any record, and no number that memory cannot hold."""


@dataclass
class _State:
    file: str
    kernel: Kernel = field(default_factory=lambda: Kernel(""))
    values: dict[str, Op] = field(default_factory=dict)
    blocks: dict[str, Block] = field(default_factory=dict)
    arrays: list[tuple[int, Argument, str]] = field(default_factory=list)
    ends: list[tuple[int, Block, re.Match[str]]] = field(default_factory=list)
    trips: list[tuple[int, Block, str]] = field(default_factory=list)


def parse(text: str, file: str = "<text>") -> Kernel:
    """The kernel that `text` describes. Raises UserError with the line that cannot be read."""
    state = _State(file)
    stripped = ((number, raw.strip()) for number, raw in enumerate(text.splitlines(), 1))
    lines = [(n, line) for n, line in stripped if line and not line.startswith("//")]
    _require_version(state, *lines[0] if lines else (1, ""))
    for number, line in lines[1:]:
        try:
            _line(state, line, number)
        except (ValueError, OverflowError) as error:  # a number of a million digits
            raise _error(state, number, f"cannot be read: {error}") from error
    for number, argument, name in state.arrays:
        argument.memory = _array(state, name, number)
    for number, block, match in state.ends:
        try:
            block.end = _end(state, match, number)
        except (ValueError, OverflowError) as error:
            raise _error(state, number, f"cannot be read: {error}") from error
    for number, block, word in state.trips:
        block.trip_count = _use(state, word, number)
    return state.kernel


def _require_version(state: _State, number: int, line: str) -> None:
    """What else the text holds is not looked at: another version may mean something else by it."""
    if line != HEAD:
        is_other = re.fullmatch(r"tandem-ir \d+", line)
        found = f"this is `{line}`" if is_other else f"the text does not begin with `{HEAD}`"
        raise user_error(
            "ir-version",
            f"{found}; this version of Tandem reads `{HEAD}`",
            Place(state.file, number),
            f"have this version print it again, or begin what docs/ir.md describes with `{HEAD}`",
        )


def _line(state: _State, line: str, number: int) -> None:
    word = line.split()[0]
    if word.startswith("^"):
        _header(state, line, number)
    elif state.kernel.blocks:
        _inside(state, line, number)
    elif word in _DECLARATIONS:
        _DECLARATIONS[word](state, line, number)
    else:
        raise _error(state, number, f"expected a block header, found `{line}`")


def _inside(state: _State, line: str, number: int) -> None:
    block = state.kernel.blocks[-1]
    end = _END.match(line)
    if end:
        state.ends.append((number, block, end))
    else:
        _op(state, block, line, number)


def _error(state: _State, number: int, message: str) -> UserError:
    return user_error("ir-syntax", message, Place(state.file, number), "see docs/ir.md")


def _matched(
    state: _State, pattern: re.Pattern[str], what: str, line: str, number: int
) -> re.Match[str]:
    found = pattern.match(line)
    if not found:
        raise _error(state, number, f"not {what}: `{line}`")
    return found


def _unquoted(text: str | None) -> str:
    return json.loads(text) if text else ""


def _kernel(state: _State, line: str, number: int) -> None:
    name, source = _matched(state, _KERNEL, "a kernel", line, number).groups()
    state.kernel.name, state.kernel.source = name, _unquoted(source)


def _argument(state: _State, line: str, number: int) -> None:
    match = _matched(state, _ARGUMENT, "an argument", line, number)
    name, kind, direction, width, sign, memory, *told, c_type = match.groups()[:-3]
    extent = match.groups()[-3:]
    unread, volatile, float_bytes, tells_of, joins, made, least, most, *told = told
    parent, offset, is_open, whole, start, length, symbol, size, private = told
    argument = Argument(
        name,
        _kind(state, ArgumentKind, kind, number),
        direction,
        _unquoted(c_type),
        int(width or 0),
    )
    argument.signed, argument.reads = bool(sign), not unread
    argument.is_volatile = bool(volatile)
    argument.float_bytes, argument.tells_of = int(float_bytes or 0), tells_of or ""
    argument.joins = tuple(joins[1:].split(",@")) if joins else ()
    argument.made = bool(made)
    argument.least, argument.most = int(least or 0), int(most) if most else None
    if parent:
        argument.field = Field(parent, int(offset), bool(is_open))
    if whole:
        argument.part = Part(whole, int(start), int(length))
    if symbol:
        argument.variable = Variable(_unquoted(symbol), int(size), bool(private))
    argument.extent = _extent(state, number, *extent)
    if kind in ("scalar", "block", "place") and direction == "in":
        argument.op = ArgumentOp((), argument.width, {"name": name}, name=name)
        state.values[f"@{name}"] = argument.op
    if memory:
        state.arrays.append((number, argument, memory))
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
    match = _matched(state, _MEMORY, "a memory", line, number)
    name, kind, depth, width, contents, banks, rows = match.groups()
    size = None if depth == "?" else int(depth)
    words = tuple(_numbers(contents))
    of_kind = _kind(state, MemoryKind, kind, number)
    memory = Memory(name, of_kind, int(width), size, words, int(banks or 1), tuple(_numbers(rows)))
    state.kernel.memories[name] = memory


def _kind(state: _State, kinds: type[_Kind], word: str, number: int) -> _Kind:
    try:
        return kinds(word)
    except ValueError:
        raise _error(state, number, f"no such kind: `{word}`") from None


def _array(state: _State, name: str, number: int) -> Memory:
    if name not in state.kernel.memories:
        raise _error(state, number, f"no memory @{name}")
    return state.kernel.memories[name]


def _in_place(state: _State, line: str, number: int) -> None:
    read, written = _matched(state, _IN_PLACE, "two arguments", line, number).groups()
    state.kernel.in_place.add((read, written))


def _overlap(state: _State, line: str, number: int) -> None:
    (names,) = _matched(state, _OVERLAP, "arguments", line, number).groups()
    state.kernel.overlaps += (tuple(names.split(", @")),)


def _unrolled(state: _State, line: str, number: int) -> None:
    _, loop, lines = _matched(state, _LOOP_NUMBERS, "a loop and lines", line, number).groups()
    state.kernel.unrolled[LoopId.of(loop)] = set(_numbers(lines))


def _counted(state: _State, line: str, number: int) -> None:
    name, loop, *rest = _matched(state, _LOOP_NUMBERS, "a loop and a number", line, number).groups()
    (count,) = _numbers(rest[0])
    getattr(state.kernel, name)[LoopId.of(loop)] = count


def _loops(state: _State, line: str, number: int) -> None:
    name, loops = _matched(state, _LOOPS, "loops of the C", line, number).groups()
    getattr(state.kernel, name).update(map(LoopId.of, loops.split(", ")))


def _number(state: _State, line: str, number: int) -> None:
    name, value = _matched(state, _NUMBER, "one number", line, number).groups()
    setattr(state.kernel, name, int(value))


def _numbers(text: str | None) -> list[int]:
    return [int(number) for number in text.split(", ")] if text else []


_DECLARATIONS = {
    "kernel": _kernel,
    "argument": _argument,
    "memory": _memory,
    "in_place": _in_place,
    "overlap": _overlap,
    "unrolled": _unrolled,
    **dict.fromkeys(LOOP_SETS, _loops),
    **dict.fromkeys(LOOP_COUNTS, _counted),
    **dict.fromkeys(NUMBERS, _number),
}
"""What comes before the first block, by its first word."""


def _header(state: _State, line: str, number: int) -> None:
    match = _matched(state, _HEADER, "a block header", line, number)
    name, parameters, c_line, loop, part, ii, copies, turns, uncounted, *more, trip = match.groups()
    if name in state.blocks:
        raise _error(state, number, f"there are two blocks ^{name}")
    block = Block(name, line=int(c_line or 0), turns=int(turns or 1), uncounted=int(uncounted or 0))
    block.loop, block.part = LoopId.of(loop) if loop else NO_LOOP, part or ""
    rounds, interleaved, independent = more
    block.rounds, block.interleaved = int(rounds or 0), int(interleaved or 1)
    block.independent = int(independent or 0)
    block.wanted_ii = int(ii) if ii else None
    block.copies = int(copies) if copies else None
    block.parameters = _parameters(state, parameters or "", number)
    if trip:
        state.trips.append((number, block, trip))
    state.blocks[name] = block
    state.kernel.blocks.append(block)


def _parameters(state: _State, text: str, number: int) -> list[Op]:
    found = list(_PARAMETER.finditer(text))
    if "".join(match[0] for match in found) != text:
        raise _error(state, number, f"not the parameters of a block: `{text}`")
    parameters = []
    for label, width, *origin in (match.groups() for match in found):
        state.values[label] = Parameter((), int(width), None, *_origin(*origin))
        parameters.append(state.values[label])
    return parameters


def _origin(line: str | None, name: str | None) -> tuple[int, str]:
    """The line of the C that a value comes from, and the variable's name."""
    return int(line or 0), _unquoted(name)


def _use(state: _State, word: str, number: int) -> Op:
    word = word.strip()
    if word in state.values:
        return state.values[word]
    if word.startswith(("%", "@")):
        raise _error(state, number, f"{word} is used before it is defined")
    found = _CONSTANT.match(word)
    if not found:
        raise _error(state, number, f"expected a value such as %3 or 7:i32, found `{word}`")
    width = int(found[2])
    if width > WIDEST:
        raise _error(state, number, f"`{word}` is wider than {WIDEST} bits")
    return constant(int(found[1]), width)


def _uses(state: _State, text: str | None, number: int) -> list[Op]:
    return [_use(state, w, number) for w in (text or "").split(",") if w.strip()]


def _op(state: _State, block: Block, line: str, number: int) -> None:
    match = _OP.match(line)
    if not match or match[2] not in OPERATIONS:
        raise _error(state, number, f"not an operation: `{line}`")
    label, kind, operands, attributes, width, *origin = match.groups()
    known = dict(_attribute(state, pair, number) for pair in (attributes or "").split(", ") if pair)
    uses = _uses(state, operands, number)
    op = OPERATIONS[kind](uses, int(width or 0), known, *_origin(*origin))
    block.ops.append(op)
    if label:
        state.values[label] = op


def _attribute(state: _State, pair: str, number: int) -> tuple[str, int | str | Memory]:
    key, _, value = pair.partition("=")
    if key == "memory":
        return key, _array(state, value, number)
    return key, int(value) if value.isdecimal() else value


def _end(state: _State, match: re.Match[str], number: int) -> Terminator:
    kind, rest, line = match[1], match[2] or "", int(match[3] or 0)
    edges = []
    for name, arguments, seldom in _EDGE.findall(rest):
        if name not in state.blocks:
            raise _error(state, number, f"no block ^{name}")
        edges.append(Edge(state.blocks[name], _uses(state, arguments, number), bool(seldom)))
    end = ENDS[kind](edges=edges, line=line)
    first = rest.split(",")[0].strip()
    if isinstance(end, Branch):
        end.condition = _use(state, first, number)
    elif isinstance(end, (Call, Start)):
        end.callee = first.removeprefix("@")
    elif isinstance(end, Return) and first:
        end.value = _use(state, first, number)
    return end
