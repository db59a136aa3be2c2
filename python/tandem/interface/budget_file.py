# SPDX-License-Identifier: Apache-2.0
"""The file of budgets: what each kernel may take at most, read and written again (docs/ci.md)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, user_error
from tandem.installation import DEFAULT_PLATFORM
from tandem.languages.discovery import Given

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


def updated(text: str, entries: Sequence[Entry], now: Mapping[str, Current]) -> str:
    """The text of a budget with what kernels take now: in place of the limits that it has, or, of a
    kernel that has none, for all that there is."""
    for entry in entries:
        values = {n: v for n, v in now[entry.kernel].values.items() if v is not None}
        text = _with_values(text, entry, values)
    return text


def require_updated(path: Path, text: str, now: Mapping[str, Current]) -> None:
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
