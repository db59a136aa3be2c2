# SPDX-License-Identifier: Apache-2.0
"""What would help: every change that makes sense is tried, a run of the application each, and what
it gains is measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tandem.diagnostics import TandemError
from tandem.host.launch import emulated
from tandem.host.prepare import Facts, Job, Prepared
from tandem.platforms.engine import read_platform
from tandem.report.breakdown import served_with
from tandem.study.build_changes import build_changes
from tandem.study.changes import NO_CHANGE, Change, platform_changes

PS = 1e12
WORTH = 1.01
"""Smaller gains are not told."""
TOGETHER = "what can be made of them together"
SERVED = "the device serves what the host runs"


@dataclass
class Builds:
    """An application, and how it is built otherwise. `built` makes a build, once for each; None
    where only the executable is there."""

    plain: Prepared
    job: Job
    built: Callable[[Job], Prepared] | None = None
    others: dict[Change, Prepared] = field(default_factory=dict)

    def of(self, change: Change) -> Prepared:
        """The build for a change, its platform as it was. Raises as `prepared` does."""
        key = change.of_build
        if key == NO_CHANGE or self.built is None:
            return self.plain
        if key not in self.others:
            self.others[key] = self.built(_changed(self.job, key))
        return self.others[key]

    def has(self, change: Change) -> bool:
        """Whether nothing has to be built for a change."""
        key = change.of_build
        return key == NO_CHANGE or self.built is None or key in self.others


def _changed(job: Job, change: Change) -> Job:
    """What is to be built where a change is made."""
    given = replace(job.given, directives=(*job.given.directives, *change.directives))
    return replace(
        job,
        keep=None,
        given=given,
        changes=(*job.changes, *change.settings),
        optimise=change.optimise or job.optimise,
        clock_ps=change.clock_ps or job.clock_ps,
    )


@dataclass(frozen=True)
class _Run:
    """Of a run: all of its time, that without configuration, which a longer run has once, too, and
    how long kernels computed."""

    total_ps: int
    no_config_ps: int
    compute_ps: int

    @classmethod
    def of(cls, report: dict[str, Any]) -> _Run:
        compute_ps = report["busy_ps"]["compute"]
        return cls(report["total_ps"], report["no_config_ps"], compute_ps)

    @property
    def order(self) -> tuple[int, int]:
        """The best first."""
        return self.total_ps, self.no_config_ps

    def gains(self, before: _Run) -> tuple[float, float]:
        """How many times faster than before, in all and once configured."""
        return (
            before.total_ps / max(self.total_ps, 1),
            before.no_config_ps / max(self.no_config_ps, 1),
        )

    def is_worth(self, before: _Run) -> bool:
        return max(self.gains(before)) >= WORTH

    def most(self, change: Change) -> _Run:
        """What a build that is otherwise can make of it at most: a part of the kernels' time is
        gone."""
        gone = round(self.compute_ps * change.share)
        return _Run(self.total_ps - gone, self.no_config_ps - gone, self.compute_ps - gone)


class _Trials:
    """Runs of the application with changes, and builds for them as long as there is time."""

    def __init__(
        self,
        builds: Builds,
        arguments: Sequence[str],
        report: dict[str, Any],
        budget_s: float,
        progress: Callable[[str], None],
    ) -> None:
        self.builds, self.arguments, self.report = builds, arguments, report
        self.ends = time.monotonic() + budget_s
        self.progress = progress
        self.untried: dict[str, None] = {}

    def run(self, change: Change) -> _Run | None:
        """What the run takes with a change; None where it cannot be had, or the application does
        not end well with it."""
        try:
            build = self.builds.of(change)
            report = emulated(build, self.arguments, change.of_platform)
        except TandemError:
            return None
        return _Run.of(report) if self._is_had(build, change, report) else None

    def _is_had(self, build: Prepared, change: Change, report: dict[str, Any]) -> bool:
        """Whether the device holds what is on it, or no more than before, and the same calls are
        there, with the same results, in the batches that were asked for."""
        plain = self.builds.plain
        if report["memory"]["cut_batches"] or _kept(report) != _kept(self.report):
            return False
        now = _filling(plain.facts, read_platform(plain.platform, plain.changes))
        changes = (*build.changes, *change.of_platform)
        then = _filling(build.facts, read_platform(build.platform, changes))
        return then <= max(1.0, now)

    def each(self, changes: Iterable[Change], least: _Run, base: Change) -> list[_Found]:
        """What of some changes, each on top of another one, gains something."""
        found: list[_Found] = []
        last: dict[str, _Run | None] = {}
        for change in changes:
            before = last.get(change.ladder, least) if change.ladder else least
            if before is None or not self._may_help(change, least):
                continue
            both = base.beside(change)
            if time.monotonic() > self.ends and not self.builds.has(both):
                self.untried[change.told if base == NO_CHANGE else TOGETHER] = None
                continue
            self.progress(f"trying: {change.name}")
            after = self.run(both)
            gains = after is not None and after.is_worth(before)
            last[change.ladder] = after if gains else None
            if after is not None and gains:
                found.append((after, change))
        return sorted(found, key=lambda pair: pair[0].order)

    def _may_help(self, change: Change, before: _Run) -> bool:
        return change.of_build == NO_CHANGE or before.most(change).is_worth(before)


_Found = tuple[_Run, Change]


def _kept(report: dict[str, Any]) -> tuple[Any, ...]:
    """What a change must leave as it is."""
    return report["calls"], report["host_calls"]["calls"], report["wrong_results"]


def _filling(facts: Facts, platform: dict[str, Any]) -> float:
    """How many times a device what is on it takes, where it takes most; of executables, whose area
    nobody knows, how many kernels that are."""
    units = max(device["units"] for device in platform["devices"])
    regions = max(row["regions"] for row in platform["configurations"])
    kernels = len(facts.kernels) if platform["kernels_together"] else regions
    if not facts.areas:
        return units * kernels
    parts = [0.0]
    for name, most in facts.device.items():
        largest = sorted((area[name] for area in facts.areas), reverse=True)[:kernels]
        parts.append(units * sum(largest) / max(1, most))
    return max(parts)


def advice(
    builds: Builds,
    arguments: Sequence[str],
    report: dict[str, Any],
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Each change that gains something, the best first, and last what can be made of them together
    (docs/schemas/run.json); and the names of those for which there was no time: nothing is built
    any more once that is over which the search for a kernel has. The application runs once or twice
    for each, and is not heard."""
    trials = _Trials(builds, arguments, report, builds.job.budget_s, progress)
    before = _Run.of(report)
    changes = _changes(builds, report)
    found = _best_of_ladders(trials.each(changes, before, NO_CHANGE))
    told = [_told(change, before, after) for after, change in found]
    if found:
        told += _together(trials, changes, found, before)
    return told, list(trials.untried)


def left_on_host(
    builds: Builds, arguments: Sequence[str], report: dict[str, Any]
) -> tuple[dict[str, Any] | None, list[str]]:
    """How many calls the host still runs with the directives that have the device serve others
    (docs/schemas/run.json); None where there are none, or the application does not end well so. And
    the name of that where there was no time."""
    change = Change(SERVED, directives=tuple(served_with(report["host_calls"])))
    if not change.directives or builds.built is None:
        return None, []
    if not builds.job.budget_s:
        return None, [change.told]
    try:
        after = emulated(builds.of(change), arguments, ())
    except TandemError:
        return None, []
    is_same = after["wrong_results"] == report["wrong_results"]
    left = after["host_calls"]["calls"]
    return {"options": change.options, "host_calls": left} if is_same else None, []


def _changes(builds: Builds, report: dict[str, Any]) -> list[Change]:
    """What costs least first: a run, and then builds, of which the most promising first."""
    platform = read_platform(builds.plain.platform, builds.plain.changes)
    changes = list(platform_changes(platform, report))
    if builds.built is None or not report["busy_ps"]["compute"]:
        return changes
    job = builds.job
    has_clock = job.clock_ps is not None
    other = build_changes(platform, builds.plain.facts, report, job.optimise, has_clock)
    return changes + sorted(other, key=lambda change: -change.share)


def _best_of_ladders(found: Sequence[_Found]) -> list[_Found]:
    """Of the changes of a ladder the best one, which stands first."""
    first: dict[object, _Found] = {}
    for after, change in found:
        first.setdefault(change.ladder or change, (after, change))
    return list(first.values())


def _together(
    trials: _Trials, changes: Sequence[Change], found: Sequence[_Found], before: _Run
) -> list[dict[str, Any]]:
    """On top of the best, whatever still gains, alone or not: both ways at once, say, only do where
    bytes come while others go."""
    least, best = found[0]
    groups = _groups([change for _, change in found], changes)
    groups.pop(best.group)
    is_alone = True
    for group in groups.values():
        for after, change in trials.each(group, least, best)[:1]:
            least, best, is_alone = after, best.beside(change), False
    return [] if is_alone else [_told(best, before, least)]


def _groups(alone: Sequence[Change], changes: Sequence[Change]) -> dict[str, list[Change]]:
    """Group -> what of it gains alone, or all of it where nothing does; the best one first."""
    groups: dict[str, list[Change]] = {}
    for change in alone:
        groups.setdefault(change.group, []).append(change)
    others = [change for change in changes if change.group not in groups]
    for change in others:
        groups.setdefault(change.group, []).append(change)
    return groups


def _told(change: Change, before: _Run, after: _Run) -> dict[str, Any]:
    gain, gain_no_config = after.gains(before)
    return {
        "name": change.told,
        "settings": list(change.settings),
        "options": change.options,
        "total_s": after.total_ps / PS,
        "no_config_s": after.no_config_ps / PS,
        "gain": gain,
        "gain_no_config": gain_no_config,
    }
