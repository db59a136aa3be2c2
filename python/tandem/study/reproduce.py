# SPDX-License-Identifier: Apache-2.0
"""Published tables beside our own: every cell, its error, and what it rests on.

A study (studies/NAME.toml) has `runs`, each an application with a function to offload, run once for
every row of the published tables that belong to it, and `tables`, whose columns are formulas over
what a run gives, over the row's key, and over other published columns of the same row."""

from __future__ import annotations

import ast
import operator
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from tandem.diagnostics import user_error
from tandem.installation import data_file, known
from tandem.progress import count
from tandem.study.published import Key, Printed, read_table
from tandem.study.runs import row_name, run_rows

OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


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
        printed = {t: read_table(e, run["key"]) for t, e in tables.items()}
        wanted = [t for t in tables if t in (chosen or tables)]
        keys = list(dict.fromkeys(key for table in wanted for key in printed[table]))
        if keys:
            cells |= {table: [] for table in wanted}
        runs.append((run, tables, printed, keys))
    done, total = 0, sum(len(keys) for *_, keys in runs)
    count(done, total)
    for run, tables, printed, keys in runs:
        for key, figures in run_rows(study, run, keys, progress):
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
            cell = Cell(table, row_name(run["key"], key), column, ours, role)
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
