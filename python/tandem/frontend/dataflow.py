# SPDX-License-Identifier: Apache-2.0
"""Loops whose calls run beside each other, each with the arrays of another iteration:
`#pragma tandem dataflow`.

    for (n = 0; n < frames; n++) {      round 0:  load(0)
        int a[64], b[64];               round 1:  load(1)  filter(0)
        load(in, n, a);                 round 2:  load(2)  filter(1)  save(0)
        filter(a, b);                   round 3:           filter(2)  save(1)
        save(b, n, out);                round 4:                      save(2)
    }

Every call is a process. A round starts those that have something to do, and ends when all of them
have returned. A call that uses an array of an earlier one's runs a round later; of such an array
there are as many as there are rounds from its first call to its last, one more: they take turns.
What a call is given waits as many rounds as the call does.

The loop is LLVM IR when it becomes one of rounds: a header that tests, and a body that calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend.directives.directive import DATAFLOW_II
from tandem.frontend.function_lines import (
    ALLOCA,
    CALL,
    MADE,
    NAMES,
    PHI,
    Blocks,
    apart,
    behind,
    call_parts,
    is_told,
    types_of,
    with_names,
)
from tandem.frontend.linking import find_definition
from tandem.frontend.processes import JOIN, STARTED, STARTING
from tandem.frontend.text import LOCAL_NAME, function_text
from tandem.llvm.passes import Passes, run_passes

TURNS = ".turns"
"""What is behind the name of an array that calls of several iterations use in turns."""

_WISH = re.compile(
    rf'^!(\d+) = !\{{!"llvm\.loop\.pipeline\.initiationinterval", i32 {DATAFLOW_II}\}}', re.M
)
_LOOP = re.compile(r"^!(\d+) = distinct !\{!\d+, (.*)\}$", re.M)
_BRANCH = re.compile(rf"^  br i1 (\S+), label ({LOCAL_NAME}), label ({LOCAL_NAME})")
_JUMP = re.compile(rf"^  br label ({LOCAL_NAME})")
_LINE = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)", re.M)
_PURE = re.compile(
    r"^  \S+ = (?:add|sub|mul|[us]div|[us]rem|shl|lshr|ashr|and|or|xor|icmp|fcmp|select|freeze|"
    r"trunc|[sz]ext|getelementptr|f(?:add|sub|mul|div|neg)|[su]itofp|fpto[su]i|fptrunc|fpext|bitcast|"
    r"(?:tail )?call [^@\n]*@llvm\.(?:[us](?:min|max)|abs)\.)\b"
)
_FORM = "a `for` loop whose body is calls of functions, and declarations of the arrays they share"


def in_turns(name: str) -> bool:
    """Whether a variable is an array of which every iteration has another one."""
    return TURNS in name


def has_dataflow(module: llvm.ModuleRef, names: Collection[str]) -> bool:
    """Whether some functions have loops that a directive wants so."""
    text = str(module)
    return bool(_wanted(text)) and any(_with_latch(text, name) for name in names)


def with_rounds(
    module: llvm.ModuleRef, names: Collection[str], files: Sequence[str]
) -> llvm.ModuleRef:
    """The module in which the loops of some functions that a directive wants so are rounds, with
    every call marked as the start of a process. Raises UserError for a loop that cannot be."""
    run_passes(
        module,
        Passes.add_sroa_pass,
        Passes.add_instruction_combine_pass,
        Passes.add_simplify_cfg_pass,
        Passes.add_instruction_namer_pass,
    )
    text = str(module)
    for name in (JOIN, STARTING, STARTED):
        if not re.search(rf"^(?:declare|define) [^@\n]*@{name}\(", text, re.M):
            text += f"\ndeclare void @{name}() noduplicate nounwind\n"
    module = llvm.parse_assembly(text)
    for name in names:
        while body := _with_latch(text := str(module), name):
            made = _Rounds(text, body, find_definition(name, files, text)).made()
            module = llvm.parse_assembly(text.replace(body, made, 1))
    return module


def _wanted(text: str) -> list[str]:
    """The numbers of the loops that a directive wants so."""
    wishes = {f"!{number}" for number in _WISH.findall(text)}
    return [number for number, has in _LOOP.findall(text) if wishes & set(has.split(", "))]


def _latch(body: str, loops: Sequence[str]) -> re.Match[str] | None:
    """The line of a function with which such a loop goes back."""
    numbers = "|".join(loops)
    return re.search(rf"^  br .*, !llvm\.loop !({numbers})$", body, re.M) if numbers else None


def _with_latch(text: str, name: str) -> str | None:
    body = function_text(text, name)
    return body if body and _latch(body, _wanted(text)) else None


@dataclass
class _Call:
    """`line`: as LLVM writes it; `arrays`: those of an iteration's that it reaches; `stage`: how
    many rounds after the first call of its iteration it runs."""

    line: str
    arrays: set[str]
    stage: int = 0


class _Rounds:
    """One loop of a function on its way to rounds."""

    def __init__(self, text: str, body: str, place: Place) -> None:
        latch = _latch(body, _wanted(text))
        assert latch is not None
        self.latch = latch[0]
        self.prefix = f"flow{latch[1]}"
        self.place = place
        self.c_lines = dict(_LINE.findall(text))
        self.blocks = Blocks.of(body)
        head = re.search(r"@([^\s(]+)\(", body)
        assert head is not None
        self.types = types_of(llvm.parse_assembly(text), head[1].strip('"'))
        self.place = self._place_of(self.latch)
        self.header, self.body, self.condition, self.outside = self._shape()
        self.made_in_header = self._names_made(self.header)
        self.arrays = self._arrays()
        self.calls, self.pure = self._split()
        self._check_arrays()
        self.copies = {name: self._copies(name) for name in self.arrays}
        self.delayed: dict[str, int] = {}
        """How many rounds each value has to wait at most that a call is given."""

    # -- the loop as it is ------------------------------------------------------------------------

    def _shape(self) -> tuple[str, str, str, str]:
        """(header, body, condition on which the body runs, where the loop leads to); labels without
        the `%`. Raises UserError for a loop of another shape."""
        body = next(b for b, lines in self.blocks.lines.items() if lines[-1] == self.latch)
        jump = _JUMP.match(self.latch)
        header = jump[1][1:] if jump else ""
        branch = _BRANCH.match(self.blocks.lines[header][-1]) if header else None
        if branch is None or header == body or self.blocks.before[body] != [header]:
            raise self._refused("it has branches, or tests at its end", self.latch)
        condition, yes, no = branch.groups()
        for line in self.blocks.lines[header][:-1]:
            if not (PHI.match(line) or _PURE.match(line) or is_told(line)):
                raise self._refused("whether it goes on is read from memory, or called", line)
        if yes[1:] == body:
            return header, body, condition, no[1:]
        self.blocks.lines[header].insert(-1, f"  %{self.prefix}.goes = xor i1 {condition}, true")
        return header, body, f"%{self.prefix}.goes", yes[1:]

    def _names_made(self, label: str) -> list[str]:
        made = (MADE.match(line) for line in self.blocks.lines[label])
        return [match[1] for match in made if match]

    def _arrays(self) -> dict[str, str]:
        """The arrays that begin to live in the body, and their types."""
        begun = "".join(line for line in self.blocks.lines[self.body] if "@llvm.lifetime.s" in line)
        found = (ALLOCA.match(line) for lines in self.blocks.lines.values() for line in lines)
        return {m[1]: apart(m[2])[0] for m in found if m and m[1] in NAMES.findall(begun)}

    def _split(self) -> tuple[list[_Call], list[str]]:
        """The body's calls, and what it computes beside them."""
        calls: list[_Call] = []
        pure: list[str] = []
        reaches: dict[str, set[str]] = {name: {name} for name in self.arrays}
        for line in self.blocks.lines[self.body][:-1]:
            if "@llvm.lifetime." in line or is_told(line):
                continue
            made = MADE.match(line)
            used = set().union(*(reaches.get(n, set()) for n in NAMES.findall(line)))
            if _PURE.match(line):
                pure.append(line)
                if made:
                    reaches[made[1]] = used
                continue
            call = CALL.match(line)
            if call is None or call[1].startswith("llvm."):
                raise self._refused("its body does more than call", line)
            calls.append(_Call(line, used))
        self._check_results(calls)
        if len(calls) < 2:
            raise self._refused("it has one call only", self.latch)
        for i, call in enumerate(calls):
            before = [other.stage + 1 for other in calls[:i] if other.arrays & call.arrays]
            call.stage = max(before, default=0)
        return calls, pure

    def _check_results(self, calls: Iterable[_Call]) -> None:
        lines = [*self.blocks.lines[self.body], *self.blocks.lines[self.header]]
        for call in calls:
            made = MADE.match(call.line)
            used = [n for line in lines if line != call.line for n in NAMES.findall(line)]
            if made and made[1] in used:
                raise self._refused("what a call returns is used", call.line)

    def _check_arrays(self) -> None:
        """Raises UserError for an array of the function's that several calls use, and that lives on
        from one iteration to the next."""
        locals_ = (ALLOCA.match(line) for lines in self.blocks.lines.values() for line in lines)
        for name in (match[1] for match in locals_ if match):
            users = [call for call in self.calls if name in NAMES.findall(call.line)]
            if name not in self.arrays and len(users) > 1:
                shown = name.strip('%"')
                raise self._refused(f"`{shown}` is declared outside of it", users[1].line)

    def _copies(self, array: str) -> int:
        stages = [call.stage for call in self.calls if array in call.arrays]
        return max(stages, default=0) - min(stages, default=0) + 1

    def _place_of(self, line: str) -> Place:
        found = re.search(r"!dbg !(\d+)", line)
        number = int(self.c_lines.get(found[1], 0)) if found else 0
        return Place(self.place.file, number or self.place.line)

    def _refused(self, why: str, line: str) -> UserError:
        return user_error(
            "dataflow",
            f"the loop cannot be one of calls that run beside each other: {why}",
            self._place_of(line),
            f"`dataflow` is for {_FORM}",
        )

    # -- the loop of rounds -----------------------------------------------------------------------

    def made(self) -> str:
        """The function's text with the loop as rounds."""
        starts = self._starts()
        begin = self._begin()
        blocks = self.blocks
        tests = [f"%{self.prefix}.on{stage}" for stage in range(1, self.last + 1)]
        merge, end = f"{self.prefix}.merge", f"{self.prefix}.end"
        made = {
            f"{self.prefix}.round": [
                f"  br i1 {self.condition}, label %{self.body}, label %{merge}"
            ],
            self.body: [*begin, *starts[0], f"  br label %{merge}"],
            merge: [*self._merged(), "  br label " + self._test(1)],
        }
        for stage, test in enumerate(tests, 1):
            start = f"{self.prefix}.start{stage}"
            made[self._test(stage)[1:]] = [
                f"  br i1 {test}, label %{start}, label {self._test(stage + 1)}"
            ]
            made[start] = [*starts[stage], f"  br label {self._test(stage + 1)}"]
        latch = self.latch.partition(", !llvm.loop")[0]
        made[end] = [*self._turned(), f"  call void @{JOIN}()", latch]
        blocks.lines[self.header] = self._new_header(tests)
        lines: dict[str, list[str]] = {}
        for label, old in blocks.lines.items():
            lines |= made if label == self.body else {label: old}
        blocks.lines = {label: self._with_copies(found) for label, found in lines.items()}
        return blocks.text()

    @property
    def last(self) -> int:
        """The stage of the last call."""
        return max(call.stage for call in self.calls)

    def _test(self, stage: int) -> str:
        """Where it is asked whether a stage's calls have something to do."""
        return f"%{self.prefix}.{f'test{stage}' if stage <= self.last else 'end'}"

    def _in_loop(self, name: str) -> bool:
        made = (MADE.match(line) for line in self.pure)
        return name in self.made_in_header or name in {m[1] for m in made if m}

    def _starts(self) -> list[list[str]]:
        """The starts of every stage's calls, with what they are given as old as they are."""
        found: list[list[str]] = [[] for _ in range(self.last + 1)]
        for call in self.calls:
            names = dict.fromkeys(n for n in NAMES.findall(call_parts(call.line)[1]))
            aged = {n: self._aged(n, call.stage) for n in names if self._varies(n)}
            before, operands, behind = call_parts(call.line)
            given = with_names(operands, aged)
            starting, started = (f"  call void @{mark}()" for mark in (STARTING, STARTED))
            found[call.stage] += [starting, f"{before}{given}{behind}", started]
        return found

    def _varies(self, name: str) -> bool:
        return self._in_loop(name) or self.copies.get(name, 1) > 1

    def _aged(self, name: str, rounds: int) -> str:
        """A value as it was some rounds before."""
        self.delayed[name] = max(rounds, self.delayed.get(name, 0))
        return self._held(name, rounds) if rounds else self._now(name)

    def _now(self, name: str) -> str:
        return behind(name, ".now") if self.copies.get(name, 1) > 1 else name

    def _held(self, name: str, rounds: int) -> str:
        return behind(name, f".{self.prefix}.{rounds}")

    def _begin(self) -> list[str]:
        """What the body computes, with the arrays of this iteration."""
        turned = {n: count for n, count in self.copies.items() if count > 1}
        found = [
            f"  {behind(n, '.now')} = getelementptr {self.arrays[n]}, ptr {n}, "
            f"i64 %{self.prefix}.turn{count}"
            for n, count in turned.items()
        ]
        now = {n: behind(n, ".now") for n in turned}
        return found + [with_names(line, now) for line in self.pure]

    def _merged(self) -> list[str]:
        """What is known behind the body, or where it had nothing to do."""
        found = []
        for name, next_value, kind in self._carried():
            ways = f"[ {next_value}, %{self.body} ], [ {name}, %{self.prefix}.round ]"
            found.append(f"  {behind(name, '.next')} = phi {kind} {ways}")
        for name, rounds in self.delayed.items():
            if rounds and name not in self.made_in_header:
                ways = f"[ {self._now(name)}, %{self.body} ], [ poison, %{self.prefix}.round ]"
                found.append(f"  {self._held(name, 0)} = phi {self._type(name)} {ways}")
        return found

    def _carried(self) -> list[tuple[str, str, str]]:
        """(name, its value in the next iteration, type) of what the loop hands on."""
        phis = (PHI.match(line) for line in self.blocks.lines[self.header])
        back = re.compile(rf"\[ (\S+), %{re.escape(self.body)} \]")
        return [(m[1], found[1], m[2]) for m in phis if m and (found := back.search(m[3]))]

    def _type(self, name: str) -> str:
        return "ptr" if name in self.arrays else self.types[name]

    def _new_header(self, tests: Sequence[str]) -> list[str]:
        lines = self.blocks.lines[self.header]
        phis = [line for line in lines if PHI.match(line)]
        rest = [line for line in lines if line not in phis][:-1]
        end = f"%{self.prefix}.end"
        for i, line in enumerate(phis):
            name = PHI.match(line)
            assert name is not None
            back = re.compile(rf"\[ \S+, %{re.escape(self.body)} \]")
            phis[i] = back.sub(f"[ {behind(name[1], '.next')}, {end} ]", line)
        for test, before in zip(tests, [self.condition, *tests], strict=False):
            phis.append(self._phi(test, "i1", "false", before))
        for name, rounds in self.delayed.items():
            newest = name if name in self.made_in_header else self._held(name, 0)
            for age in range(1, rounds + 1):
                younger = self._held(name, age - 1) if age > 1 else newest
                phis.append(self._phi(self._held(name, age), self._type(name), "poison", younger))
        for count in self._counts():
            turn = f"%{self.prefix}.turn{count}"
            phis.append(self._phi(turn, "i64", "0", f"%{self.prefix}.turned{count}"))
        some = self.condition
        for stage, test in enumerate(tests, 1):
            rest.append(f"  %{self.prefix}.some{stage} = or i1 {some}, {test}")
            some = f"%{self.prefix}.some{stage}"
        place = re.search(r", !dbg !\d+", lines[-1])
        ways = f"label %{self.prefix}.round, label %{self.outside}"
        rest.append(f"  br i1 {some}, {ways}{place[0] if place else ''}")
        return [*phis, *rest]

    def _phi(self, name: str, kind: str, first: str, later: str) -> str:
        """What is `first` before the first round, and `later` at the end of each."""
        before = [label for label in self.blocks.before[self.header] if label != self.body]
        ways = [f"[ {first}, %{label} ]" for label in before]
        return f"  {name} = phi {kind} {', '.join([*ways, f'[ {later}, %{self.prefix}.end ]'])}"

    def _counts(self) -> list[int]:
        return sorted({count for count in self.copies.values() if count > 1})

    def _turned(self) -> list[str]:
        """Whose turn it is next, among each number of arrays."""
        found = []
        for count in self._counts():
            turn, turned = (f"%{self.prefix}.{word}{count}" for word in ("turn", "turned"))
            found += [
                f"  {turned}.is.first = icmp eq i64 {turn}, {count - 1}",
                f"  {turned}.other = add nuw nsw i64 {turn}, 1",
                f"  {turned} = select i1 {turned}.is.first, i64 0, i64 {turned}.other",
            ]
        return found

    def _with_copies(self, lines: list[str]) -> list[str]:
        """Lines in which the arrays have room for all that take turns."""
        found = []
        for line in lines:
            array = ALLOCA.match(line)
            if array and self.copies.get(array[1], 1) > 1:
                kind, *more = apart(array[2])
                many = f"[{self.copies[array[1]]} x {kind}]"
                line = f"  {array[1]} = alloca {', '.join([many, *more])}"
            names = {n: behind(n, TURNS) for n, count in self.copies.items() if count > 1}
            found.append(with_names(line, names))
        return found
