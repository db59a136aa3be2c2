# SPDX-License-Identifier: Apache-2.0
"""Functions that call themselves, or each other, as one function with a stack.

    int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }

    call:    n = given                       a call goes one frame up and back to the first block,
             if (n < 2) { result = n; goto back; }
             frame.n[top] = n; site[top + 1] = 0; given = n - 1; top++; goto call;
    behind0: frame.f[top] = result; site[top + 1] = 1; given = frame.n[top] - 2; top++; goto call;
    behind1: result = frame.f[top] + result; goto back;
    back:    if (top == 0) return result;    and a return one down, behind the call
             switch (site[top--]) { 0: goto behind0; 1: goto behind1; }

A frame holds what is needed behind a call and known before it, and the function's arrays; each of
these is an array over all frames, and becomes a memory. Addresses are made again where they are
needed. What every call hands on as it is, is no part of a frame. A call beyond the last frame is a
trap, and ends the function.

LLVM puts values into variables of their own where they are needed in another block; those that do
not live across such a call become values again later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import llvmlite.binding as llvm

from tandem.frontend.function_lines import (
    ALLOCA,
    CALL,
    DBG,
    MADE,
    NAMES,
    PHI,
    Blocks,
    apart,
    call_parts,
    is_told,
    types_of,
    with_names,
    without_tails,
)
from tandem.frontend.text import LOCAL_NAME, function_text
from tandem.ir.traps import FRAMES, trap_declared, trap_store, trap_symbol
from tandem.llvm.passes import Passes, run_passes

_RETURN = re.compile(r"^  ret (?:void|.* (\S+))$")
_ADDRESS = re.compile(rf"^  ({LOCAL_NAME}) = getelementptr ")
_LOAD = re.compile(rf"^  {LOCAL_NAME} = load [^,]*, ptr ({LOCAL_NAME})")
_STORE = re.compile(rf"^  store .*, ptr ({LOCAL_NAME}),? ?(?:align|!|$)")
_IN_PHI = re.compile(rf", ({LOCAL_NAME}) \]")
_PARAMETER = re.compile(rf"^(.*?) ({LOCAL_NAME})$")
_BY_VALUE = re.compile(r"\bbyval\((.*?)\)(?= )")
_OF_OWN_LINES = re.compile(r", !(?:dbg|llvm\.loop) !\d+")
"""What tells of the C lines of the function that an instruction is in, which must be its own."""
_DEMOTED = ".reg2mem"
_COPY = "llvm.memcpy.p0.p0.i64"


def with_stack(
    module: llvm.ModuleRef, entry: str, names: Sequence[str], frames: int
) -> llvm.ModuleRef:
    """The module in which the function `entry` calls none of `names`, itself among them: it has
    what they do in it, and a stack of so many frames."""
    run_passes(module, Passes.add_instruction_namer_pass)
    text = str(module)
    tag = next(tag for n in count() if (tag := f"part{n}.") not in text)
    for name in names:
        body = function_text(text, name) or ""
        text = text.replace(body, _parted(body, names, tag), 1)
    module = llvm.parse_assembly(text)
    run_passes(module, Passes.add_register_to_memory_pass)
    text = str(module)
    machine = _Machine(text, module, entry, names, frames)
    made = machine.text()
    text = text.replace(function_text(text, entry) or "", made, 1) + trap_declared(machine.trap)
    if f"@{_COPY}(" in made and not re.search(rf"^declare [^@\n]*@{_COPY}\(", text, re.M):
        text += f"\ndeclare void @{_COPY}(ptr, ptr, i64, i1)\n"
    return llvm.parse_assembly(text)


# -- before LLVM finds what lives from one block to another ----------------------------------------


def _parted(body: str, names: Sequence[str], tag: str) -> str:
    """A function's text in which each call of some functions ends a block, parameters are values of
    the first block, and addresses are made in every block that needs them. New names begin with
    `tag`."""
    blocks = Blocks.of(body)
    blocks.lines = {
        label: [line for line in lines if not is_told(line) and "@llvm.lifetime." not in line]
        for label, lines in blocks.lines.items()
    }
    _take_parameters(blocks, names, tag)
    _make_addresses_again(blocks, tag)
    lines: dict[str, list[str]] = {}
    last: dict[str, str] = {}
    for label, old in blocks.lines.items():
        current = lines[label] = []
        last[f"%{label}"] = f"%{label}"
        for line in old:
            current.append(line)
            if _called(line) in names:
                behind = f"{tag}behind{len(lines)}"
                current.append(f"  br label %{behind}")
                current = lines[behind] = []
                last[f"%{label}"] = f"%{behind}"
    for label, old in lines.items():
        lines[label] = [
            _IN_PHI.sub(lambda m: f", {last[m[1]]} ]", x) if PHI.match(x) else x for x in old
        ]
    blocks.lines = lines
    return blocks.text()


def _take_parameters(blocks: Blocks, functions: Sequence[str], tag: str) -> None:
    """Every parameter as a value that the first block makes; but for structs by value, and what
    every call hands on."""
    fixed = _handed_on(blocks, functions)
    taken = {
        name: (_kind_in(kind), f"%{tag}taken{i}")
        for i, (kind, name) in enumerate(_parameters(blocks.head))
        if not _BY_VALUE.search(f"{kind} ") and name not in fixed
    }
    names = {name: own for name, (_, own) in taken.items()}
    for label, lines in blocks.lines.items():
        blocks.lines[label] = [with_names(line, names) for line in lines]
    first = next(iter(blocks.lines.values()))
    first[:0] = [f"  {own} = freeze {kind} {name}" for name, (kind, own) in taken.items()]


def _handed_on(blocks: Blocks, functions: Sequence[str]) -> set[str]:
    """The parameters of a function, the only one that calls itself, that it gives to itself as they
    are."""
    if len(functions) > 1:
        return set()
    calls = [x for lines in blocks.lines.values() for x in lines if _called(x) in functions]
    given = [_operands(call_parts(line)[1]) for line in calls]
    return {
        name
        for i, (kind, name) in enumerate(_parameters(blocks.head))
        if not _BY_VALUE.search(f"{kind} ") and all(values[i] == name for values in given)
    }


def _make_addresses_again(blocks: Blocks, tag: str) -> None:
    """Every address in each block that needs it, before the first need; what a phi takes, at the
    end of the block from which it takes it, stays."""
    addresses = {
        m[1]: line
        for lines in blocks.lines.values()
        for line in lines
        if (m := _ADDRESS.match(line))
    }
    names = (f"%{tag}again{n}" for n in count())
    for label, lines in blocks.lines.items():
        here: dict[str, str] = {}
        made: list[str] = []
        for line in lines:
            if not PHI.match(line):
                made += _addresses_for(line, addresses, here, names)
            own = MADE.match(line)
            made.append(line if PHI.match(line) else _with_used(line, here))
            if own:
                here[own[1]] = own[1]
        blocks.lines[label] = made


def _addresses_for(
    line: str, addresses: dict[str, str], here: dict[str, str], names: Iterator[str]
) -> list[str]:
    """What makes the addresses again that a line needs and its block does not have yet."""
    found: list[str] = []
    made = MADE.match(line)
    for name in NAMES.findall(line):
        if name in addresses and name not in here and not (made and made[1] == name):
            found += _addresses_for(addresses[name], addresses, here, names)
            here[name] = again = next(names)
            _, _, how = _with_used(addresses[name], here).partition(" = ")
            found.append(f"  {again} = {how}")
    return found


def _with_used(line: str, names: dict[str, str]) -> str:
    """A line with other names for what it uses."""
    made = MADE.match(line)
    start = made.end() if made else 0
    return line[:start] + with_names(line[start:], names)


def _parameters(head: str) -> list[tuple[str, str]]:
    """(type and attributes, name) of each parameter of a function's first line."""
    inside = re.search(r"@(?:\"[^\"]*\"|[^\s(]+)\(", head)
    assert inside is not None
    depth, end = 1, inside.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(head[end], 0)
        end += 1
    found = apart(head[inside.end() : end - 1])
    pairs = (_PARAMETER.match(text) for text in found if text)
    return [(pair[1], pair[2]) for pair in pairs if pair]


def _kind_in(text: str) -> str:
    """The type that attributes follow."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}>")
        if character == " " and not depth:
            return text[:i]
    return text


def _called(line: str) -> str:
    """The function that a line calls; empty where it calls none by its name."""
    call = CALL.match(line)
    return call[1].strip('"') if call else ""


# -- behind that -----------------------------------------------------------------------------------


@dataclass
class _Body:
    """A function that becomes part of another one. `own`: before the names of its values where they
    are then; `fixed`: parameters that are the same in all frames; `framed`: what every frame has
    one of, and its type."""

    blocks: Blocks
    parameters: list[tuple[str, str]]
    by_value: dict[str, str]
    result: str
    own: str
    fixed: set[str]
    variables: dict[str, str]
    framed: dict[str, str]
    names: set[str]
    """Of all values and labels."""

    def renamed(self, name: str) -> str:
        """A value of the function's, or a label, by its name in the whole."""
        return f'%"{self.own}{name[2:]}' if name.startswith('%"') else f"%{self.own}{name[1:]}"

    @property
    def given(self) -> dict[int, str]:
        """Where a call puts what it gives for each parameter that is not fixed."""
        found = {i: f"%stack.{self.own}given{i}" for i in range(len(self.parameters))}
        return {i: place for i, place in found.items() if self.parameters[i][1] not in self.fixed}


class _Machine:
    """The function that some functions become."""

    def __init__(
        self, text: str, module: llvm.ModuleRef, entry: str, names: Sequence[str], frames: int
    ) -> None:
        self.frames = frames
        self.bodies = {
            name: _body_of(text, module, name, f"r{i}.", names) for i, name in enumerate(names)
        }
        self.entry = self.bodies[entry]
        self.trap = trap_symbol(FRAMES, frames, entry)
        self._numbers = count()
        self._sites: list[str] = []
        """Where it goes on behind each call."""

    def text(self) -> str:
        """Its text."""
        entry = self.entry
        parts = [line for body in self.bodies.values() for line in self._lines(body)]
        lines = [entry.blocks.head, "stack.entry:", *self._memories()]
        for i, given in entry.given.items():
            lines.append(f"  store {' '.join(entry.parameters[i])}, ptr {given}")
        lines += ["  store i64 0, ptr %stack.top", f"  br label %stack.{entry.own}call"]
        return without_tails("\n".join([*lines, *parts, *self._back(), "}", ""]))

    def _memories(self) -> Iterator[str]:
        yield "  %stack.top = alloca i64"
        yield f"  %stack.site = alloca [{self.frames} x i16]"
        for body in self.bodies.values():
            if body.result != "void":
                yield f"  %stack.{body.own}result = alloca {body.result}"
            for i, given in body.given.items():
                yield f"  {given} = alloca {body.parameters[i][0]}"
            for name, kind in body.variables.items():
                yield f"  {body.renamed(name)} = alloca {kind}"
            for name, kind in body.framed.items():
                yield f"  {body.renamed(name)} = alloca [{self.frames} x {kind}]"

    def _lines(self, body: _Body) -> Iterator[str]:
        """The blocks of a function, led in by what takes its arguments."""
        yield f"stack.{body.own}call:"
        for i, given in body.given.items():
            kind, name = body.parameters[i]
            if name not in body.by_value:
                yield f"  {body.renamed(name)} = load {kind}, ptr {given}"
                continue
            struct, copied = body.by_value[name], f"%stack.copied{next(self._numbers)}"
            place, lines = self._place(body, name)
            yield from lines
            yield f"  {copied} = load ptr, ptr {given}"
            size = f"ptrtoint (ptr getelementptr ({struct}, ptr null, i64 1) to i64)"
            yield f"  call void @{_COPY}(ptr {place}, ptr {copied}, i64 {size}, i1 false)"
        yield f"  br label {body.renamed('%' + next(iter(body.blocks.lines)))}"
        is_entry = body is self.entry
        for label, lines in body.blocks.lines.items():
            yield f"{body.renamed('%' + label)[1:]}:"
            for line in lines:
                if not ALLOCA.match(line):
                    shown = line if is_entry else _OF_OWN_LINES.sub("", line)
                    yield from self._line(body, shown)

    def _line(self, body: _Body, line: str) -> Iterator[str]:
        """What a line is now."""
        used = set(NAMES.findall(line)) & body.names - body.fixed
        names = {n: body.renamed(n) for n in sorted(used)}
        for name in [n for n in names if n in body.framed]:
            names[name], lines = self._place(body, name)
            yield from lines
        callee, returned = self.bodies.get(_called(line)), _RETURN.match(DBG.sub("", line))
        if callee is not None:
            yield from self._call(body, callee, line, names)
        elif returned:
            if body.result != "void":
                value = with_names(returned[1], names)
                yield f"  store {body.result} {value}, ptr %stack.{body.own}result"
            yield "  br label %stack.back"
        else:
            yield with_names(line, names)

    def _place(self, body: _Body, name: str) -> tuple[str, list[str]]:
        """Where something is in the frame: by what name, and what makes it."""
        place, memory = f"%stack.place{next(self._numbers)}", body.renamed(name)
        element = f"getelementptr {body.framed[name]}, ptr {memory}, i64 {place}.top"
        return place, [f"  {place}.top = load i64, ptr %stack.top", f"  {place} = {element}"]

    def _call(self, body: _Body, callee: _Body, line: str, names: dict[str, str]) -> Iterator[str]:
        """A call as a jump, and the block behind it."""
        number = len(self._sites)
        self._sites.append(f"stack.behind{number}")
        here, up, place, full = (f"%stack.{w}{number}" for w in ("here", "up", "at", "full"))
        values = _operands(call_parts(line)[1])
        for i, given in callee.given.items():
            kind = callee.parameters[i][0]
            yield f"  store {kind} {with_names(values[i], names)}, ptr {given}"
        yield f"  {here} = load i64, ptr %stack.top"
        yield f"  {full} = icmp eq i64 {here}, {self.frames - 1}"
        yield f"  br i1 {full}, label %stack.full, label %stack.go{number}"
        yield f"stack.go{number}:"
        yield f"  {up} = add nuw nsw i64 {here}, 1"
        yield f"  {place} = getelementptr i16, ptr %stack.site, i64 {up}"
        yield f"  store i16 {number}, ptr {place}"
        yield f"  store i64 {up}, ptr %stack.top"
        yield f"  br label %stack.{callee.own}call"
        yield f"{self._sites[-1]}:"
        made = MADE.match(line)
        if made:
            yield f"  {body.renamed(made[1])} = load {callee.result}, ptr %stack.{callee.own}result"

    def _back(self) -> Iterator[str]:
        """Where every function returns to."""
        yield "stack.back:"
        yield "  %stack.from = load i64, ptr %stack.top"
        yield "  %stack.empty = icmp eq i64 %stack.from, 0"
        yield "  br i1 %stack.empty, label %stack.exit, label %stack.down"
        yield "stack.down:"
        yield "  %stack.below = sub nuw nsw i64 %stack.from, 1"
        yield "  store i64 %stack.below, ptr %stack.top"
        first, *others = self._sites
        if others:
            yield "  %stack.told = getelementptr i16, ptr %stack.site, i64 %stack.from"
            yield "  %stack.came = load i16, ptr %stack.told"
        for number, label in enumerate(others, 1):
            yield f"  %stack.is{number} = icmp eq i16 %stack.came, {number}"
            yield f"  br i1 %stack.is{number}, label %{label}, label %stack.not{number}"
            yield f"stack.not{number}:"
        yield f"  br label %{first}"
        yield "stack.full:"
        yield trap_store(self.trap)
        yield "  br label %stack.exit"
        yield "stack.exit:"
        kind = self.entry.result
        if kind == "void":
            yield "  ret void"
        else:
            yield f"  %stack.result = load {kind}, ptr %stack.{self.entry.own}result"
            yield f"  ret {kind} %stack.result"


def _body_of(text: str, module: llvm.ModuleRef, name: str, own: str, names: Sequence[str]) -> _Body:
    blocks = Blocks.of(function_text(text, name) or "")
    parameters = _parameters(blocks.head)
    by_value = {n: found[1] for kind, n in parameters if (found := _BY_VALUE.search(kind + " "))}
    types = types_of(module, name)
    variables = {
        m[1]: apart(m[2])[0]
        for lines in blocks.lines.values()
        for line in lines
        if (m := ALLOCA.match(line))
    }
    across = _across(blocks, variables, names)
    framed = {n: k for n, k in variables.items() if n in across or _DEMOTED not in n}
    function = module.get_function(name)
    return _Body(
        blocks,
        [(types[n], n) for _, n in parameters],
        by_value,
        str(function.global_value_type).partition(" (")[0],
        own,
        _handed_on(blocks, names),
        {n: k for n, k in variables.items() if n not in framed},
        framed | by_value,
        {*types, *(f"%{label}" for label in blocks.lines)},
    )


def _across(blocks: Blocks, variables: dict[str, str], names: Sequence[str]) -> set[str]:
    """The variables that are read behind a call of some functions and set before it, by liveness:
    what is read before it is set."""
    leaving: dict[str, set[str]] = {label: set() for label in blocks.lines}
    found: set[str] = set()
    changed = True
    while changed:
        changed = False
        for label, lines in reversed(blocks.lines.items()):
            live = set(leaving[label])
            for line in reversed(lines):
                load, store = _LOAD.match(line), _STORE.match(line)
                if store:
                    live.discard(store[1])
                if load and load[1] in variables:
                    live.add(load[1])
                if _called(line) in names:
                    found |= live
            for before in blocks.before[label]:
                changed |= not live <= leaving[before]
                leaving[before] |= live
    return found


def _operands(text: str) -> list[str]:
    """The values, without types and attributes, in the brackets of a call."""
    return [_value(operand) for operand in apart(text) if operand]


def _value(operand: str) -> str:
    """What is behind a type and attributes; a constant expression has blanks in it."""
    depth = 0
    for i in range(len(operand) - 1, -1, -1):
        character = operand[i]
        depth += (character in ")]}>") - (character in "([{<")
        if character == " " and not depth:
            value = operand[i + 1 :]
            if not value.startswith("("):
                return value
    return operand
