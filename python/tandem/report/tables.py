# SPDX-License-Identifier: Apache-2.0
"""Tables in a result, as rows and as frames of pandas or polars."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from tandem.diagnostics import user_error

Library = Literal["pandas", "polars"]
LIBRARIES = ("pandas", "polars")
Row = dict[str, Any]
PARTS = ("breakdown_s", "fixed_s", "busy_s")
"""By category, of a run: how long the program waits for it, what of that no byte costs, and how
long it took beside others."""


def tables_of(result: Mapping[str, Any]) -> dict[str, list[Row]]:
    """The tables of a result by name, in rows of plain values. Lists of rows are tables; so are
    the loops of all kernels, the breakdown, and software beside the pair."""
    found = {name: value for name, value in result.items() if _is_table(value)}
    loops = [
        {"kernel": kernel["name"], **loop}
        for kernel in result.get("kernels") or []
        for loop in kernel.get("loops") or []
    ]
    found |= {"loops": loops} if loops else {}
    found |= {"breakdown": _breakdown(result)} if "breakdown_s" in result else {}
    found |= {"baselines": _baselines(result)} if result.get("baselines_s") else {}
    return {name: [_flat(row) for row in rows] for name, rows in found.items()}


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _breakdown(result: Mapping[str, Any]) -> list[Row]:
    return [
        {"category": name, **{part: result[part][name] for part in PARTS if part in result}}
        for name in result["breakdown_s"]
    ]


def _baselines(result: Mapping[str, Any]) -> list[Row]:
    """Software on this machine: its seconds, and how many times faster the pair is."""
    gains = result.get("speedups") or {}
    return [
        {"software": name, "time_s": time_s, **{f"gain_{k}": v for k, v in gains[name].items()}}
        for name, time_s in result["baselines_s"].items()
        if name in gains
    ]


def _flat(row: Mapping[str, Any], path: str = "") -> Row:
    """A row whose values are numbers and texts: what is inside an object has a name with a dot,
    and a list is a text of JSON."""
    flat: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{path}{name}.")
        else:
            flat[path + name] = json.dumps(value) if isinstance(value, list) else value
    return flat


def frame_of(tables: Mapping[str, list[Row]], name: str, library: Library | None) -> Any:
    """A table as a frame. Raises UserError for one that is not there, and without a library."""
    if name not in tables:
        known = f"there are: {', '.join(tables)}" if tables else "there are none"
        raise user_error("table", f"no table `{name}` in this result", help=known)
    return rows_frame(tables[name], library)


def rows_frame(rows: list[Row], library: Library | None) -> Any:
    """Rows as a frame; a name that a row has not got is empty there. Raises UserError without a
    library."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    values = {name: [row.get(name) for row in rows] for name in columns}
    module = import_module(_library(library))
    return module.DataFrame(values, **({"strict": False} if module.__name__ == "polars" else {}))


def _library(wanted: Library | None) -> str:
    """The one that is wanted, or the first that is installed."""
    if wanted is not None and wanted not in LIBRARIES:
        raise user_error("library", f"no frames of `{wanted}`", help="known are: pandas, polars")
    names = LIBRARIES if wanted is None else (wanted,)
    found = next((name for name in names if find_spec(name) is not None), None)
    if found is None:
        text = f"{' and '.join(names)} cannot be imported"
        raise user_error("library", text, help="pip install 'tandem-accel[notebook]'")
    return found
