# SPDX-License-Identifier: Apache-2.0
"""What was published: a study's tables as they are printed, and between what each figure lies."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tandem.installation import data_file

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


def read_table(entry: dict[str, Any], names: list[str]) -> dict[Key, dict[str, Printed]]:
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
            if column not in names and (".." in text or is_number(text))
        }
        for row in csv.DictReader(lines)
    }


def is_number(text: object) -> bool:
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
