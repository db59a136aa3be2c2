# SPDX-License-Identifier: Apache-2.0
"""The part of a target file that synthesis reads: the table `[synthesis]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .absorb import BlockRegister
from .errors import synthesis_error


class TargetLike(Protocol):
    """Anything that carries the `[synthesis]` table of a target file."""

    @property
    def synthesis(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Cells:
    """The names of the family's cells in the netlist, and of its LUTs in the placer's report."""

    lut: str
    carry: str
    ff: str
    bram: str
    dsp: str
    lutram: str
    placed_lut: str


@dataclass(frozen=True)
class Device:
    """Which tools map to which part, and with which options.

    `flatten_first` dissolves the design's hierarchy before the logic is mapped. Without it each
    module is mapped once and the netlist is flattened afterwards: faster, and smaller when the
    design repeats its modules, but nothing is simplified across their borders. `registers` are
    those of blocks, which take the place of flip-flops after mapping. `cells_verilog`: the file, as
    yosys knows it, that says what the family's cells do.
    """

    yosys: str
    yosys_options: tuple[str, ...]
    flatten_first: bool
    nextpnr: str
    nextpnr_options: tuple[str, ...]
    part: str
    package: str
    speed: int
    cells: Cells
    cells_verilog: str
    registers: tuple[BlockRegister, ...] = ()

    def __str__(self) -> str:
        return f"{self.nextpnr} {self.part} {self.package} speed {self.speed}"


def device_of(target: TargetLike) -> Device:
    """The device of a target. Raises SynthesisError when a key is missing or unknown."""
    return device_from_table(target.synthesis)


def device_from_table(table: Mapping[str, Any]) -> Device:
    """Read a `[synthesis]` table. Raises SynthesisError when a key is missing or unknown."""
    try:
        return Device(
            yosys=table["yosys"],
            yosys_options=tuple(table.get("yosys_options", ())),
            flatten_first=table.get("flatten_first", False),
            nextpnr=table["nextpnr"],
            nextpnr_options=tuple(table.get("nextpnr_options", ())),
            part=table["device"],
            package=table["package"],
            speed=table["speed"],
            cells=Cells(**table["cells"]),
            cells_verilog=table["cells_verilog"],
            registers=tuple(_block_register(row) for row in table.get("registers", ())),
        )
    except (KeyError, TypeError) as error:
        raise synthesis_error(
            "target-synthesis",
            f"the target's [synthesis] table is not complete: {error}",
            help="copy the table from targets/ecp5.toml and change the values",
        ) from error


def _block_register(row: Mapping[str, Any]) -> BlockRegister:
    lists = {key: tuple(row[key]) for key in ("pins", "clocks")}
    return BlockRegister(**{**row, **lists})
