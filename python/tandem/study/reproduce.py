# SPDX-License-Identifier: Apache-2.0
"""Published tables beside our own: every cell, its error, and what it rests on.

A study (studies/NAME.toml) has `runs`, each an application with a function to offload, run once for
every row of the published tables that belong to it, and `tables`, whose columns are formulas over
what a run gives, over the row's key, and over other published columns of the same row."""

from __future__ import annotations

import ast
import csv
import math
import operator
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from tandem.diagnostics import user_error
from tandem.files import temporary_folder
from tandem.host.launch import emulated
from tandem.host.prepare import Job, Prepared, prepared
from tandem.installation import data_file, known
from tandem.languages.discovery import Given
from tandem.platforms.engine import find_platform, is_chip
from tandem.progress import count

PS = 1e12
OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}

LATENCIES = {"p50_s", "p99_s", "most_s"}
"""Figures that are told to one part in 64."""

Key = tuple[str, ...]
"""What a row is known by, as printed: the number of words, or of units and keys."""


@dataclass(frozen=True)
class Printed:
    """A published figure, and between what it lies: as far as its last digit tells, or the range
    that the paper gives; then `value` is its end."""

    value: float
    low: float
    high: float
    is_range: bool = False


@dataclass(frozen=True)
class Cell:
    """`role`: 'independent' where nothing of the figure went into the platform; 'fitted' where it
    was used to find the platform's numbers, 'interpreted' where these rest on a reading of the
    paper that it would show to be wrong, 'derived' where the figure only repeats others or is made
    of them; 'beside' where another tool's work is set beside ours; 'given' where it is not ours to
    predict, or 'ours' where there is none: then `paper` and what follows it are None. `low`,
    `high`: between what the paper's figure lies; `error` is ours / paper - 1, of a range as far as
    ours lies outside; `excess` by how much ours lies outside of these bounds, as a part of the
    nearer one."""

    table: str
    row: str
    column: str
    ours: float
    role: str
    paper: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    excess: float | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def find_study(name: str) -> dict[str, Any]:
    """A study by its name. Raises UserError that lists the known ones."""
    if name not in known("studies"):
        raise user_error(
            "study", f"unknown study `{name}`", help=f"known are: {', '.join(known('studies'))}"
        )
    with open(data_file("studies", f"{name}.toml"), "rb") as handle:
        return tomllib.load(handle)


def reproduce(
    name: str, chosen: Sequence[str] = (), progress: Callable[[str], None] = lambda _: None
) -> list[Cell]:
    """Runs the study's applications for every row of its tables, or of those `chosen`, and
    compares. Raises UserError for a table that it does not have."""
    study = find_study(name)
    for table in chosen:
        _require_table(study, table)
    cells: dict[str, list[Cell]] = {}
    runs = []
    for run_name, run in study["runs"].items():
        tables = {t: e for t, e in study["tables"].items() if e["run"] == run_name}
        printed = {t: _read_table(e, run["key"]) for t, e in tables.items()}
        wanted = [t for t in tables if t in (chosen or tables)]
        keys = list(dict.fromkeys(key for table in wanted for key in printed[table]))
        if keys:
            cells |= {table: [] for table in wanted}
        runs.append((run, tables, printed, keys))
    done, total = 0, sum(len(keys) for *_, keys in runs)
    count(done, total)
    for run, tables, printed, keys in runs:
        for key, figures in _run(study, run, keys, progress):
            done += 1
            count(done, total)
            for cell in _row(tables, key, run, figures, printed):
                cells.get(cell.table, []).append(cell)
    for table, of_table in cells.items():
        of_table += _ratios(of_table, study["tables"][table].get("ratio_of", []))
    return [cell for table in study["tables"] for cell in cells.get(table, [])]


def _ratios(cells: Sequence[Cell], rows: Sequence[str]) -> Iterator[Cell]:
    """Of two rows of a table, each figure of the first by that of the second. What a calibrated
    figure makes with a predicted one is predicted."""
    if not rows:
        return
    first, second = (
        {c.column: c for c in cells if c.row == row and c.role not in ("given", "ours")}
        for row in rows
    )
    for column in (name for name in first if name in second):
        above, below = first[column], second[column]
        role = "independent" if "independent" in (above.role, below.role) else above.role
        cell = Cell(above.table, " : ".join(rows), column, above.ours / below.ours, role)
        paper, of_paper = _published(above), _published(below)
        ends = (paper.low / of_paper.high, paper.high / of_paper.low)
        yield _beside(cell, Printed(paper.value / of_paper.value, *ends))


def _published(cell: Cell) -> Printed:
    """What a cell has of the paper, which has the figure."""
    assert cell.paper is not None and cell.low is not None and cell.high is not None
    return Printed(cell.paper, cell.low, cell.high)


def _require_table(study: dict[str, Any], table: str) -> None:
    if table not in study["tables"]:
        known_tables = ", ".join(study["tables"])
        raise user_error("study", f"unknown table `{table}`", help=f"there are: {known_tables}")


# -- runs ---------------------------------------------------------------------------------------


def _run(
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
                progress(f"running {_row_name(run['key'], key)}")
                yield key, _extended(run, key, build)


def _run_on_chip(
    run: dict[str, Any], platform: str, keys: list[Key], progress: Callable[[str], None]
) -> Iterator[tuple[Key, dict[str, float]]]:
    """The same on a chip, where each row is a case with its own application and function: cycles of
    its calls, of the C function beside them, and of the kernel."""
    from tandem.chip.result import run_application

    for key in keys:
        case = run["cases"][key[0]]
        progress(f"running {_row_name(run['key'], key)} on {platform}")
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
    return {name: float(value) for name, value in values.items() if _is_number(value)}


def _filled(run: dict[str, Any], what: str, key: Key) -> tuple[str, ...]:
    """Texts of a run, {names} of them replaced by what the row has; words of a case, by its own."""
    case = run.get("cases", {}).get(key[0], {})
    texts = [*run.get(what, []), *case.get(what, [])]
    return tuple(text.format(**dict(zip(run["key"], key, strict=True)), **case) for text in texts)


def _told(flags: tuple[str, ...]) -> str:
    return f" with {' '.join(flags)}" if flags else ""


def _row_name(names: list[str], key: Key) -> str:
    if len(names) == 1:
        return key[0]
    return ", ".join(f"{value} {name}" for name, value in zip(names, key, strict=True))


# -- what was published -------------------------------------------------------------------------


def _read_table(entry: dict[str, Any], names: list[str]) -> dict[Key, dict[str, Printed]]:
    """A table's rows, with those of the software that it is set beside."""
    rows = _read_rows(data_file("studies", entry["file"]), names)
    for key in rows if "software" in entry else ():
        software = _read_rows(data_file("studies", entry["software"]), entry["software_key"])
        shared = [key[names.index(name)] for name in entry["software_key"]]
        rows[key] = software[tuple(shared)] | rows[key]
    return rows


def _read_rows(path: Path, names: list[str]) -> dict[Key, dict[str, Printed]]:
    """A CSV with comment lines: row key -> column -> figure."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return {
        tuple(row[name] for name in names): {
            column: _printed(text)
            for column, text in row.items()
            if column not in names and (".." in text or _is_number(text))
        }
        for row in csv.DictReader(lines)
    }


def _is_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True


def _printed(text: str) -> Printed:
    """A figure as printed, right to half a unit of its last digit; or a range, `low..high`."""
    if ".." in text:
        low, high = (float(part) for part in text.split(".."))
        return Printed(high, low, high, is_range=True)
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    value, half = float(text), 0.5 * 10.0**exponent
    return Printed(value, value - half, value + half)


# -- cells --------------------------------------------------------------------------------------


def _row(
    tables: dict[str, dict[str, Any]],
    key: Key,
    run: dict[str, Any],
    figures: dict[str, float],
    printed: dict[str, dict[Key, dict[str, Printed]]],
) -> Iterator[Cell]:
    """The cells of all tables that have a row of this key. A column may use those of the tables
    before it: ours where the figure is ours, the paper's for its bounds."""
    published: dict[str, Printed] = {}
    for rows in printed.values():
        published |= rows.get(key, {})
    for table, entry in tables.items():
        if key not in printed[table]:
            continue
        row = printed[table][key]
        for column, formula in entry["columns"].items():
            role = _role(entry, key, column)
            paper = _bounds(formula, row, column, published)
            if (paper is None) != (role == "ours"):
                continue
            ours = _value(formula, {name: p.value for name, p in row.items()} | figures)
            figures.setdefault(column, ours)
            cell = Cell(table, _row_name(run["key"], key), column, ours, role)
            yield cell if paper is None else _beside(cell, paper)


def _beside(cell: Cell, paper: Printed) -> Cell:
    """A cell with what was published."""
    ours = cell.ours
    excess = max(paper.low - ours, 0) / paper.low + max(ours - paper.high, 0) / paper.high
    error = ours / paper.value - 1
    if paper.is_range:
        error = excess if ours > paper.high else 0 - excess
    return replace(
        cell, paper=paper.value, low=paper.low, high=paper.high, error=error, excess=excess
    )


def _role(entry: dict[str, Any], key: Key, column: str) -> str:
    """What a table says of all of it, of a given row, of a cell, of a column, and of a row."""

    def rows(role: str) -> list[list[str]]:
        return [[str(part) for part in row] for row in entry.get(f"{role}_rows", [])]

    if "role" in entry or [*key] in rows("given"):
        return entry.get("role", "given")
    if [*key, column] in entry.get("fitted_cells", []):
        return "fitted"
    of_rows = (role for role in ("fitted", "interpreted") if [*key] in rows(role))
    return entry.get("roles", {}).get(column) or next(of_rows, "independent")


def _bounds(
    formula: str, row: dict[str, Printed], column: str, published: dict[str, Printed]
) -> Printed | None:
    """Between what a published figure lies, if there is one. One that the paper made of others that
    it prints is no more exact than they are: a quotient of times that have one digit has no three.
    """
    if column not in row:
        return None
    cell = row[column]
    names = sorted(_names(formula))
    if len(names) < 2 or any(name not in published for name in names):
        return cell
    corners = product(*((published[name].low, published[name].high) for name in names))
    values = [_value(formula, dict(zip(names, corner, strict=True))) for corner in corners]
    return Printed(cell.value, min(cell.low, *values), max(cell.high, *values))


def _names(formula: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(formula)) if isinstance(node, ast.Name)}


def _value(formula: str, known_here: Mapping[str, float]) -> float:
    """A formula of names, numbers and the four operations."""

    def value(node: ast.expr) -> float:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](value(left), value(right))
            case ast.Name(id=name):
                return known_here[name]
            case ast.Constant(value=int() | float() as number):
                return number
            case _:
                raise ValueError(f"no formula: {formula}")

    return value(ast.parse(formula, mode="eval").body)
