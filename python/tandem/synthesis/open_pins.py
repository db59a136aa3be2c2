# SPDX-License-Identifier: Apache-2.0
"""Pins that a placer wants open although yosys has tied them to a constant.

The first carry cell of a chain has none before it. Where yosys ties its carry input to the cell
that drives a constant, nextpnr looks for a carry there and refuses the netlist; what is tied there
does not matter to the cell.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class OpenPin:
    """A pin of a kind of cell, and the kind of cell that ties it."""

    cell: str
    pin: str
    tied_by: str


def open_pins(netlist: Path, top: str, pins: Sequence[OpenPin]) -> None:
    """Rewrites a netlist of one flat module `top`."""
    if not pins:
        return
    document = json.loads(netlist.read_text())
    cells = document["modules"][top]["cells"].values()
    for one in pins:
        _open(cells, one, {bit for cell in cells for bit in _driven(cell, one.tied_by)})
    netlist.write_text(json.dumps(document))


def _driven(cell: dict[str, Any], kind: str) -> list[int]:
    """The bits of a cell of a kind, which drives and reads nothing."""
    return (
        [b for bits in cell["connections"].values() for b in bits] if cell["type"] == kind else []
    )


def _open(cells: Any, one: OpenPin, constant: set[int]) -> None:
    for cell in cells:
        if cell["type"] == one.cell and constant.intersection(cell["connections"].get(one.pin, ())):
            del cell["connections"][one.pin]
