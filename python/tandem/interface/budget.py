# SPDX-License-Identifier: Apache-2.0
"""Budgets of kernels: what each may take at most, and whether it does (docs/ci.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tandem import interface
from tandem.diagnostics import Diagnostic, InternalError, Place, TandemError
from tandem.files import replace_file, temporary_folder
from tandem.frontend.linking import find_definition
from tandem.interface.budget_file import (
    AREA,
    LIMITS,
    OF_RUN,
    Current,
    Entry,
    read_budget,
    require_updated,
    updated,
)
from tandem.progress import count

KEPT, NOT_KEPT, BAD = 0, 1, 2
"""Exit statuses."""


def check(
    path: Path, update: bool = False, progress: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Whether each kernel keeps its budget (docs/schemas/check.json). With `update` the file gets
    what they take now as their budgets.

    Raises UserError for a file that is no budget."""
    entries = read_budget(path)
    found: list[dict[str, Any]] = []
    now: dict[str, Current] = {}
    for entry in entries:
        count(len(found), len(entries))
        progress(entry.kernel)
        began = time.monotonic()
        errors: list[Diagnostic] = []
        try:
            now[entry.kernel] = current(entry)
        except InternalError:
            raise
        except TandemError as error:
            errors += error.diagnostics
        limits = [] if errors else list(_limits(entry, now[entry.kernel], update))
        found.append(_kernel_json(entry, limits, errors, time.monotonic() - began))
    is_bad = any(row["errors"] for row in found)
    is_kept = all(limit["is_kept"] for row in found for limit in row["limits"])
    if update and not is_bad:
        text = updated(path.read_text(encoding="utf-8"), entries, now)
        require_updated(path, text, now)
        replace_file(path, [text.encode()])
    return {
        "format": "tandem-check",
        "format_version": 1,
        "budget": str(path),
        "is_updated": update and not is_bad,
        "exit_status": BAD if is_bad else KEPT if is_kept else NOT_KEPT,
        "kernels": found,
    }


def _kernel_json(
    entry: Entry, limits: list[dict[str, Any]], errors: Sequence[Diagnostic], seconds: float
) -> dict[str, Any]:
    from tandem.diagnostics import diagnostic_json

    return {
        "kernel": entry.kernel,
        "source": str(entry.source),
        "line": entry.line,
        "seconds": seconds,
        "limits": limits,
        "errors": [diagnostic_json(one) for one in errors],
    }


def current(entry: Entry) -> Current:
    """Builds a kernel, and runs its application if it has one. Raises as these do."""
    return _built(entry) if entry.application is None else _run(entry)


def _built(entry: Entry) -> Current:
    with temporary_folder() as folder:
        built = interface.compile(
            entry.source,
            entry.function,
            clock_ns=entry.clock_ns,
            target=entry.target,
            optimise=entry.optimise,
            output=folder,
            given=entry.given,
        )
    values = _of_schedule(built) | {name: built["resources"].get(name, 0) for name in AREA}
    values["clock_ns"] = 1000 / built["fmax_mhz"]
    return Current(values, built["loops"])


def _run(entry: Entry) -> Current:
    from tandem.host.launch import launch
    from tandem.host.prepare import Job, prepared
    from tandem.manifest import read_manifest

    assert entry.application is not None
    job = Job(
        entry.application,
        entry.function,
        entry.platform,
        entry.changes,
        entry.given,
        interface.clock_ps(entry.clock_ns),
        optimise=entry.optimise,
    )
    with prepared(job) as build:
        report = launch(build, "emulate", entry.arguments, silent=True).report
        manifest = read_manifest(build.packages[0])
    area = build.facts.areas[0]
    values = _of_schedule(manifest) | {name: area.get(name, 0) for name in AREA}
    values["clock_ns"] = manifest["clock_ps"] / 1000
    values |= {"cycles": report["cycles"], "time_us": report["total_ps"] / 1e6}
    (kernel,) = report["kernels"] or [{"loops": manifest["loops"]}]
    return Current(values, kernel["loops"])


def _of_schedule(result: Mapping[str, Any]) -> dict[str, float | None]:
    """The slowest loop's `ii`, and the latency of a kernel that is one pipeline."""
    slowest = max((loop["ii"] for loop in result["loops"] if loop["ii"]), default=result["ii"])
    return {"ii": slowest, "latency_cycles": result["latency_cycles"]}


def _limits(entry: Entry, now: Current, update: bool) -> Iterator[dict[str, Any]]:
    for name, most in entry.most.items():
        value = now.values[name]
        is_kept = update or (value is not None and value <= most)
        reason = None if is_kept else _reason(entry, now, name)
        yield {
            "name": name,
            "most": most,
            "value": value,
            "is_kept": is_kept,
            "reason": None if reason is None else _plain(reason),
        }


def _plain(reason: Diagnostic) -> dict[str, Any]:
    place = reason.place or Place("")
    return {
        "message": reason.message,
        "file": place.file,
        "line": place.line,
        "help": reason.help,
    }


def _reason(entry: Entry, now: Current, name: str) -> Diagnostic:
    """Why a limit is not kept: the value, and the loop that it comes from with its cure."""
    value, most = now.values[name], entry.most[name]
    text = (
        f"`{entry.kernel}`: {LIMITS[name]}: {_number(value)}, at most {_number(most)} are allowed"
    )
    loop = _loop_of(now, name)
    if loop is None:
        place = find_definition(entry.function, [str(entry.source)])
        return Diagnostic(f"budget-{name}", text, place, _cure(entry, name))
    file = entry.source if entry.source.name == loop["file"] else Path(loop["file"])
    text += f"; this loop {_part(now, name, loop)}"
    cure = loop["limit"] or _cure(entry, name)
    return Diagnostic(f"budget-{name}", text, Place(str(file), loop["line"]), cure)


def _part(now: Current, name: str, loop: Mapping[str, Any]) -> str:
    if name == "ii" and loop["ii"]:
        return f"begins an iteration every {loop['ii']} cycles"
    if name == "ii":
        return "is no pipeline"
    total = now.values["cycles"] or 1
    return f"takes {loop['cycles'] / total:.0%} of the cycles"


def _loop_of(now: Current, name: str) -> Mapping[str, Any] | None:
    """The loop that a limit is about; None where it is about the whole kernel."""
    if name == "ii":
        with_ii = [loop for loop in now.loops if loop["ii"]] or list(now.loops)
        return max(with_ii, key=lambda loop: loop["ii"] or 0, default=None)
    if name in OF_RUN:
        counted = [loop for loop in now.loops if loop.get("cycles")]
        return max(counted, key=lambda loop: loop["cycles"], default=None)
    return None


def _cure(entry: Entry, name: str) -> str:
    if name in ("lut4", "ff", "dsp"):
        word = f"--max-{name}"
        return f"build it with {word} {_number(entry.most[name])}, or --optimise area"
    if name in ("rom_bits", "ram_bits"):
        return "narrow its tables and arrays, or leave copies of them out"
    if name == "clock_ns":
        return "give it a longer clock period, or see what takes it: tandem build --why LINE"
    return "see what changed: tandem compare; or take it as it is: tandem check --update"


def _number(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
