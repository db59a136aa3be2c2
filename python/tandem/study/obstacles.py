# SPDX-License-Identifier: Apache-2.0
"""What keeps a function from being worth offloading, where its run is slower than software: what
takes the time, the line that is about, and the edit that would help."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.program import MAIN
from tandem.study.profile import Profile
from tandem.study.worth import (
    WORTH,
    Candidate,
    Trial,
    amdahl,
    moved_loop,
    seconds_text,
    times_needed,
)

HOT = 0.05
"""Loops that take less of the application's time in a function that cannot be hardware are not
told."""


def obstacles(profile: Profile, one: Candidate) -> list[Diagnostic]:
    """Each with place, cause and cure; none for a function that gains by being offloaded."""
    if one.trial is None or one.stopped:
        return [*one.stopped, *_loops_apart(profile, one)]
    trial = one.trial
    if profile.total_s >= WORTH * trial.application_s:
        return []
    if profile.total_s >= WORTH * trial.once_s:
        return [_configuration(one, trial)]
    return [*_slowest(profile, one, trial)]


def _loops_apart(profile: Profile, one: Candidate) -> list[Diagnostic]:
    """Hot loops of a function that cannot be compiled as a whole: they may, apart from it."""
    if not any(row.code not in ("share", "call-cost") for row in one.stopped):
        return []
    return loops_of(profile, one.profile.name)


def loops_of(profile: Profile, name: str) -> list[Diagnostic]:
    """The loops of a function that could be functions of their own. In them the function's own code
    takes the time: what they call is told apart."""
    found = []
    row = profile.functions[name]
    for loop in sorted(row.loops, key=lambda loop: -loop.own_s):
        share = loop.own_s / profile.total_s if profile.total_s else 0.0
        if share >= HOT:
            text = f"this loop of `{name}` takes {share:.0%} of the application's time"
            cure = "make the loop a function of its own: only functions are offloaded"
            found.append(Diagnostic("loop", text, Place(row.place.file, loop.loop.line), cure))
    return found


def in_main(profile: Profile) -> list[Diagnostic]:
    """The same of `main`, which is no candidate."""
    return loops_of(profile, MAIN) if MAIN in profile.functions else []


def _configuration(one: Candidate, trial: Trial) -> Diagnostic:
    run = trial.run
    loaded = seconds_text(run["breakdown_s"]["configure"])
    text = (
        f"configuring the device takes {loaded}; the calls of `{one.profile.name}` take "
        f"{seconds_text(trial.software_s)} in software and {seconds_text(run['no_config_s'])} once "
        "it is configured"
    )
    needed = times_needed(run, trial.software_s)
    cure = f"give it {needed:,} times the work in one run, or " if needed else ""
    cure += "have the device configured before the program starts (--set configuration.preload=yes)"
    return Diagnostic("configuration", text, one.profile.place, cure)


@dataclass(frozen=True)
class _Part:
    """A part of the time of calls, and what is told where it is the largest."""

    seconds: float
    told: Callable[[Profile, Candidate, Trial], Diagnostic]


def _slowest(profile: Profile, one: Candidate, trial: Trial) -> Sequence[Diagnostic]:
    """What is told of the largest part of the time that calls take once configured."""
    parts = trial.run["breakdown_s"]
    fixed = trial.run["fixed_s"]
    fixed_link = fixed["transfer_in"] + fixed["transfer_out"]
    link = parts["transfer_in"] + parts["transfer_out"]
    rows = (
        _Part(parts["call"] + parts["wait"] + min(fixed_link, link), _call_cost),
        _Part(max(0.0, link - fixed_link) + parts["copy"], _transfer),
        _Part(parts["compute"], _compute),
    )
    worst = max(rows, key=lambda row: row.seconds)
    found = [worst.told(profile, one, trial)]
    share = profile.share(one.profile.name)
    if trial.software_s > trial.run["no_config_s"] and amdahl(share) < 2 * WORTH - 1:
        text = f"`{one.profile.name}` takes only {share:.1%} of the application's time"
        found.append(Diagnostic("share", text, one.profile.place, "look at what takes more"))
    return found


def _call_cost(profile: Profile, one: Candidate, trial: Trial) -> Diagnostic:
    run = trial.run
    calls = max(1, run["calls"])
    each_s = (sum(run["fixed_s"].values()) - run["fixed_s"]["configure"]) / calls
    c_s = trial.software_s / calls
    text = (
        f"each of {calls:,} calls of `{one.profile.name}` costs {seconds_text(each_s)} before "
        f"anything is computed; in software it takes {seconds_text(c_s)}"
    )
    place, cure = moved_loop(profile, one.profile)
    if c_s > 0:
        cure += f": from the work of {max(2, math.ceil(each_s / c_s)):,} calls on, one may gain"
    return Diagnostic("call-cost", text, place, cure)


def _transfer(profile: Profile, one: Candidate, trial: Trial) -> Diagnostic:
    run = trial.run
    moved = run["bytes_in"] + run["bytes_out"]
    parts = run["breakdown_s"]
    took = parts["transfer_in"] + parts["transfer_out"] + parts["copy"]
    text = (
        f"moving {moved:,} bytes for `{one.profile.name}` takes {seconds_text(took)}; in software "
        f"its calls take {seconds_text(trial.software_s)}"
    )
    beside = [name for name in one.profile.callers if name != MAIN]
    cure = "do more with each byte: have one function do what is done before or after with them too"
    cure += f", such as `{beside[0]}`" if beside else ""
    return Diagnostic("transfer", text, one.profile.place, cure)


def _compute(profile: Profile, one: Candidate, trial: Trial) -> Diagnostic:
    run = trial.run
    loops = [loop for kernel in run["kernels"] for loop in kernel["loops"] if loop["cycles"]]
    text = (
        f"the kernel of `{one.profile.name}` computes for {seconds_text(run['device_s'])}; in "
        f"software its calls take {seconds_text(trial.software_s)}"
    )
    if not loops:
        return Diagnostic("compute", text, one.profile.place, moved_loop(profile, one.profile)[1])
    slowest = max(loops, key=lambda loop: loop["cycles"])
    kernel = sum(k["cycles"] for k in run["kernels"])
    text += f"; {slowest['cycles'] / max(1, kernel):.0%} of its cycles are this loop's"
    cure = slowest["limit"] or (
        "iterations begin as often as they can: let one do more (`#pragma tandem unroll(4)` before "
        "the loop, or --optimise time)"
    )
    file = one.profile.place.file  # a loop's row has the name alone
    place = Place(file if Path(file).name == slowest["file"] else slowest["file"], slowest["line"])
    return Diagnostic("compute", text, place, cure)
