# SPDX-License-Identifier: Apache-2.0
"""Which functions of an application are worth offloading, alone and together.

Nothing is claimed that was not run: a function, or a set of them, is compiled, and the application
runs with it on the modelled platform as `tandem run` runs it. The profile tells what need not be
tried, by bounds that no hardware can break, and what the rest of the application takes."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from tandem.compiler.room import MOST_FUNCTIONS
from tandem.diagnostics import Diagnostic, InternalError, Place, TandemError
from tandem.host.launch import launch
from tandem.host.prepare import Facts, Job, Made, Prepared, prepared
from tandem.manifest import read_manifest
from tandem.platforms.engine import find_platform, read_platform
from tandem.progress import count
from tandem.report.breakdown import run_json
from tandem.report.times import in_unit
from tandem.study.profile import FunctionProfile, Profile, candidates, from_the_start

WORTH = 1.01
"""Smaller gains are none, as with what would help (`advice.py`)."""
MOST_SETS = 24
"""Of several functions that are tried."""
MOST_RUNS, MOST_RUNS_S = 3, 2.0
"""For the time of a function in C, and seconds after which there are no more."""
TOO_LITTLE = 0.5
"""A time that is less than this part of the profile's is none: of a call that was interrupted too
much was taken off."""
PS = 1e12
PERCENT = 100


@dataclass(frozen=True)
class Trial:
    """A run of the application with some functions offloaded: `run` is what `tandem run --json`
    has of it. Times in seconds. `software_s`: that of their calls in C; `application_s` and
    `once_s`: that of the whole application, in all and without loads of the device that a longer
    run has once too."""

    functions: tuple[str, ...]
    run: dict[str, Any]
    facts: Facts
    software_s: float
    application_s: float
    once_s: float


@dataclass(frozen=True)
class Candidate:
    """A function and what came of it: a trial, or none and why."""

    profile: FunctionProfile
    trial: Trial | None = None
    stopped: tuple[Diagnostic, ...] = ()
    is_tried: bool = True


@dataclass
class Found:
    """All that was found: candidates in the order of their time, trials of several functions, and
    the best of all trials by `application_s` and by `once_s`, where one gains anything."""

    candidates: list[Candidate]
    sets: list[Trial]
    best: Trial | None
    best_once: Trial | None
    has_untried_sets: bool = False


@dataclass
class Trials:
    """Runs of an application with functions offloaded; what was built stays in `builds` as long as
    that is open."""

    job: Job
    arguments: Sequence[str]
    profile: Profile
    builds: ExitStack
    made: Made
    platform: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.platform = read_platform(find_platform(self.job.platform), self.job.changes)

    def run(self, functions: tuple[str, ...], known: Mapping[str, Trial]) -> Trial:
        """Raises TandemError where it cannot be had. `known`: trials of single functions."""
        job = replace(self.job, offload=functions, keep=None)
        build = self.builds.enter_context(prepared(job, self.made))
        run = self._run(build)
        if len(functions) == 1:
            software_s = self._software_s(build, run, self.profile.functions[functions[0]])
        elif _is_apart(self.profile, functions):
            software_s = sum(known[name].software_s for name in functions)
        else:
            software_s = _software_s(run)
        return self._trial(functions, run, build.facts, min(software_s, self.profile.total_s))

    def again(self, trial: Trial) -> Trial:
        """The same trial with the C of its calls measured once more, some time later: what is
        claimed of it is no more than the least."""
        job = replace(self.job, offload=trial.functions, keep=None)
        build = self.builds.enter_context(prepared(job, self.made))
        runs = [_software_s(self._run(build)) for _ in range(2)]
        least_s = _least([trial.software_s, *runs], trial.software_s)
        return self._trial(trial.functions, trial.run, trial.facts, least_s)

    def _run(self, build: Prepared) -> dict[str, Any]:
        """What `tandem run --json` has of a build; what it prints goes nowhere."""
        from_the_start()
        report = launch(build, "emulate", self.arguments, silent=True).report
        loops = {m["kernel"]: m["loops"] for m in map(read_manifest, build.packages)}
        flags = build.facts.baseline_flags
        return run_json(report, {}, build.facts.clock_note, flags, loops)

    def _software_s(self, build: Prepared, run: dict[str, Any], row: FunctionProfile) -> float:
        """What calls take in C: the least of some runs and of the profile, as what else this
        machine does only adds to it."""
        found = [_software_s(run)]
        if not run["calls"] or run["host_calls"]["calls"]:
            return found[0]
        began = time.monotonic()
        while len(found) < MOST_RUNS and time.monotonic() - began < MOST_RUNS_S:
            found.append(_software_s(self._run(build)))
        return _least(found, row.whole_s)

    def _trial(
        self, functions: tuple[str, ...], run: dict[str, Any], facts: Facts, software_s: float
    ) -> Trial:
        rest_s = (self.profile.total_s - software_s) * self._host_factor()
        counted_s = run["busy_s"]["host"] if run["program_percent"] else 0.0
        beside_s = max(0.0, rest_s - counted_s) + run["host_calls"]["wall_ps"] / PS
        total_s = run["total_s"]
        once_s = run["no_config_s"] if self._stays_loaded(run) else total_s
        return Trial(functions, run, facts, software_s, total_s + beside_s, once_s + beside_s)

    def _host_factor(self) -> float:
        """How much slower the platform's host is than this one, where the platform says so."""
        percent = self.platform["software"]["program_percent"]
        return percent / PERCENT if percent else 1.0

    def _stays_loaded(self, run: dict[str, Any]) -> bool:
        """Whether the devices hold all kernels of a run at once."""
        places = self.platform["configurations"]
        room = sum(places[d["configuration"]]["regions"] for d in self.platform["devices"])
        return self.platform["kernels_together"] or len(run["kernels"]) <= room

    def least_s(self, row: FunctionProfile) -> float:
        """What calls of a function at least take: the driver's own time for each, unless several
        are handed over together, and a cycle."""
        software, batch = self.platform["software"], self.platform["batch"]
        is_alone = batch["calls"] == 1 and not (batch["is_adaptive"] or batch["ahead"])
        names = ("call_time_ps", "launch_time_ps", "wait_time_ps")
        each_ps = sum(software[name] for name in names) if is_alone else 0
        calls = self.profile.outside_calls(row.name)
        return calls * (each_ps + self._least_device_ps()) / PS

    def _least_device_ps(self) -> float:
        """A call's part of the devices' time."""
        devices = self.platform["devices"]
        units = sum(device["units"] for device in devices)
        clock_ps = self.job.clock_ps or min(device["clock_ps"] for device in devices)
        return clock_ps * (1 + min(device["launch_cycles"] for device in devices)) / units


def _least(found: Sequence[float], known_s: float) -> float:
    """The least time that is one."""
    return min([one for one in found if one >= TOO_LITTLE * known_s] + [known_s or found[0]])


def _software_s(run: dict[str, Any]) -> float:
    return next(iter(run["baselines_s"].values()))


def _is_apart(profile: Profile, functions: Sequence[str]) -> bool:
    """Whether no function of some is ever called by another one."""
    return not any(set(functions) & profile.within(name) for name in functions)


def find_worth(
    trials: Trials, most: int = MOST_FUNCTIONS, progress: Callable[[str], None] = lambda _: None
) -> Found:
    """Tries functions alone, those with the most time first and `most` of them, and sets of those
    that can be had."""
    tried: list[Candidate] = []
    rows = candidates(trials.profile)
    for number, row in enumerate(rows):
        count(number, len(rows))
        stopped = _bound(trials, row)
        if stopped is not None:
            tried.append(Candidate(row, stopped=(stopped,)))
        elif sum(one.trial is not None or not _is_bound(one) for one in tried) >= most:
            tried.append(Candidate(row, is_tried=False))
        else:
            progress(f"{row.name} alone")
            tried.append(_alone(trials, row))
    singles = {one.profile.name: one.trial for one in tried if one.trial is not None}
    found = Found(tried, [], None, None)
    _choose(found, singles.values(), trials.profile)
    for functions in _sets(trials, singles, found):
        progress(" and ".join(functions))
        try:
            found.sets.append(trials.run(functions, singles))
        except InternalError:
            raise
        except TandemError:
            continue
        _choose(found, [*singles.values(), *found.sets], trials.profile)
    _confirm(trials, found, progress)
    return found


def _confirm(trials: Trials, found: Found, progress: Callable[[str], None]) -> None:
    """Measures the best once more, and chooses again."""
    best = [one for one in (found.best, found.best_once) if one is not None]
    for trial in {one.functions: one for one in best}.values():
        progress(f"{' and '.join(trial.functions)} once more")
        other = trials.again(trial)
        found.sets = [other if one is trial else one for one in found.sets]
        found.candidates = [
            replace(one, trial=other) if one.trial is trial else one for one in found.candidates
        ]
    singles = [one.trial for one in found.candidates if one.trial is not None]
    _choose(found, [*singles, *found.sets], trials.profile)


BOUNDS = ("share", "call-cost")
"""Codes of what is known without a trial."""


def _is_bound(one: Candidate) -> bool:
    return bool(one.stopped) and one.stopped[0].code in BOUNDS and one.trial is None


def _bound(trials: Trials, row: FunctionProfile) -> Diagnostic | None:
    """Why hardware for a function cannot gain anything, whatever it is like."""
    share = trials.profile.share(row.name)
    if amdahl(share) < WORTH:
        text = (
            f"`{row.name}` takes {share:.2%} of the application's time: hardware that takes none "
            f"makes it {amdahl(share):.3f} times as fast"
        )
        return Diagnostic("share", text, row.place, _larger_caller(trials.profile, row))
    least_s = trials.least_s(row)
    if least_s >= row.whole_s:
        calls = trials.profile.outside_calls(row.name)
        text = (
            f"{calls:,} calls of `{row.name}` take at least {seconds_text(least_s)} on this "
            f"platform, whatever they compute, and {seconds_text(row.whole_s)} in software"
        )
        return Diagnostic("call-cost", text, *moved_loop(trials.profile, row))
    return None


def amdahl(share: float) -> float:
    """How many times faster a program can become at most by a part of its time."""
    return 1 / (1 - share) if share < 1 else math.inf


def _larger_caller(profile: Profile, row: FunctionProfile) -> str:
    callers = [name for name in row.callers if name != row.name]
    largest = max(callers, key=profile.share, default="")
    if largest in ("", "main"):
        return "look at what takes more"
    return f"offload `{largest}`, which calls it, or what else takes more"


def moved_loop(profile: Profile, row: FunctionProfile) -> tuple[Place, str]:
    """Where a function is called most, and what to do there so that fewer calls do more each."""
    callers = {name: calls for name, calls in row.callers.items() if name != row.name}
    if not callers:
        return row.place, "have one call do the work of several"
    caller = profile.functions[max(callers, key=callers.__getitem__)]
    if not caller.loops:
        return row.place, f"have one call do the work of several, or offload `{caller.name}`"
    loop = max(caller.loops, key=lambda loop: loop.whole_s)
    cure = f"move this loop of `{caller.name}`, with the calls, into the function that is offloaded"
    return Place(caller.place.file, loop.loop.line), cure


def seconds_text(seconds: float) -> str:
    """A time with three figures and its unit."""
    value, unit = in_unit(seconds)
    return f"{value:.3g} {unit}"


def _alone(trials: Trials, row: FunctionProfile) -> Candidate:
    try:
        trial = trials.run((row.name,), {})
    except InternalError:
        raise
    except TandemError as error:
        return Candidate(row, stopped=tuple(error.diagnostics))
    if not trial.run["calls"]:
        return Candidate(row, trial, _left_to_host(row, trial.run))
    return Candidate(row, trial)


def _left_to_host(row: FunctionProfile, run: dict[str, Any]) -> tuple[Diagnostic, ...]:
    """Why the device served no call at all."""
    rows = run["host_calls"]["reasons"]
    return tuple(
        Diagnostic("on-the-host", r["reason"], row.place, r["directive"] or r["example"])
        for r in rows
    )


def _choose(found: Found, trials: Any, profile: Profile) -> None:
    """The best of some trials, where it gains enough; of two alike the one with fewer functions."""
    served = [trial for trial in trials if trial.run["calls"]]
    total_s = profile.total_s

    def best(time: Callable[[Trial], float]) -> Trial | None:
        one = min(served, key=lambda trial: (time(trial), len(trial.functions)), default=None)
        return one if one is not None and total_s >= WORTH * time(one) else None

    found.best = best(lambda trial: trial.application_s)
    found.best_once = best(lambda trial: trial.once_s)


def _sets(trials: Trials, singles: Mapping[str, Trial], found: Found) -> Iterator[tuple[str, ...]]:
    """Sets worth trying: pairs whose kernels' own times leave room for more than the best has, and
    larger ones on top of what is best by then."""
    served = {name: trial for name, trial in singles.items() if trial.run["calls"]}
    left = MOST_SETS
    seen = set[frozenset[str]]()
    wanted = [*_by_promise(trials, served, itertools.combinations(served, 2))]
    while wanted:
        for functions in wanted:
            if frozenset(functions) in seen or not _promises(trials, served, functions, found):
                continue
            seen.add(frozenset(functions))
            if not left:
                found.has_untried_sets = True
                return
            left -= 1
            yield functions
        wanted = [
            one
            for one in _by_promise(trials, served, _grown(found, served))
            if frozenset(one) not in seen and _promises(trials, served, one, found)
        ]


def _grown(found: Found, served: Mapping[str, Trial]) -> Iterator[tuple[str, ...]]:
    """The best sets with one function more."""
    for best in (found.best, found.best_once):
        for name in served if best is not None and len(best.functions) > 1 else ():
            if best is not None and name not in best.functions:
                yield (*best.functions, name)


def _by_promise(trials: Trials, singles: Mapping[str, Trial], sets: Any) -> list[tuple[str, ...]]:
    """Sets without functions that are parts of others, the most promising first."""
    apart = [one for one in sets if not _is_nested(trials.profile, one)]
    return sorted(apart, key=lambda one: _least_s(trials, singles, one))


def _is_nested(profile: Profile, functions: Sequence[str]) -> bool:
    """The hardware of an outer function holds the inner one, which is then never called by
    itself."""
    pairs = itertools.permutations(functions, 2)
    return any(profile.is_part_of(inner, outer) for inner, outer in pairs)


def _least_s(trials: Trials, singles: Mapping[str, Trial], functions: Sequence[str]) -> float:
    """What the application takes at least with a set, all but configuration: calls wait for each
    other, so that kernels' own times add up."""
    saved = (singles[name].software_s - singles[name].run["device_s"] for name in functions)
    return trials.profile.total_s - sum(saved)


def _promises(
    trials: Trials, singles: Mapping[str, Trial], functions: Sequence[str], found: Found
) -> bool:
    """Whether a set may be better than what is best so far, configured or not."""
    least_s = _least_s(trials, singles, functions)
    loaded_s = max(singles[name].run["breakdown_s"]["configure"] for name in functions)
    total_s = trials.profile.total_s
    now = found.best.application_s if found.best else total_s
    once = found.best_once.once_s if found.best_once else total_s
    return WORTH * (least_s + loaded_s) <= now or WORTH * least_s <= once


def times_needed(run: dict[str, Any], software_s: float) -> int | None:
    """How many times the work of a run makes up for configuring the device; None where no amount
    does."""
    saved_s = software_s - run["no_config_s"]
    return math.ceil(run["breakdown_s"]["configure"] / saved_s) if saved_s > 0 else None
