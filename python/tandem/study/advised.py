# SPDX-License-Identifier: Apache-2.0
"""What `tandem advise` found, as plain data (docs/schemas/advise.json)."""

from __future__ import annotations

import math
from typing import Any

from tandem.diagnostics import Diagnostic, Place, diagnostic_json
from tandem.host.prepare import Job
from tandem.study.obstacles import in_main, obstacles
from tandem.study.profile import FunctionProfile, LoopProfile, Profile
from tandem.study.worth import WORTH, Candidate, Found, Trial, Trials, amdahl

LEAST_SHARE = 0.001
"""Loops with a smaller part of the application's time are not told."""
YES, ONCE, NO, UNTRIED = "yes", "once-configured", "no", "untried"


def advise_json(job: Job, trials: Trials, found: Found, run_json: Any = None) -> dict[str, Any]:
    """The result; `run_json`: of the run with the best set, where it was applied. Times in seconds,
    sizes in bytes."""
    profile = trials.profile
    rows = [_candidate(profile, one) for one in found.candidates]
    singles = [one.trial for one in found.candidates if one.trial is not None]
    tried = [trial for trial in (*singles, *found.sets) if trial.run["calls"]]
    first = next(iter(singles), None)
    return {
        "format": "tandem-advise",
        "format_version": 1,
        "application": str(job.main),
        "platform": trials.platform["name"],
        "platform_title": trials.platform["title"],
        "program_percent": trials.platform["software"]["program_percent"],
        "flags": first.facts.baseline_flags if first is not None else None,
        "native": {
            "total_s": profile.total_s,
            "greatest_s": profile.greatest_s,
            "watched_ratio": profile.watched_ratio,
        },
        "functions": [_function(profile, row) for row in profile.functions.values()],
        "loops": _loops(profile),
        "candidates": rows,
        "sets": [
            _trial(profile, trial) for trial in sorted(tried, key=lambda one: one.application_s)
        ],
        "best": None if found.best is None else _trial(profile, found.best),
        "best_once_configured": (
            None if found.best_once is None else _trial(profile, found.best_once)
        ),
        "obstacles": [_obstacle(row) for row in in_main(profile)],
        "untried": [one.profile.name for one in found.candidates if not one.is_tried],
        "has_untried_sets": found.has_untried_sets,
        "applied": run_json,
    }


def _function(profile: Profile, row: FunctionProfile) -> dict[str, Any]:
    return {
        "name": row.name,
        **_place(row.place),
        "is_own": row.is_own,
        "calls": row.calls,
        "own_s": row.own_s,
        "whole_s": row.whole_s,
        "share": profile.share(row.name),
        "callers": dict(row.callers),
    }


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line}


def _loops(profile: Profile) -> list[dict[str, Any]]:
    """The outermost loops, those with the most time first."""
    rows = [_loop(profile, row, loop) for row in profile.functions.values() for loop in row.loops]
    kept = [row for row in rows if row["share"] >= LEAST_SHARE]
    return sorted(kept, key=lambda row: -row["whole_s"])


def _loop(profile: Profile, row: FunctionProfile, loop: LoopProfile) -> dict[str, Any]:
    return {
        "function": row.name,
        **_place(Place(row.place.file, loop.loop.line)),
        "column": loop.loop.column,
        "entries": loop.entries,
        "own_s": loop.own_s,
        "whole_s": loop.whole_s,
        "share": loop.whole_s / profile.total_s if profile.total_s else 0.0,
    }


def _candidate(profile: Profile, one: Candidate) -> dict[str, Any]:
    share = profile.share(one.profile.name)
    return {
        **_function(profile, one.profile),
        "amdahl": amdahl(share) if amdahl(share) < math.inf else None,
        "verdict": _verdict(profile, one),
        "reasons": [_obstacle(row) for row in obstacles(profile, one)],
        "hardware": None if one.trial is None else _hardware(one.trial),
        "alone": None if one.trial is None else _trial(profile, one.trial),
    }


def _verdict(profile: Profile, one: Candidate) -> str:
    if not one.is_tried:
        return UNTRIED
    if one.trial is None or not one.trial.run["calls"]:
        return NO
    if profile.total_s >= WORTH * one.trial.application_s:
        return YES
    return ONCE if profile.total_s >= WORTH * one.trial.once_s else NO


def _obstacle(row: Diagnostic) -> dict[str, Any]:
    told = diagnostic_json(row)
    return {name: told[name] for name in ("code", "message", "file", "line", "help")}


def _hardware(trial: Trial) -> dict[str, Any]:
    """What one function's kernel is like, and what its calls move."""
    run = trial.run
    (kernel,) = run["kernels"] or [None]
    calls = run["calls"]
    areas = trial.facts.areas
    return {
        "clock_ns": None if kernel is None else kernel["clock_ps"] / 1000,
        "ii": None if kernel is None else kernel["ii"],
        "latency_cycles": None if kernel is None else kernel["latency_cycles"],
        "cycles": run["cycles"],
        "cycles_a_call": run["cycles"] / calls if calls else None,
        "loops": [] if kernel is None else kernel["loops"],
        "area": areas[0] if areas else None,
        "device": trial.facts.device,
        "bytes_in_a_call": run["bytes_in"] / calls if calls else None,
        "bytes_out_a_call": run["bytes_out"] / calls if calls else None,
        "note": run["note"],
    }


def _trial(profile: Profile, trial: Trial) -> dict[str, Any]:
    """A run with some functions offloaded: their own times, and the application's."""
    run = trial.run
    total_s, once_s = profile.total_s, trial.once_s
    return {
        "functions": list(trial.functions),
        "calls": run["calls"],
        "host_calls": run["host_calls"]["calls"],
        "software_s": trial.software_s,
        "total_s": run["total_s"],
        "no_config_s": run["no_config_s"],
        "device_s": run["device_s"],
        "gain": _ratio(trial.software_s, run["total_s"]),
        "gain_no_config": _ratio(trial.software_s, run["no_config_s"]),
        "application_s": trial.application_s,
        "application_once_s": once_s,
        "application_gain": _ratio(total_s, trial.application_s),
        "application_gain_once": _ratio(total_s, once_s),
        "breakdown_s": run["breakdown_s"],
        "fixed_s": run["fixed_s"],
        "loads": run["configurations"]["loads"],
        "bytes_in": run["bytes_in"],
        "bytes_out": run["bytes_out"],
        "bottleneck": run["bottleneck"],
        "data_bytes": run["data_bytes"],
        "data_kind": run["data_kind"],
        "break_even_bytes": next(iter(run["break_even_bytes"].values()), None),
    }


def _ratio(before_s: float, after_s: float) -> float | None:
    return before_s / after_s if after_s else None
