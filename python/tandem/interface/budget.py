# SPDX-License-Identifier: Apache-2.0
"""Budgets of kernels: what each may take at most, and whether it does (docs/ci.md)."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.diagnostics import Diagnostic, InternalError, Place, TandemError, user_error
from tandem.files import replace_file, temporary_folder
from tandem.frontend.linking import find_definition
from tandem.installation import DEFAULT_PLATFORM
from tandem.languages.discovery import Given
from tandem.progress import count

LIMITS = {
    "ii": "cycles between iterations of the slowest loop",
    "latency_cycles": "latency",
    "clock_ns": "clock period that it reaches",
    "lut4": "look-up tables",
    "ff": "flip-flops",
    "dsp": "multiplier blocks",
    "rom_bits": "bits of tables",
    "ram_bits": "bits of memories",
    "cycles": "cycles of all calls of the application",
    "time_us": "time of all calls of the application on its platform",
}
"""What a budget may limit, in words."""
OF_RUN = ("cycles", "time_us")
AREA = ("lut4", "ff", "dsp", "rom_bits", "ram_bits")
_TEXTS = ("source", "function", "target", "optimise", "application", "platform")
_LISTS = ("sources", "flags", "arguments", "set")
_KNOWN = (*_TEXTS, *_LISTS, "clock_ns", "most")
KEPT, NOT_KEPT, BAD = 0, 1, 2
"""Exit statuses."""


@dataclass(frozen=True)
class Entry:
    """A kernel's budget. `most`: limit -> what it may be at most; `application`: the main file of a
    program that is run, for cycles and time; `line`: where it stands in the budget."""

    kernel: str
    source: Path
    most: dict[str, float]
    line: int
    function: str
    clock_ns: float = 10.0
    target: str = "ecp5"
    optimise: str = "balanced"
    given: Given = field(default_factory=Given)
    application: Path | None = None
    arguments: tuple[str, ...] = ()
    platform: str = DEFAULT_PLATFORM
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Current:
    """What a kernel takes: a value for each limit, None where it has none of that; its loops as a
    result has them, each with the cycles of a run if there was one."""

    values: dict[str, float | None]
    loops: Sequence[Mapping[str, Any]]


def read_budget(path: Path) -> list[Entry]:
    """The budgets of a TOML file; paths in it begin at its folder.

    Raises UserError with each fault of it."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        text = f"cannot read it: {error.strerror}"
        raise user_error("budget-file", text, Place(str(path)), "see docs/ci.md") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        text = f"this is no TOML: {error}"
        raise user_error("budget-file", text, Place(str(path)), "see docs/ci.md") from error
    kernels = data.get("kernel")
    if not isinstance(kernels, dict) or not kernels or data.keys() != {"kernel"}:
        others = sorted(data.keys() - {"kernel"})
        text = f"unknown is {', '.join(others)}" if others else "there is no kernel in it"
        raise user_error("budget-file", text, Place(str(path)), "begin with [kernel.FUNCTION]")
    return [_entry(path, text, name, row) for name, row in kernels.items()]


def _entry(path: Path, text: str, name: str, row: Any) -> Entry:
    line = _line_of(text, name)
    place = Place(str(path), line)
    if not isinstance(row, dict):
        raise _fault(place, f"`{name}` is no table", f"write [kernel.{name}]")
    if others := sorted(row.keys() - set(_KNOWN)):
        known = f"known are: {', '.join(_KNOWN)}"
        raise _fault(place, f"`{name}` has unknown {', '.join(others)}", known)
    for key in _TEXTS:
        if not isinstance(row.get(key, ""), str):
            raise _fault(place, f"{key} of `{name}` is no text", 'put it in quotes: "..."')
    for key in _LISTS:
        words = row.get(key, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise _fault(place, f"{key} of `{name}` is no list of texts", 'write ["...", "..."]')
    if "source" not in row and "application" not in row:
        raise _fault(place, f"`{name}` has no source", 'add source = "FILE.c"')
    clock_ns = row.get("clock_ns", 10.0)
    if not _is_number(clock_ns) or clock_ns <= 0:
        raise _fault(place, f"clock_ns of `{name}` is no period", "give nanoseconds, as 10.0")
    folder = path.parent
    application = folder / row["application"] if "application" in row else None
    source = folder / row["source"] if "source" in row else application
    assert source is not None
    sources = tuple(folder / word for word in row.get("sources", []))
    return Entry(
        name,
        source,
        _most(place, name, row),
        line,
        row.get("function", name),
        float(clock_ns),
        row.get("target", "ecp5"),
        row.get("optimise", "balanced"),
        Given(sources, tuple(row.get("flags", []))),
        application,
        tuple(row.get("arguments", [])),
        row.get("platform", DEFAULT_PLATFORM),
        tuple(row.get("set", [])),
    )


def _most(place: Place, name: str, row: Mapping[str, Any]) -> dict[str, float]:
    most = row.get("most", {})
    if not isinstance(most, dict):
        raise _fault(place, f"most of `{name}` is no table", f"write [kernel.{name}.most]")
    for key, value in most.items():
        if key not in LIMITS:
            raise _fault(place, f"`{name}` limits unknown {key}", f"known are: {', '.join(LIMITS)}")
        if not _is_number(value) or value < 0:
            raise _fault(place, f"{key} of `{name}` is no number from 0 on", f"write {key} = 1")
        if key in OF_RUN and "application" not in row:
            cure = 'add application = "main.c", whose calls are counted'
            raise _fault(place, f"{key} of `{name}` is about a run, and there is none", cure)
    return dict(most)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _fault(place: Place, message: str, cure: str):
    return user_error("budget-file", message, place, cure)


def _line_of(text: str, name: str) -> int:
    quoted = re.escape(name)
    pattern = rf"^\s*\[\s*kernel\s*\.\s*[\"']?{quoted}[\"']?\s*[\].]"
    lines = enumerate(text.splitlines(), 1)
    return next((n for n, line in lines if re.match(pattern, line)), 0)


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
        _require_updated(path, text, now)
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
    from tandem import interface

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
    from tandem import interface
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


def updated(text: str, entries: Sequence[Entry], now: Mapping[str, Current]) -> str:
    """The text of a budget with what kernels take now: in place of the limits that it has, or, of a
    kernel that has none, for all that there is."""
    for entry in entries:
        values = {n: v for n, v in now[entry.kernel].values.items() if v is not None}
        text = _with_values(text, entry, values)
    return text


def _require_updated(path: Path, text: str, now: Mapping[str, Current]) -> None:
    """Raises UserError where limits are not written as lines of a table, which is what is found."""
    kernels = tomllib.loads(text)["kernel"]
    for name, row in kernels.items():
        values = now[name].values
        if any(
            values[limit] is not None and most < values[limit]
            for limit, most in row["most"].items()
        ):
            place = Place(str(path), _line_of(text, name))
            cure = f"write [kernel.{_table_name(name)}.most] and a line for each limit"
            raise _fault(place, f"the limits of `{name}` cannot be rewritten", cure)


def _with_values(text: str, entry: Entry, values: Mapping[str, float]) -> str:
    if not entry.most:
        table = _table_name(entry.kernel)
        lines = [f"{name} = {_toml(value)}" for name, value in values.items()]
        added = "\n".join([f"[kernel.{table}.most]", *lines])
        return f"{text.rstrip()}\n\n{added}\n"
    lines = text.splitlines()
    quoted = re.escape(entry.kernel)
    is_inside = False
    for number, line in enumerate(lines):
        if re.match(r"\s*\[", line):
            head = rf"\s*\[\s*kernel\s*\.\s*[\"']?{quoted}[\"']?\s*\.\s*most\s*\]"
            is_inside = bool(re.match(head, line))
        found = re.match(r"(\s*(\w+)\s*=\s*)([-+\w.]+)(.*)$", line)
        if is_inside and found and found[2] in values:
            lines[number] = f"{found[1]}{_toml(values[found[2]])}{found[4]}"
    return "\n".join(lines) + "\n"


def _table_name(kernel: str) -> str:
    return kernel if re.fullmatch(r"[\w-]+", kernel, re.A) else f'"{kernel}"'


def _toml(value: float) -> str:
    """A number that is no less than the value, with no more digits than tell it."""
    if isinstance(value, int):
        return str(value)
    return repr(float(f"{value * 1.0005:.4g}"))
