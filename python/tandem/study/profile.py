# SPDX-License-Identifier: Apache-2.0
"""What an application spends its time in where it runs as plain software: each function and each
outermost loop.

The whole is measured of the program as it is. Its parts are measured of another one, whose
functions are not inlined and tell when they begin and end, without what that costs, and scaled to
the whole. Those whose calls are short are watched in a program of their own, and inlined in the one
that the times of the others are taken from."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

from tandem.diagnostics import Place
from tandem.files import temporary_folder
from tandem.frontend.profiling import Watched, with_watches
from tandem.frontend.program import MAIN, Program
from tandem.host.profiled import Ticks, build_native, build_watched, processor_s, watch
from tandem.ir.lines import NO_LOOP, LoopId
from tandem.languages.discovery import read_files
from tandem.languages.modules import translate_all
from tandem.progress import stage, step

RUNS = 3
"""Of each program: the least time counts, as of all software."""
MOST_RUNS, LONG_S = 15, 0.5
"""Of the program as it is, until they have taken so many seconds."""
SHORT_S = 1e-7
"""A call that takes less, beside some 10 ns of calling and what inlining makes of the code around
it, is left to be inlined where the times of others are measured."""


@dataclass
class LoopProfile:
    """An outermost loop: `entries`: how often it was begun; `whole_s` with all that it calls."""

    loop: LoopId
    entries: int
    own_s: float
    whole_s: float


@dataclass
class FunctionProfile:
    """A function that was called. `own_s` without the program's functions that it calls, `whole_s`
    with them; `callers`: function -> calls from it; `is_own`: whether it is written in the
    program's files, not in a header of the system."""

    name: str
    place: Place
    calls: int = 0
    own_s: float = 0.0
    whole_s: float = 0.0
    callers: dict[str, int] = field(default_factory=dict)
    loops: list[LoopProfile] = field(default_factory=list)
    is_own: bool = True


@dataclass(frozen=True)
class Profile:
    """An application's: the least and the greatest processor time of its runs, how many times as
    long the watched program takes, and its functions by their names, those with the most time
    first. `modules`: the LLVM IR of its files."""

    total_s: float
    greatest_s: float
    watched_ratio: float
    functions: dict[str, FunctionProfile]
    modules: tuple[str, ...]

    def share(self, name: str) -> float:
        """The part of the application's time that calls of a function take."""
        return self.functions[name].whole_s / self.total_s if self.total_s else 0.0

    def within(self, name: str) -> set[str]:
        """The functions that were called by a function, directly or through others."""
        found, left = set[str](), [name]
        while left:
            caller = left.pop()
            new = [f.name for f in self.functions.values() if caller in f.callers]
            left += [callee for callee in new if callee not in found]
            found.update(new)
        return found

    def outside_calls(self, name: str) -> int:
        """Calls of a function but those that it makes itself, directly or through others: these
        are part of its hardware."""
        row = self.functions[name]
        inside = {name, *self.within(name)}
        own = sum(calls for caller, calls in row.callers.items() if caller in inside)
        return row.calls - own

    def is_part_of(self, inner: str, outer: str) -> bool:
        """Whether every call of a function is made by calls of another one."""
        inside = {outer, *self.within(outer)}
        return inner != outer and inner in inside and self.functions[inner].callers.keys() <= inside


@contextmanager
def replayed_input() -> Iterator[None]:
    """Whatever runs again meanwhile reads the same from standard input, if that is no terminal."""
    if not _is_read():
        yield
        return
    before = os.dup(0)
    with TemporaryFile() as kept:
        while block := os.read(0, 1 << 20):
            kept.write(block)
        kept.flush()
        os.dup2(kept.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


def _is_read() -> bool:
    try:
        return not os.isatty(0) and os.fstat(0).st_mode & 0o170000 != 0o020000  # /dev/null is none
    except OSError:
        return False


def from_the_start() -> None:
    """The next program reads standard input from its beginning on, where that can be."""
    if _is_read():
        os.lseek(0, 0, os.SEEK_SET)


def profile(program: Program, arguments: Sequence[str]) -> Profile:
    """Runs the application a few times; what it prints goes nowhere.

    Raises UserError where it cannot be built, and ApplicationFailed where it does not end well."""
    with temporary_folder() as folder:
        with stage("reading the C"):
            modules = translate_all(program.files)[0]
            native = build_native(program, modules, folder / "application")
        with stage("measuring the application"):
            plain = _plain(program, native, arguments)
            every = _Runs.of(program, modules, (), arguments, folder / "every")
            short = every.short()
            less = every
            if short:
                less = _Runs.of(program, modules, short, arguments, folder / "less")
    ratio = less.ticks.processor_s / min(plain) if min(plain) else 1.0
    functions = _functions(program, every, less, min(plain))
    return Profile(min(plain), max(plain), ratio, functions, tuple(modules))


def _plain(program: Program, native: Path, arguments: Sequence[str]) -> list[float]:
    """The times of the program as it is, of more runs where these are short."""
    found: list[float] = []
    while len(found) < RUNS or (len(found) < MOST_RUNS and sum(found) < LONG_S):
        step(f"run {len(found) + 1}")
        from_the_start()
        found.append(processor_s(native, program.main, arguments))
    return found


@dataclass(frozen=True)
class _Runs:
    """What is watched, and the run of some that was disturbed least: the program's own time is the
    least in it."""

    watched: list[Watched]
    ticks: Ticks

    @classmethod
    def of(
        cls,
        program: Program,
        modules: Sequence[str],
        left_out: Collection[str],
        arguments: Sequence[str],
        output: Path,
    ) -> _Runs:
        texts, watched = with_watches(modules, left_out)
        is_function = [row.loop == NO_LOOP for row in watched]
        built = build_watched(program, texts, is_function, output)
        found = list[Ticks]()
        for run in range(RUNS):
            step(f"run {run + 1} of {RUNS}, watched")
            from_the_start()
            found.append(watch(built, program.main, arguments, len(watched)))
        return cls(watched, min(found, key=lambda run: sum(run.own)))

    def short(self) -> set[str]:
        """Functions whose calls are so short that not to inline them changes what takes the
        time."""
        calls, whole = dict[str, int](), dict[str, int]()
        for number, row in enumerate(self.watched):
            if row.loop == NO_LOOP:
                calls[row.function] = calls.get(row.function, 0) + self.ticks.calls[number]
                whole[row.function] = whole.get(row.function, 0) + self.ticks.whole[number]
        total = sum(self.ticks.own) / max(self.ticks.processor_s, 1e-9)
        return {f for f, n in calls.items() if n and whole[f] / n < SHORT_S * total and f != MAIN}


def _functions(
    program: Program, every: _Runs, less: _Runs, total_s: float
) -> dict[str, FunctionProfile]:
    """The functions that were called, those with the most time first: those that are watched always
    as they take their time beside inlined ones, and these as they take it by themselves, but no
    more than what calls them has."""
    scale = total_s / max(1, sum(less.ticks.own))
    found = _read(less, scale)
    alone = _read(every, scale)
    for row in alone.values():
        if row.name not in found:
            row.loops = []
            room_s = sum(found[name].own_s for name in row.callers if name in found)
            callers = [name for name in row.callers if name in found]
            row.whole_s = min(row.whole_s, room_s) if callers else row.whole_s
            row.own_s = min(row.own_s, row.whole_s)
        else:
            row.own_s, row.whole_s = found[row.name].own_s, found[row.name].whole_s
            row.loops = found[row.name].loops
    own = {p.resolve() for file in program.files for p in read_files(file)}
    for row in alone.values():
        row.is_own = Path(row.place.file).resolve() in own
    return {row.name: row for row in sorted(alone.values(), key=lambda row: -row.whole_s)}


def _read(runs: _Runs, scale: float) -> dict[str, FunctionProfile]:
    """The functions of a run that were called; `scale`: seconds of a tick."""
    found: dict[str, FunctionProfile] = {}
    watched, ticks = runs.watched, runs.ticks
    for number, row in enumerate(watched):
        if not ticks.calls[number]:
            continue
        function = found.setdefault(row.function, FunctionProfile(row.function, row.place))
        own_s, whole_s = ticks.own[number] * scale, ticks.whole[number] * scale
        function.own_s += own_s
        if row.loop != NO_LOOP:
            loop = LoopProfile(row.loop, ticks.calls[number], own_s, whole_s)
            function.loops.append(loop)
        else:
            function.calls += ticks.calls[number]
            function.whole_s += whole_s
    for (caller, called), calls in ticks.edges.items():
        if watched[called].loop == NO_LOOP and caller >= 0:
            callers = found[watched[called].function].callers
            name = watched[caller].function
            callers[name] = callers.get(name, 0) + calls
    return found


def candidates(found: Profile) -> list[FunctionProfile]:
    """The functions that could be offloaded: the program's own that were called, but `main`."""
    return [row for row in found.functions.values() if row.is_own and row.name != MAIN]
