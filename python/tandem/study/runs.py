# SPDX-License-Identifier: Apache-2.0
"""What runs give for the rows of a study's tables: seconds, cycles, energy and slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tandem.diagnostics import user_error
from tandem.files import temporary_folder
from tandem.host.launch import emulated
from tandem.host.prepare import Job, Prepared, prepared
from tandem.installation import data_file
from tandem.languages.discovery import Given
from tandem.platforms.engine import find_platform, is_chip
from tandem.study.published import Key, is_number

PS = 1e12
LATENCIES = {"p50_s", "p99_s", "most_s"}
"""Figures that are told to one part in 64."""


def run_rows(
    study: dict[str, Any], run: dict[str, Any], keys: list[Key], progress: Callable[[str], None]
) -> Iterator[tuple[Key, dict[str, float]]]:
    """What each row's run gives: seconds, cycles, and the numbers of the key. Rows that need the
    same hardware share one build."""
    platform = run.get("platform", study["platform"])
    if is_chip(find_platform(platform)):
        yield from _run_on_chip(run, platform, keys, progress)
        return
    main = data_file("studies", run["application"])
    builds: dict[tuple[str, ...], list[Key]] = {}
    for key in keys:
        builds.setdefault(_filled(run, "flags", key), []).append(key)
    for flags, rows in builds.items():
        progress(f"building {run['offload']} for {platform}{_told(flags)}")
        job = Job(main, run["offload"], platform, given=Given((), flags))
        with prepared(job) as build:
            for key in rows:
                progress(f"running {row_name(run['key'], key)}")
                yield key, _extended(run, key, build)


def _run_on_chip(
    run: dict[str, Any], platform: str, keys: list[Key], progress: Callable[[str], None]
) -> Iterator[tuple[Key, dict[str, float]]]:
    """The same on a chip, where each row is a case with its own application and function: cycles of
    its calls, of the C function beside them, and of the kernel."""
    from tandem.chip.result import run_application

    for key in keys:
        case = run["cases"][key[0]]
        progress(f"running {row_name(run['key'], key)} on {platform}")
        main = data_file("studies", case["application"])
        job = Job(main, (case["offload"],), platform, given=Given((), _filled(run, "flags", key)))
        if "slices" in run:
            yield key, _slices(job, run["slices"])
            continue
        job = replace(job, counts=run.get("counts", ""))
        result, failure = run_application(job, (), mode="simulate", output=None)
        if failure is not None:
            raise failure
        (kernel,) = result["kernels"]
        yield (
            key,
            {
                "software_cycles": kernel["software_cycles"],
                "compute_cycles": kernel["parts"]["compute"],
                "call_cycles": kernel["cycles"],
                "total_cycles": result["cycles"],
                "calls": kernel["calls"],
                **_counted(result),
                **{name: number for name, number in case.items() if isinstance(number, int)},
            },
        )


def _counted(result: dict[str, Any]) -> dict[str, float]:
    """Toggles and energy of a call of a chip's one kernel, in joules, where they were counted."""
    (kernel,) = result["kernels"]
    if "activity" not in kernel:
        return {}
    calls = kernel["calls"]
    found = {"toggles": sum(s["toggles"] for s in kernel["activity"]["signals"]) / calls}
    for row in result.get("energy", {}).get("kernels", []):
        seconds = kernel["cycles"] / calls * result["clock_ps"] / PS
        found |= {"call_j": row["total_j"] / calls, "call_s": seconds}
        found |= {name: result["energy"][name] for name in ("static_w", "toggle_j")}
    return found


def _slices(job: Job, family: str) -> dict[str, float]:
    """What a chip's one kernel takes of a family, alone and in its shell."""
    from tandem.chip.project import Asked, make_project

    with temporary_folder() as folder:
        (row,) = make_project(job, folder, Asked(slices=family))["slices"]
    return {f"{part}_slices": row[part]["estimate"] for part in ("core", "coprocessor")}


def _extended(run: dict[str, Any], key: Key, build: Prepared) -> dict[str, float]:
    """What a row's run gives. Where the study says that all of its times grow by the same for each
    one more of a number, and the row has more than `most` of them, so many, half and a quarter of
    them are run, and the straight line through all three is followed.

    Raises UserError if they do not lie on one."""
    line = run.get("line", {})
    index = run["key"].index(line["number"]) if line else 0
    if not line or int(key[index]) <= line["most"]:
        return _figures(run, key, build)

    def at(number: int) -> dict[str, float]:
        return _figures(run, (*key[:index], str(number), *key[index + 1 :]), build)

    most = line["most"]
    whole, half, quarter = (at(most // part) for part in (1, 2, 4))
    found = {}
    for name in whole.keys() - LATENCIES:
        step, before = whole[name] - half[name], half[name] - quarter[name]
        if not math.isclose(step, 2 * before, rel_tol=1e-6, abs_tol=2e-12):
            text = f"{name} does not grow by the same for each of `{line['number']}`"
            raise user_error("study", text, help="take `line` out of the study")
        found[name] = whole[name] + step * (int(key[index]) - most) / (most - most // 2)
    return found


def _figures(run: dict[str, Any], key: Key, build: Prepared) -> dict[str, float]:
    report = emulated(build, _filled(run, "arguments", key), _filled(run, "changes", key))
    times = {f"{k}_s": report[f"{k}_ps"] / PS for k in ("total", "no_config", "device")}
    exposed = {f"{k}_s": value / PS for k, value in report["breakdown_ps"].items()}
    busy = {f"busy_{k}_s": value / PS for k, value in report["busy_ps"].items()}
    latency = {f"{k}_s": value / PS for k, value in (report["latency_ps"] or {}).items()}
    bytes_in = {"bytes_in": report["bytes_in"]}
    return times | exposed | busy | latency | bytes_in | _variables(run, key)


def _variables(run: dict[str, Any], key: Key) -> dict[str, float]:
    """The numbers that a row's key stands for."""
    values = dict(zip(run["key"], key, strict=True)) | run.get("cases", {}).get(key[0], {})
    return {name: float(value) for name, value in values.items() if is_number(value)}


def _filled(run: dict[str, Any], what: str, key: Key) -> tuple[str, ...]:
    """Texts of a run, {names} of them replaced by what the row has; words of a case, by its own."""
    case = run.get("cases", {}).get(key[0], {})
    texts = [*run.get(what, []), *case.get(what, [])]
    return tuple(text.format(**dict(zip(run["key"], key, strict=True)), **case) for text in texts)


def _told(flags: tuple[str, ...]) -> str:
    return f" with {' '.join(flags)}" if flags else ""


def row_name(names: list[str], key: Key) -> str:
    if len(names) == 1:
        return key[0]
    return ", ".join(f"{value} {name}" for name, value in zip(names, key, strict=True))
