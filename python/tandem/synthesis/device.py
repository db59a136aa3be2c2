# SPDX-License-Identifier: Apache-2.0
"""The part of a target file that synthesis reads: the table `[synthesis]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .absorb import BlockRegister, FlipFlop
from .errors import synthesis_error
from .open_pins import OpenPin
from .placers import PLACERS, Placer


class TargetLike(Protocol):
    """Anything that carries the `[synthesis]` table of a target file."""

    @property
    def synthesis(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Cells:
    """The names of the family's cells in the netlist."""

    lut: tuple[str, ...]
    carry: tuple[str, ...]
    ff: tuple[str, ...]
    bram: tuple[str, ...]
    dsp: tuple[str, ...]
    lutram: tuple[str, ...]


@dataclass(frozen=True)
class Device:
    """Which tools map to which part, and with which options.

    `flatten_first` dissolves the design's hierarchy before the logic is mapped. Without it each
    module is mapped once and the netlist is flattened afterwards: faster, and smaller when the
    design repeats its modules, but nothing is simplified across their borders. `registers` are
    those of blocks, which take the place of flip-flops after mapping. `cells_verilog`: the file, as
    yosys knows it, that says what the family's cells do; `options_without_blocks`: those that have
    memories and products made of look-up tables. `before_count`: yosys' command, if any, after
    which cells are counted. `luts`: how many look-up tables are in a cell of a kind; `placed`: what
    the placer calls what there is of the device. `open_pins`: what the placer wants open that
    yosys ties. `pins`: where those of the harness are, for a placer that chooses none.
    """

    yosys: str
    yosys_options: tuple[str, ...]
    options_without_blocks: tuple[str, ...]
    before_count: str
    flatten_first: bool
    nextpnr: str
    nextpnr_options: tuple[str, ...]
    part: str
    package: str
    cells: Cells
    luts: Mapping[str, int]
    placed: Mapping[str, str]
    cells_verilog: str
    flip_flop: FlipFlop
    registers: tuple[BlockRegister, ...] = ()
    open_pins: tuple[OpenPin, ...] = ()
    pins: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        options = [word.removeprefix("--") for word in self.nextpnr_options]
        return " ".join([self.nextpnr, self.part, self.package, *options])

    @property
    def placer(self) -> Placer:
        """The family's."""
        return PLACERS[self.nextpnr]

    def count(self, file: str) -> str:
        """The yosys commands that count cells into a file. They change the netlist."""
        before = f"{self.before_count}; " if self.before_count else ""
        return f"{before}tee -q -o {file} stat -json"

    @property
    def luts_per_carry(self) -> int:
        """How many look-up tables a carry cell has."""
        return self.luts[self.cells.carry[0]]


def device_of(target: TargetLike) -> Device:
    """The device of a target. Raises SynthesisError when a key is missing or unknown."""
    return device_from_table(target.synthesis)


def device_from_table(table: Mapping[str, Any]) -> Device:
    """Read a `[synthesis]` table. Raises SynthesisError when a key is missing or unknown."""
    try:
        return Device(
            yosys=table["yosys"],
            yosys_options=tuple(table.get("yosys_options", ())),
            options_without_blocks=tuple(table["options_without_blocks"]),
            before_count=table.get("before_count", ""),
            flatten_first=table.get("flatten_first", False),
            nextpnr=_known_placer(table["nextpnr"]),
            nextpnr_options=tuple(table.get("nextpnr_options", ())),
            part=table["device"],
            package=table["package"],
            cells=Cells(**{kind: tuple(names) for kind, names in table["cells"].items()}),
            luts=table["luts"],
            placed=table["placed"],
            cells_verilog=table["cells_verilog"],
            flip_flop=FlipFlop(tuple(table["cells"]["ff"]), **table["flip_flop"]),
            open_pins=tuple(OpenPin(**row) for row in table.get("open_pins", ())),
            pins=table.get("pins", {}),
            registers=tuple(_block_register(row) for row in table.get("registers", ())),
        )
    except (KeyError, TypeError) as error:
        raise synthesis_error(
            "target-synthesis",
            f"the target's [synthesis] table is not complete: {error}",
            help="copy the table from targets/ecp5.toml and change the values",
        ) from error


def _known_placer(family: str) -> str:
    if family not in PLACERS:
        raise synthesis_error(
            *("target-synthesis", f"there is no placer for `{family}`"),
            help=f"known are: {', '.join(PLACERS)}",
        )
    return family


def _block_register(row: Mapping[str, Any]) -> BlockRegister:
    lists = {key: tuple(row[key]) for key in ("pins", "clocks")}
    return BlockRegister(**{**row, **lists})
