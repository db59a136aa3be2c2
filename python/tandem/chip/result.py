# SPDX-License-Identifier: Apache-2.0
"""A run of an application on a chip as data (docs/schemas/chip-result.json)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tandem.chip.energy import energy_json
from tandem.chip.prepare import PROGRAM, SOFTWARE, Prepared, prepared
from tandem.chip.run import LIMIT_CYCLES, run_on_chip
from tandem.diagnostics import Diagnostic, Place, TandemError, diagnostic_json, user_error
from tandem.files import file_of_a_run
from tandem.host.launch import ApplicationFailed, write_trace
from tandem.host.prepare import Job
from tandem.host.probes import Probes, require_probes, unmet_note, wave_note
from tandem.progress import stage
from tandem.report.gather import Gathered

PS = 1e12
NONE = Probes()
NO_PAGE = Gathered(None)


def run_application(
    job: Job,
    arguments: Sequence[str],
    *,
    mode: str,
    output: int | None,
    limit_cycles: int = LIMIT_CYCLES,
    trace: Path | None = None,
    page: Gathered = NO_PAGE,
    with_core_rtl: bool = False,
    probes: Probes = NONE,
) -> tuple[dict[str, Any], ApplicationFailed | None]:
    """Runs an application on a chip; in mode native with no function offloaded. What it prints
    goes to the descriptor `output`, or nowhere; what happened when, to the file `trace` and into
    `page`. `with_core_rtl`: the core's RTL runs alongside its model; `probes`: what else is
    recorded, and where it stops. Returns the result, and how the application failed at its own
    end, if it did.

    Raises UserError, Infeasible, and InternalError where hardware and C, or the core's RTL and its
    model, differ."""
    _require_arguments(job, arguments)
    require_probes(probes, job.counts)
    is_native = mode == "native"
    with _files(probes) as files, prepared(_showing(job, probes)) as build:
        page.add_packages(build.packages)
        page.add_platform(build.platform, job.changes)
        request = chip_request(job, build, arguments, is_native) | probes.request(files)
        request["timeline"] = trace is not None or page.is_wanted
        with ExitStack() as stack:
            if with_core_rtl:
                request["core_rtl"] = stack.enter_context(_core_rtl(build.chip["core"]))
            request["output"] = stack.enter_context(_descriptor(output))
            stack.enter_context(stage(f"running {job.main.name} on {build.chip['name']}", True))
            report = run_on_chip(
                job.main,
                request,
                limit_cycles=limit_cycles,
                failed=lambda error, so_far: _tell_files(probes, error, so_far),
            )
    if trace is not None:
        write_trace(trace, _spans(report))
    if page.is_wanted:
        page.add_spans(_spans(report))
    result = _result(report, build, mode)
    if probes.breaks and "break" not in report:
        result["notes"] = [*result["notes"], diagnostic_json(unmet_note(probes))]
    result |= _asked_for(report, with_core_rtl)
    if job.counts == "nets" and not is_native:
        result["energy"] = energy_json(build.chip, report)
    return result, _failure(job.main, report["exit_status"], result)


def _asked_for(report: dict[str, Any], with_core_rtl: bool) -> dict[str, Any]:
    """What a result has only of a run that was asked for it."""
    events = {"events_dropped": report["timeline"]["dropped"]} if "timeline" in report else {}
    return events | ({"core_rtl": report["core_rtl"]} if with_core_rtl else {})


def _spans(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A run's timeline as spans; cores and kernels have tracks of their own."""
    clock_ps = report["clock_ps"]
    tracks = {"processor": "processor", "call": "calls", "bus": "bus", "ring": "descriptors"}
    parts = {"bus": "bus", "ring": "bus", "processor": "processor", "call": "processor"}
    for event in sorted(report["timeline"]["events"], key=lambda event: event["begin"]):
        more = {key: f"{event[key]:#010x}" for key in ("address", "word") if key in event}
        yield {
            "component": tracks.get(event["track"], f"kernel {event['name']}"),
            "part": parts.get(event["track"], "kernels"),
            "category": event["name"],
            "start_ps": event["begin"] * clock_ps,
            "end_ps": event["end"] * clock_ps,
            "cycle": event["begin"],
            "cycles": event["end"] - event["begin"],
            **more,
        }


@contextmanager
def _core_rtl(core: str) -> Iterator[str]:
    """The model of a core's RTL. Raises UserError where there is none."""
    from tandem.models.cores import CORES, core_model

    if core not in CORES:
        raise user_error(
            "core-rtl",
            f"there is no RTL of {core}",
            help=f"run without --host rtl, or on a chip with one of: {', '.join(CORES)}",
        )
    with TemporaryDirectory() as work, stage(f"the RTL of {core}"):
        yield os.fspath(core_model(core, Path(work)))


@contextmanager
def _files(probes: Probes) -> Iterator[list[Path]]:
    """The files that the engine writes, before they have their names."""
    with ExitStack() as stack:
        yield [stack.enter_context(file_of_a_run(path)) for path, _ in probes.files]


def _showing(job: Job, probes: Probes) -> Job:
    """What is recorded of kernels, their models show."""
    return replace(job, shows=bool(probes.files))


def _tell_files(probes: Probes, error: TandemError, report: dict[str, Any]) -> None:
    for path, _ in probes.files:
        error.tell(wave_note(path, report["wave"]))


@contextmanager
def _descriptor(output: int | None) -> Iterator[int]:
    if output is not None:
        yield output
        return
    with open(os.devnull, "w") as nowhere:
        yield nowhere.fileno()


MOST_ARGUMENTS, MOST_BYTES = 64, 1024
"""What the start-up has room for (library/chip/start.c): words, and bytes with a zero each."""


def _require_arguments(job: Job, arguments: Sequence[str]) -> None:
    """Raises UserError for more than a program on a chip takes."""
    words = [job.main.stem, *arguments]
    bytes_ = sum(len(os.fsencode(word)) + 1 for word in words)
    if len(words) > MOST_ARGUMENTS or bytes_ > MOST_BYTES:
        raise user_error(
            "chip-arguments",
            f"{len(words)} arguments of {bytes_} bytes: a program on a chip takes {MOST_ARGUMENTS} "
            f"of {MOST_BYTES}, its name among them",
            help="put them into a file that the program reads",
        )


def chip_request(
    job: Job, build: Prepared, arguments: Sequence[str], is_native: bool
) -> dict[str, Any]:
    """The engine's (docs/chips.md), but for what is recorded and where output goes."""
    return {
        "platform": os.fspath(build.platform),
        "changes": "\n".join(job.changes),
        "program": os.fspath(build.folder / (SOFTWARE if is_native else PROGRAM)),
        "arguments": [job.main.stem, *arguments],
        "kernels": [] if is_native else list(build.kernels),
        "profile": True,
    }


def _failure(application: Path, status: int, result: dict[str, Any]) -> ApplicationFailed | None:
    if not status:
        return None
    text = f"the application ended with status {status}"
    told = Diagnostic("application", text, Place(os.fspath(application)))
    return ApplicationFailed(status, told, report=result)


def _result(report: dict[str, Any], build: Prepared, mode: str) -> dict[str, Any]:
    chip = build.chip
    return {
        "format": "tandem-chip-result",
        "format_version": 1,
        "mode": mode,
        "platform": chip["name"],
        "platform_title": chip["title"],
        "core": chip["core"],
        "clock_ps": report["clock_ps"],
        "cycles": report["cycles"],
        "total_s": report["cycles"] * report["clock_ps"] / PS,
        "instructions": report["instructions"],
        "exit_status": report["exit_status"],
        "kernels": report["kernels"],
        "areas": build.told["areas"] if report["kernels"] else [],
        "functions": report["functions"],
        "flags": build.told["flags"],
        "notes": build.told["notes"],
        "wall_s": report["wall_ps"] / PS,
        **{part: report[part] for part in ("wave", "break") if part in report},
    }
