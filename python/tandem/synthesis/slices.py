# SPDX-License-Identifier: Apache-2.0
"""Slices of older Xilinx families, which papers give areas in, counted in a netlist by a rule.

A slice of Virtex-II, Spartan-3, Spartan-3E and Virtex-4 is two halves, of a look-up table of four
inputs, a bit of a carry chain and a flip-flop each, and two multiplexers beside them, MUXF5 and
another one (Xilinx DS031, DS099, DS312, UG070). docs/slices.md has the rule and its reasons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.diagnostics import user_error

from . import tools
from .errors import synthesis_error
from .flow import DESIGN_FILE, copy_design

NETLIST_FILE = "slices.json"
FAMILIES = {
    "xc2v": "Virtex-II",
    "xc3s": "Spartan-3",
    "xc3se": "Spartan-3E",
    "xc4v": "Virtex-4",
}
"""yosys' word for a family -> its name."""

LUTS = ("LUT1", "LUT2", "LUT3", "LUT4", "INV")
"""An inverter that nothing has taken in is a look-up table."""
LUT_RAMS = {
    **dict.fromkeys(("RAM16X1S", "SRL16", "SRL16E", "SRLC16", "SRLC16E"), 1),
    **dict.fromkeys(("RAM16X1D", "RAM32X1S"), 2),
    **dict.fromkeys(("RAM32X1D", "RAM64X1S"), 4),
    **dict.fromkeys(("RAM64X1D", "RAM128X1S"), 8),
}
"""A memory of look-up tables, or a shift register -> how many of them: sixteen bits each."""
WIDER = ("MUXF6", "MUXF7", "MUXF8")
"""What the second multiplexer of a slice may be; what it chooses between comes from two slices."""
CARRY = {"MUXCY": "S", "XORCY": "LI"}
"""A cell of a carry chain -> its pin at the look-up table."""
FLIP_FLOP = re.compile(r"^(?:FD|LD)[RSCP]*E?(?:_1)?$")
RESETS = ("R", "S", "CLR", "PRE")
MULTIPLIERS = ("MULT18X18", "DSP48")
BESIDE = ("GND", "VCC", "BUFG", "MULT_AND")
"""What takes no place in a slice, or none of its own."""

Cell = Mapping[str, Any]
Bit = int | str
"""A net's number, or a constant."""


@dataclass(frozen=True)
class Slices:
    """What a netlist takes of a family. `lut4` counts look-up tables, those of memories too,
    `carry` bits of carry chains, `wide` multiplexers that join look-up tables, `bram` and `dsp`
    blocks. No placement takes fewer slices than `least`; `estimate` are those of the rule."""

    family: str
    lut4: int
    ff: int
    carry: int
    wide: int
    bram: int
    dsp: int
    least: int
    estimate: int


@dataclass(eq=False)
class _Half:
    """Half a slice: the flip-flop's clock, enable and reset where it has one, what it is one slice
    with where that is settled, and whether a carry chain goes through it."""

    control: tuple[Bit, ...] | None = None
    partner: _Half | None = None
    carries: bool = False

    def takes(self, control: tuple[Bit, ...]) -> bool:
        """Whether a flip-flop fits: those of a slice share clock, enable and reset."""
        beside = self.partner.control if self.partner else None
        return self.control is None and beside in (None, control)


def check_family(family: str) -> None:
    """Raises UserError, with those that there are, for a family that is none of FAMILIES."""
    if family not in FAMILIES:
        known = ", ".join(f"{word} ({name})" for word, name in FAMILIES.items())
        raise user_error(
            "slices", f"--slices: no rule for a family `{family}`", help=f"known are: {known}"
        )


def kernel_slices(verilog: Path, top: str, family: str) -> Slices:
    """Maps the module `top` of a Verilog file to one of FAMILIES and counts its slices.

    Raises UserError for another family, and SynthesisError, after which the tool's output stays
    where the error says."""
    check_family(family)
    yosys = tools.find_yosys()
    with tools.work_folder("tandem-slices-") as work:
        copy_design(verilog, work)
        tools.run(yosys, ["-q", "-p", _script(top, family)], work, "yosys.log")
        document = json.loads((work / NETLIST_FILE).read_text())
    return count_slices(family, document["modules"][top])


def _script(top: str, family: str) -> str:
    """Module by module, as for the other targets: tables are mapped once, and stay tables. Without
    buffers for pins and clocks: the kernel is part of a larger design."""
    return (
        f"read_verilog -sv {DESIGN_FILE}; "
        f"synth_xilinx -family {family} -top {top} -noiopad -noclkbuf; "
        f"flatten -noscopeinfo; clean; write_json {NETLIST_FILE}"
    )


def count_slices(family: str, module: Mapping[str, Any]) -> Slices:
    """Counts a flat module of a netlist as yosys writes it, mapped to one of FAMILIES.

    Raises SynthesisError for a cell that the rule does not know."""
    packing = _Packing(module["cells"])
    packing.pack()
    count, packed, carry = packing.count, len(packing.slices), len(packing.chained)
    luts, wider = count("lut"), count("wider")
    return Slices(
        family=family,
        lut4=luts,
        ff=count("ff"),
        carry=carry,
        wide=packed + wider,
        bram=count("bram"),
        dsp=count("dsp"),
        least=max(-(-max(luts, count("ff"), carry) // 2), packed, wider),
        estimate=packing.estimate(),
    )


def _kind(type_: str) -> str:
    """What a cell is for the rule."""
    if type_ in LUTS or type_ in LUT_RAMS:
        return "lut"
    for kind, names in (("carry", CARRY), ("pair", ("MUXF5",)), ("wider", WIDER)):
        if type_ in names:
            return kind
    if FLIP_FLOP.match(type_):
        return "ff"
    for kind, prefixes in (("bram", "RAMB"), ("dsp", MULTIPLIERS), ("beside", BESIDE)):
        if type_.startswith(prefixes):
            return kind
    raise synthesis_error(
        "slices", f"the rule for slices does not know the cell {type_}", help="report this"
    )


@dataclass
class _Packing:
    """Cells and the halves that they go into."""

    cells: Mapping[str, Cell]
    halves: list[_Half] = field(default_factory=list)
    slices: list[_Half] = field(default_factory=list)
    """The first half of each slice that is settled by a MUXF5: it has the multiplexer's answer."""
    behind: dict[Bit, _Half] = field(default_factory=dict)
    """Net -> the half that drives it, and whose flip-flop can take it from there."""
    wider: dict[Bit, Cell] = field(default_factory=dict)
    """Net -> the second multiplexer that drives it."""
    chained: dict[tuple[Bit, Bit], _Half] = field(default_factory=dict)
    """Where a carry chain goes through: the nets from the look-up table and from the bit before."""

    def __post_init__(self) -> None:
        self.of_kind: dict[str, list[Cell]] = {}
        for cell in self.cells.values():
            self.of_kind.setdefault(_kind(cell["type"]), []).append(cell)

    def count(self, kind: str) -> int:
        """How many cells of a kind; of memories, how many look-up tables."""
        return sum(LUT_RAMS.get(cell["type"], 1) for cell in self.of_kind.get(kind, []))

    def pack(self) -> None:
        """Each step finds what those before have left free."""
        steps = {
            "lut": self._look_up,
            "carry": self._carry,
            "pair": self._pair,
            "wider": self._widen,
            "ff": self._register,
        }
        for kind, step in steps.items():
            for cell in self.of_kind.get(kind, []):
                step(cell)

    def estimate(self) -> int:
        """The slices: two halves that are not settled share one unless their flip-flops differ in
        clock, enable or reset; a half without a flip-flop goes with any."""
        by_control: dict[tuple[Bit, ...] | None, int] = {}
        for half in self.halves:
            if half.partner is None:
                by_control[half.control] = by_control.get(half.control, 0) + 1
        plain = by_control.pop(None, 0)
        single = sum(number % 2 for number in by_control.values())
        whole = sum(number // 2 for number in by_control.values())
        return len(self.slices) + whole + single + -(-max(0, plain - single) // 2)

    def _half(self) -> _Half:
        self.halves.append(_Half())
        return self.halves[-1]

    def _look_up(self, cell: Cell) -> None:
        for _ in range(LUT_RAMS.get(cell["type"], 1)):
            half = self._half()
        for bit in _outputs(cell):
            self.behind[bit] = half

    def _carry(self, cell: Cell) -> None:
        """MUXCY and XORCY of one bit have both inputs in common, and the half of the look-up table
        that drives them; where there is none, one that passes the input on."""
        pins = cell["connections"]
        place = (pins[CARRY[cell["type"]]][0], pins["CI"][0])
        if place not in self.chained:
            self.chained[place] = self._table(place[0])
            self.chained[place].carries = True
        if cell["type"] == "XORCY":
            self.behind[pins["O"][0]] = self.chained[place]

    def _pair(self, cell: Cell) -> None:
        """MUXF5 chooses between the two look-up tables of its slice."""
        pins = cell["connections"]
        first = self._table(pins["I0"][0])
        second = self._table(pins["I1"][0], other_than=first)
        first.partner, second.partner = second, first
        self.behind[pins["O"][0]] = first
        self.slices.append(first)

    def _table(self, bit: Bit, other_than: _Half | None = None) -> _Half:
        """The half whose look-up table drives a net, if no chain and no MUXF5 has it; else a new
        one, whose table passes the net on."""
        half = self.behind.get(bit)
        is_free = half is not None and half is not other_than
        return half if half and is_free and not (half.carries or half.partner) else self._half()

    def _widen(self, cell: Cell) -> None:
        self.wider[cell["connections"]["O"][0]] = cell

    def _register(self, cell: Cell) -> None:
        """Beside what drives it, if that is in a slice and the place is free; else in a half of
        its own."""
        control = _control(cell)
        beside = self._beside(cell["connections"]["D"][0])
        half = next((half for half in beside if half.takes(control)), None) or self._half()
        half.control = control

    def _beside(self, bit: Bit) -> Iterator[_Half]:
        """The halves whose flip-flop can take a net from inside its slice. The second multiplexer
        of a slice answers in the second half: it is in one of the slices that it joins."""
        if bit in self.behind:
            yield self.behind[bit]
        elif bit in self.wider:
            for pin in ("I0", "I1"):
                below = self.wider[bit]["connections"][pin][0]
                for half in self._beside(below):
                    yield half.partner if below not in self.wider and half.partner else half


def _outputs(cell: Cell) -> Iterator[Bit]:
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] == "output":
            yield from bits


def _control(cell: Cell) -> tuple[Bit, ...]:
    """What flip-flops of one slice share: kind of storage, clock and its edge, enable, reset and
    whether it waits for the clock."""
    pins = cell["connections"]
    storage = cell["type"][:2] + ("_1" if cell["type"].endswith("_1") else "")
    resets = [pin for pin in RESETS if pin in pins and pins[pin][0] != "0"]
    waits = "" if not resets else "R" if resets[0] in ("R", "S") else "CLR"
    clock = pins["C" if "C" in pins else "G"][0]
    enable = next((pins[pin][0] for pin in ("CE", "GE") if pin in pins), "1")
    return (storage, clock, enable, waits, *(pins[pin][0] for pin in resets))
