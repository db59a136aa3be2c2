# SPDX-License-Identifier: Apache-2.0
"""Sums that may be added in another order than the C's.

A sum of floating-point numbers waits in each iteration for the one before. Where the C leaves the
order open (`-ffast-math`, `-fassociative-math`, or a directive before the loop), the loop makes
`PARTS` sums instead, each of every so many terms, and adds them up behind it; a product likewise.
Where an iteration adds several terms one after the other there are more.
That happens here, in LLVM's IR, so that software and hardware have one order and agree in every
bit. Then all that lets LLVM change an order by itself is taken out: what it does would depend on
what it inlines.

Where only flags say so, a loop that is in another one stays: iterations of that can take turns in
it (`passes/interleave.py`), with less to do behind it. A loop qualifies that has no other loop in
it and one way out, where it is closed, and in which nobody reads the sum but what adds to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import llvmlite.binding as llvm

from tandem.frontend.text import FAST, LOCAL_NAME
from tandem.llvm.passes import Passes, run_passes

PARTS, MOST_PARTS = 16, 64
"""More than an addition takes cycles, together with the memory that keeps the sums."""
NAME = "tandem.sum"

_FLAGGED = re.compile(
    rf"( = (?:(?:tail|musttail|notail) )?(?:f[a-z]+|call|select|phi)(?= ))((?: {FAST})+)"
)
_ATTRIBUTE = re.compile(
    r' "(?:unsafe-fp-math|no-nans-fp-math|no-infs-fp-math|no-signed-zeros-fp-math|'
    r'approx-func-fp-math)"="true"'
)
_HINT = re.compile(
    r'^!(\d+) = !\{!"llvm\.loop\.vectorize\.(?:predicate\.)?enable", i1 true\}', re.M
)
_MARKED = re.compile(r'^!(\d+) = !\{!"llvm\.loop\.vectorize\.predicate\.enable", i1 true\}', re.M)
_LOOP = re.compile(r"^!(\d+) = distinct !\{!\d+((?:, !\d+)*)\}", re.M)
_LINE = re.compile(r"^!(\d+) = !DILocation\(line: (\d+)", re.M)
_FUNCTION = re.compile(r"^define [^\n]*\{\n(.*?)^\}$", re.M | re.S)

_LABEL = re.compile(r'^("[^"\n]*"|[-\w.$]+):')
_TARGET = re.compile(rf"label ({LOCAL_NAME})")
_RESULT = re.compile(rf"  ({LOCAL_NAME}) = ")
_SUM = re.compile(
    rf"  ({LOCAL_NAME}) = (fadd|fsub|fmul)((?: {FAST})*) (float|double) ([^,\s]+), ([^,\s]+)"
)
_MULTIPLY_ADD = re.compile(
    rf"  ({LOCAL_NAME}) = (?:tail )?call((?: {FAST})*) (float|double) @llvm\.fmuladd\.f(?:32|64)"
    r"\(\w+ ([^,\s]+), \w+ ([^,\s]+), \w+ ([^,\s)]+)\)"
)
_PHI = re.compile(rf"  ({LOCAL_NAME}) = phi(?: {FAST})* (\S+) (.*)")
_INCOMING = re.compile(rf"\[ ([^,\]]+), ({LOCAL_NAME}) \]")
_SELECT = re.compile(
    rf"  ({LOCAL_NAME}) = select(?: {FAST})* i1 ([^,\s]+), (?:float|double) ([^,\s]+), "
    r"(?:float|double) ([^,\s]+)"
)
_VARIABLE = re.compile(r"%([A-Za-z_]\w*)")
_DEBUG = re.compile(r", !dbg !\d+")
_OF_LOOP = re.compile(r"!llvm\.loop !(\d+)")
NEUTRAL = {"fadd": "-0.000000e+00", "fmul": "1.000000e+00"}


def with_partial_sums(modules: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Modules' texts in which every order is fixed, and what the values of each sum are called of
    which it is another one than the C's -> the C line of its loop."""
    found: dict[str, int] = {}
    return [_with_partial_sums(text, found) for text in modules], found


def _with_partial_sums(text: str, found: dict[str, int]) -> str:
    if not (_FLAGGED.search(text) or _MARKED.search(text)):
        return _without_freedom(text)
    text = _in_loops(text)
    return _without_freedom(_FUNCTION.sub(_Module(text, found).changed, text))


def _without_freedom(text: str) -> str:
    """The text with every order fixed. What is left of the directive would have clang vectorise the
    loop."""
    text = _HINT.sub(r'!\1 = !{!"llvm.loop.mustprogress"}', text)
    return _ATTRIBUTE.sub("", _FLAGGED.sub(r"\1", text))


def _in_loops(text: str) -> str:
    """The text with variables in registers, and loops in the form that LLVM's own passes want."""
    module = llvm.parse_assembly(text)
    run_passes(
        module,
        Passes.add_sroa_pass,
        Passes.add_simplify_cfg_pass,
        Passes.add_loop_rotate_pass,
        Passes.add_loop_simplify_pass,
        Passes.add_lcssa_pass,
    )
    return str(module)


class _Module:
    """What the text of a module says of its loops. `found`: the names of sums in other modules, to
    which its own are added."""

    def __init__(self, text: str, found: dict[str, int]) -> None:
        marks = set(_MARKED.findall(text))
        line_of = {number: int(line) for number, line in _LINE.findall(text)}
        self.marked: set[str] = set()
        self.line: dict[str, int] = {}
        self.found = found
        for number, nodes in _LOOP.findall(text):
            parts = re.findall(r"\d+", nodes)
            if marks.intersection(parts):
                self.marked.add(number)
            self.line[number] = next((line_of[n] for n in parts if n in line_of), 0)

    def changed(self, function: re.Match[str]) -> str:
        """A function's text with what can be made of its loops."""
        body = _Body(function[1])
        done = False
        for loop in list(body.loops()):
            found = _OF_LOOP.search(loop.latch.lines[-1])
            number = found[1] if found else ""
            is_marked = number in self.marked
            if not (is_marked or loop.is_outermost):
                continue
            for total in list(loop.sums(is_free=is_marked)):
                name = f"{NAME}.{len(self.found) + 1}"
                total.split(name)
                self.found[name] = self.line.get(number, 0)
                done = True
        whole, start, end = function[0], function.start(1), function.end(1)
        first = function.start()
        return whole[: start - first] + body.text() + whole[end - first :] if done else whole


@dataclass(eq=False)
class _Block:
    """`name`: as branches have it; `head`: the line with the label, if there is one."""

    name: str
    head: str
    lines: list[str] = field(default_factory=list)

    @property
    def targets(self) -> list[str]:
        return [name for line in self.lines for name in _TARGET.findall(line)]

    @property
    def phis(self) -> Iterator[re.Match[str]]:
        return (found for line in self.lines if (found := _PHI.match(line)))


class _Body:
    """The blocks of a function."""

    def __init__(self, text: str) -> None:
        self.blocks: dict[str, _Block] = {}
        current = None
        for line in text.split("\n"):
            label = _LABEL.match(line)
            if label or current is None:
                name = f"%{label[1]}" if label else ""
                current = _Block(name, line if label else "")
                self.blocks[name] = current
                if label:
                    continue
            if line:
                current.lines.append(line)
        self.entry = next(iter(self.blocks.values()))

    def text(self) -> str:
        parts = []
        for block in self.blocks.values():
            parts += [line for line in (block.head, *block.lines) if line]
            parts.append("")
        return "\n".join(parts)

    def loops(self) -> Iterator[_Loop]:
        """Those with no other in them and one way out, where they are closed."""
        for header in self.blocks.values():
            phi = next(header.phis, None)
            ways = _INCOMING.findall(phi[3]) if phi else []
            if len(ways) != 2:
                continue
            outside = self.reached(self.entry.name, header.name)
            closing = [name for _, name in ways if name not in outside]
            opening = [name for _, name in ways if name in outside]
            if len(closing) == 1 and len(opening) == 1:
                loop = _Loop(self, header, self.blocks[closing[0]], opening[0])
                if loop.is_simple():
                    yield loop

    def reached(self, start: str, without: str = "no block") -> set[str]:
        """The blocks to which control comes from one, but not through another."""
        found, work = {start} - {without}, [start] if start != without else []
        while work:
            for name in self.blocks[work.pop()].targets:
                if name not in found and name != without:
                    found.add(name)
                    work.append(name)
        return found


class _Loop:
    """`before`: the name of the block from which it is entered."""

    def __init__(self, body: _Body, header: _Block, latch: _Block, before: str) -> None:
        self.body = body
        self.header = header
        self.latch = latch
        self.before = before
        self.blocks = self._blocks()
        self._left = list(latch.targets)

    def _blocks(self) -> list[_Block]:
        blocks = self.body.blocks
        found, work = {self.header.name, self.latch.name}, [self.latch.name]
        while work:
            name = work.pop()
            if name == self.header.name:
                continue
            for block in blocks.values():
                if name in block.targets and block.name not in found:
                    found.add(block.name)
                    work.append(block.name)
        return [blocks[name] for name in blocks if name in found]

    def is_simple(self) -> bool:
        names = {block.name for block in self.blocks}
        leaving = {b.name for b in self.blocks if not names.issuperset(b.targets)}
        targets = self.latch.targets
        return leaving == {self.latch.name} and len(targets) == 2 and not self._has_another()

    def _has_another(self) -> bool:
        """Whether control comes to a block twice without passing the header."""
        names = {block.name for block in self.blocks} - {self.header.name}
        left = set(names)
        while left:  # takes away blocks to which only what is gone already leads
            gone = {
                name
                for name in left
                if not any(name in self.body.blocks[other].targets for other in left)
            }
            if not gone:
                return True
            left -= gone
        return False

    @property
    def is_outermost(self) -> bool:
        """Whether control never comes to it again."""
        return self.header.name not in self.body.reached(self.behind.name)

    @property
    def behind(self) -> _Block:
        """The block that comes behind it; the only way there is from the latch, or from `end`."""
        names = {block.name for block in self.blocks}
        after = next(name for name in self._left if name not in names)
        return self.body.blocks[after]

    @cached_property
    def end(self) -> _Block:
        """A block on the way there."""
        behind, latch = self.behind, self.latch
        name = f"{NAME}.end{len(self.body.blocks)}"
        made = _Block(f"%{name}", f"{name}:")
        made.lines.append(f"  br label {behind.name}")
        latch.lines[-1] = _exchanged(latch.lines[-1], behind.name, made.name)
        for i, line in enumerate(behind.lines):
            if _PHI.match(line):
                behind.lines[i] = _exchanged(line, latch.name, made.name)
        self.body.blocks[made.name] = made
        return made

    def sums(self, *, is_free: bool) -> Iterator[_Sum]:
        """Those that may be split. `is_free`: whatever LLVM says of their operations."""
        for phi in self.header.phis:
            ways = {name: value for value, name in _INCOMING.findall(phi[3])}
            if phi[2] in ("float", "double") and {self.before, self.latch.name} <= ways.keys():
                made = _Sum(self, phi, ways[self.before], ways[self.latch.name])
                if made.is_one(is_free):
                    yield made


class _Sum:
    """A number that a loop adds to, or multiplies. `first`: what it starts with, `following`: what
    an iteration leaves to the next one."""

    def __init__(self, loop: _Loop, phi: re.Match[str], first: str, following: str) -> None:
        self.loop = loop
        self.phi = phi[0]
        self.name, self.kind = phi[1], phi[2]
        self.first, self.following = first, following
        self.operation = ""
        self.parts = PARTS
        self._counts = {self.name: 0}

    def is_one(self, is_free: bool) -> bool:
        """Whether nothing is done to it but what another order may be made of."""
        values, work = {self.name}, [self.name]
        self.values = values
        used: list[str] = []
        while work:
            value = work.pop()
            for block in self.loop.body.blocks.values():
                for line in block.lines:
                    if line == self.phi or not _uses(line, value):
                        continue
                    if block not in self.loop.blocks:
                        if value != self.following or not self._leaves(block, line):
                            return False
                        continue
                    made = _RESULT.match(line)
                    if made is None:
                        return False
                    used.append(line)
                    if made[1] not in values:
                        values.add(made[1])
                        work.append(made[1])
        fits = all(self._adds(line, values, is_free) for line in used)
        if not (fits and self.operation and self.following in values):
            return False
        terms = self._terms(self.following, used)
        self.parts = min(MOST_PARTS, PARTS << (terms - 1).bit_length())
        return True

    def _terms(self, value: str, used: list[str]) -> int:
        """How many are added one after the other to make a value of an iteration."""
        if value not in self._counts:
            made = next(line for line in used if _makes(line, value))
            before = [other for other in self.values if other != value and _uses(made, other)]
            is_sum = not (_PHI.match(made) or _SELECT.match(made))
            self._counts[value] = is_sum + max(self._terms(other, used) for other in before)
        return self._counts[value]

    def _leaves(self, block: _Block, line: str) -> bool:
        phi = _PHI.match(line)
        return block is self.loop.behind and phi is not None

    def _adds(self, line: str, values: set[str], is_free: bool) -> bool:
        """Whether a line adds to it, or hands on one or the other such value."""
        if found := _SUM.match(line):
            operation = "fadd" if found[2] == "fsub" else found[2]
            own = [operand in values for operand in found.group(5, 6)]
            allowed = [[True, False], [False, True]] if found[2] != "fsub" else [[True, False]]
            return own in allowed and self._is_allowed(operation, found[3], is_free)
        if found := _MULTIPLY_ADD.match(line):
            own = [operand in values for operand in found.group(4, 5, 6)]
            return own == [False, False, True] and self._is_allowed("fadd", found[2], is_free)
        if found := _SELECT.match(line):
            return found[2] not in values and {found[3], found[4]} <= values
        if found := _PHI.match(line):
            return all(value in values for value, _ in _INCOMING.findall(found[3]))
        return False

    def _is_allowed(self, operation: str, flags: str, is_free: bool) -> bool:
        """Whether its order is open, and all that is done is of one kind."""
        self.operation = self.operation or operation
        free = is_free or {"fast", "reassoc"}.intersection(flags.split())
        return bool(free) and self.operation == operation

    def split(self, name: str) -> None:
        """Makes several of it: one an iteration, in turn. `name`: what its values are called."""
        loop, kind, size = self.loop, self.kind, {"float": 4, "double": 8}[self.kind]
        debug = _DEBUG.search(loop.latch.lines[-1])
        place = debug[0] if debug else ""
        variable = _VARIABLE.match(self.name)
        array, neutral = f"[{self.parts} x {kind}]", NEUTRAL[self.operation]
        self.memory = f"%{variable[1] if variable else 'sum'}_parts{name.rpartition('.')[2]}"
        loop.body.entry.lines.insert(0, f"  {self.memory} = alloca {array}, align 16")
        header, latch = loop.header, loop.latch
        at = header.lines.index(self.phi)
        header.lines[at] = (
            f"  %{name}.turn = phi i64 [ 0, {loop.before} ], [ %{name}.turns, {latch.name} ]"
        )
        behind = len(list(header.phis))
        header.lines[behind:behind] = [
            f"  %{name}.at = and i64 %{name}.turn, {self.parts - 1}{place}",
            f"  %{name}.place = getelementptr inbounds {array}, ptr {self.memory}, i64 0, "
            f"i64 %{name}.at{place}",
            f"  %{name}.old = load {kind}, ptr %{name}.place, align {size}{place}",
            f"  %{name}.is_new = icmp ult i64 %{name}.turn, {self.parts}{place}",
            f"  {self.name} = select i1 %{name}.is_new, {kind} {neutral}, "
            f"{kind} %{name}.old{place}",
        ]
        latch.lines[-1:-1] = [
            f"  store {kind} {self.following}, ptr %{name}.place, align {size}{place}",
            f"  %{name}.turns = add nuw nsw i64 %{name}.turn, 1{place}",
        ]
        self._add_up(name, place)

    def _add_up(self, name: str, place: str) -> None:
        """Behind the loop: as many of them as there are, in pairs."""
        loop, kind, size = self.loop, self.kind, {"float": 4, "double": 8}[self.kind]
        lines: list[str] = []
        level: list[str] = []
        for i in range(self.parts):
            lines += [
                f"  %{name}.place{i} = getelementptr inbounds [{self.parts} x {kind}], "
                f"ptr {self.memory}, i64 0, i64 {i}{place}",
                f"  %{name}.part{i} = load {kind}, ptr %{name}.place{i}, align {size}{place}",
                f"  %{name}.is{i} = icmp ugt i64 %{name}.turns, {i}{place}",
                f"  %{name}.term{i} = select i1 %{name}.is{i}, {kind} %{name}.part{i}, "
                f"{kind} {NEUTRAL[self.operation]}{place}",
            ]
            level.append(f"%{name}.term{i}")
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [
                self._add(lines, f"%{name}.{len(level)}.{i}", *pair, place)
                for i, pair in enumerate(pairs)
            ]
        total = self._add(lines, f"%{name}.all", self.first, level[0], place)
        loop.end.lines[-1:-1] = lines
        for i, line in enumerate(loop.behind.lines):
            if _PHI.match(line):
                loop.behind.lines[i] = _exchanged(line, self.following, total)

    def _add(self, lines: list[str], name: str, one: str, other: str, place: str) -> str:
        lines.append(f"  {name} = {self.operation} {self.kind} {one}, {other}{place}")
        return name


def _makes(line: str, name: str) -> bool:
    made = _RESULT.match(line)
    return made is not None and made[1] == name


def _uses(line: str, name: str) -> bool:
    made = _RESULT.match(line)
    rest = line[made.end() :] if made else line
    return re.search(rf"{re.escape(name)}(?![-\w.$])", rest) is not None


def _exchanged(line: str, name: str, by: str) -> str:
    made = _RESULT.match(line)
    start = made.end() if made else 0
    return line[:start] + re.sub(rf"{re.escape(name)}(?![-\w.$])", lambda _: by, line[start:])
