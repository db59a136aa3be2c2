# SPDX-License-Identifier: Apache-2.0
"""Registers into the blocks that have them.

Multiplier blocks and block RAMs have registers at their pins, which leave the design's own free
and are faster. Not every flow of yosys infers them; where the target's table names them,
flip-flops that stand right before or behind a block become part of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
Bit = int | str
"""A net's number, or the level of one that is constant."""


@dataclass(frozen=True)
class FlipFlop:
    """A family's flip-flop: its `kinds` and pins. One takes its input in every cycle, whatever
    happens, where its parameters are as `always` says and the pins of `idle`, as far as it has
    them, at these levels."""

    kinds: tuple[str, ...]
    input: str
    output: str
    clock: str
    always: Mapping[str, str] = field(default_factory=dict)
    idle: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BlockRegister:
    """One register of a kind of block: `pins` are those that it serves, or what all of their names
    begin with before a number, `side` is 'input' or 'output', `clocks` the pins that clock it,
    `parameters` turn it on, `ties` connect its enable and reset."""

    cell: str
    side: str
    pins: tuple[str, ...]
    clocks: tuple[str, ...]
    parameters: Mapping[str, str]
    ties: Mapping[str, str] = field(default_factory=dict)


def absorb_registers(
    netlist: Path,
    top: str,
    inside: str,
    ff: FlipFlop,
    registers: Sequence[BlockRegister],
    levels: Mapping[str, str],
) -> int:
    """Rewrites a netlist of one flat module `top`; the number of flip-flops that blocks took. Only
    cells of the instance `inside` are looked at. `levels`: of the kinds of cell that drive
    constants."""
    if not registers:
        return 0
    document = json.loads(netlist.read_text())
    work = _Netlist(document["modules"][top], f"{inside}.", ff, levels)
    for register in registers:
        for cell in work.blocks(register.cell):
            work.absorb(cell, register)
    taken = work.remove_unread()
    if work.changed:
        netlist.write_text(json.dumps(document))
    return taken


class _Netlist:
    """A flat module with an index of what drives and what reads its bits."""

    def __init__(
        self, module: dict[str, Any], inside: str, ff: FlipFlop, levels: Mapping[str, str]
    ) -> None:
        self.cells: dict[str, Cell] = module["cells"]
        self.inside, self.ff, self.levels = inside, ff, levels
        self.changed = False
        self.readers: Counter[int] = Counter()
        """How many pins and ports read a bit."""
        self.driver: dict[int, str] = {}
        """The flip-flop that drives a bit."""
        self.behind: dict[int, str] = {}
        """A flip-flop that reads a bit."""
        self.level: dict[int, str] = {}
        """Of a bit that is constant."""
        self._bypassed: set[str] = set()
        for port in module["ports"].values():
            self.readers.update(bit for bit in port["bits"] if type(bit) is int)
        for name, cell in self.cells.items():
            self._index(name, cell)

    def _index(self, name: str, cell: Cell) -> None:
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                self.readers.update(bit for bit in bits if type(bit) is int)
            elif cell["type"] in self.levels:
                self.level[bits[0]] = self.levels[cell["type"]]
        if cell["type"] in self.ff.kinds and name.startswith(self.inside):
            self.driver[cell["connections"][self.ff.output][0]] = name
            self.behind[cell["connections"][self.ff.input][0]] = name

    def blocks(self, kind: str) -> list[Cell]:
        """The blocks of a kind."""
        named = self.cells.items()
        return [c for name, c in named if c["type"] == kind and name.startswith(self.inside)]

    def absorb(self, cell: Cell, register: BlockRegister) -> None:
        """Turns a block's register on, if flip-flops stand where it is."""
        places = self._places(cell, register)
        bits = [cell["connections"][pin][i] for pin, i in places]
        index = self.driver if register.side == "input" else self.behind
        names = [index.get(bit, "") for bit in bits]
        if not names or not all(map(self._is_plain, names)):
            return
        if register.side == "output" and any(self.readers[bit] > 1 for bit in bits):
            return
        clocks = {self.cells[name]["connections"][self.ff.clock][0] for name in names}
        clocks |= {bit for pin in register.clocks for bit in cell["connections"].get(pin, [])}
        if len(clocks) == 1:
            self._connect(cell, register, places, names)
            self._turn_on(cell, register, clocks.pop())

    def _places(self, cell: Cell, register: BlockRegister) -> list[tuple[str, int]]:
        """The pins that the register serves and that carry something, and which bit of each."""
        return [
            (pin, i)
            for pin, bits in cell["connections"].items()
            if pin.rstrip("0123456789") in register.pins
            for i, bit in enumerate(bits)
            if type(bit) is int and bit not in self.level
            if register.side == "input" or self.readers[bit]
        ]

    def _level(self, bit: Bit) -> str | None:
        return bit if isinstance(bit, str) else self.level.get(bit)

    def _is_plain(self, name: str) -> bool:
        """Whether a flip-flop takes its input in every cycle, whatever happens."""
        if not name or name in self._bypassed:
            return False
        cell = self.cells[name]
        said, pins = cell["parameters"], cell["connections"]
        is_so = [said.get(key, "").strip() == value for key, value in self.ff.always.items()]
        is_so += [
            self._level(pins.get(pin, [level])[0]) == level for pin, level in self.ff.idle.items()
        ]
        return all(is_so)

    def _connect(
        self, cell: Cell, register: BlockRegister, places: list[tuple[str, int]], names: list[str]
    ) -> None:
        for (pin, i), name in zip(places, names, strict=True):
            through = self.cells[name]["connections"]
            before = cell["connections"][pin][i]
            after = through[self.ff.input if register.side == "input" else self.ff.output][0]
            cell["connections"][pin][i] = after
            if register.side == "input":
                self.readers[before] -= 1
                self.readers[after] += 1
            else:
                self._bypassed.add(name)

    def _turn_on(self, cell: Cell, register: BlockRegister, clock: Bit) -> None:
        self.changed = True
        for pin in register.clocks:
            self._tie(cell, pin, clock)
        for pin, level in register.ties.items():
            self._tie(cell, pin, self._net_at(level))
        cell["parameters"].update(register.parameters)

    def _net_at(self, level: str) -> Bit:
        """A net that is at a level, where cells drive constants."""
        return next((bit for bit, at in self.level.items() if at == level), level)

    def _tie(self, cell: Cell, pin: str, bit: Bit) -> None:
        cell["connections"][pin] = [bit]
        cell["port_directions"][pin] = "input"

    def remove_unread(self) -> int:
        """Takes the flip-flops away that blocks have made superfluous; how many."""
        if not self.changed:
            return 0
        unread = {name for bit, name in self.driver.items() if not self.readers[bit]}
        superfluous = self._bypassed | unread
        for name in superfluous:
            del self.cells[name]
        return len(superfluous)
