# SPDX-License-Identifier: Apache-2.0
"""Reads a target file: a family's operator delays and areas, as `targets/NAME.toml` has them."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from tandem.diagnostics import Place, UserError, user_error
from tandem.schedule.delays import Memories, Multipliers, Registered, Row, Target

NEEDED_ROWS = ("logic", "add", "eq", "lt", "select", "shift", "mul", "rom", "ram")


def load_target(path: Path) -> Target:
    """Reads a target file. Raises UserError naming what is missing."""
    try:
        with open(path, "rb") as handle:
            data = tomllib.load(handle)
    except (OSError, ValueError, RecursionError) as error:
        raise user_error(
            "target",
            f"cannot read the target: {error}",
            Place(str(path)),
            "`tandem list targets` shows the known ones",
        ) from error
    try:
        operators = data["operators"]
        missing = [row for row in NEEDED_ROWS if row not in operators]
        if missing:
            raise _missing(path, f"[operators.{missing[0]}]")
        if not operators["ram"].get("registered"):
            raise _missing(path, "[[operators.ram.registered]]")
        return Target(
            data["name"],
            data["title"],
            data["synthesis"]["lut_inputs"],
            data["register"]["overhead_ps"],
            data["routing"]["large_design_factor"],
            {name: _row(row) for name, row in operators.items()},
            str(path),
            Memories(*(data["memories"][part.name] for part in fields(Memories))),
            Multipliers(*(data["multipliers"][part.name] for part in fields(Multipliers))),
            data["synthesis"]["table_behind_carry"],
            data["synthesis"]["multiplier_bits"],
            data["synthesis"],
            data["routing"].get("shared_register_ps", 0),
            data["placement"]["margin"],
            data["placement"]["expected_factor"],
            data["resources"],
        )
    except KeyError as error:
        raise _missing(path, str(error)) from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise user_error(
            "target",
            f"the target is damaged: {error}",
            Place(str(path)),
            "bench/measure_delays.py measures a family and writes the whole file",
        ) from error


def _missing(path: Path, what: str) -> UserError:
    return user_error(
        "target",
        f"{what} is missing",
        Place(str(path)),
        "bench/measure_delays.py measures a family and writes the whole file",
    )


def _row(data: dict[str, Any]) -> Row:
    sizes = data.get("width_bits") or data["index_bits"]
    area = data.get("area_lut4") or data.get("area_lut4_per_bit", [])
    if "area_bits" not in data:
        area = [min(area[i:]) for i in range(len(area))]  # a smaller operator is never larger
    registered = tuple(Registered(**way) for way in data.get("registered", ()))
    shapes = dict(zip(data.get("part_words", ()), data.get("part_bits", ()), strict=True))
    return Row(
        list(sizes),
        list(data["delay_ps"]),
        list(area),
        registered,
        shapes,
        list(data.get("area_bits", ())),
        dict(zip(data.get("gate_inputs", ()), data.get("gate_lut4", ()), strict=True)),
    )
