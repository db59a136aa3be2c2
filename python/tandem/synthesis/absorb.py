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
    """One register of a kind of block: `pins` are the prefixes of those that it serves, `side` is
    'input' or 'output', `clocks` the pins that clock it, `parameters` turn it on, `ties` connect
    its enable and reset."""

    cell: str
    side: str
    pins: tuple[str, ...]
    clocks: tuple[str, ...]
    parameters: Mapping[str, str]
    ties: Mapping[str, str] = field(default_factory=dict)


def absorb_registers(
    netlist: Path, top: str, inside: str, ff: FlipFlop, registers: Sequence[BlockRegister]
) -> int:
    """Rewrites a netlist of one flat module `top`; the number of flip-flops that blocks took. Only
    cells of the instance `inside` are looked at."""
    if not registers:
        return 0
    document = json.loads(netlist.read_text())
    work = _Netlist(document["modules"][top], f"{inside}.", ff)
    for register in registers:
        for cell in work.blocks(register.cell):
            work.absorb(cell, register)
    taken = work.remove_unread()
    if work.changed:
        netlist.write_text(json.dumps(document))
    return taken


class _Netlist:
    """A flat module with an index of what drives and what reads its bits."""

    def __init__(self, module: dict[str, Any], inside: str, ff: FlipFlop) -> None:
        self.cells: dict[str, Cell] = module["cells"]
        self.inside, self.ff = inside, ff
        self.changed = False
        self.readers: Counter[int] = Counter()
        """How many pins and ports read a bit."""
        self.driver: dict[int, str] = {}
        """The flip-flop that drives a bit."""
        self.behind: dict[int, str] = {}
        """A flip-flop that reads a bit."""
        self._bypassed: set[str] = set()
        for port in module["ports"].values():
            self.readers.update(bit for bit in port["bits"] if type(bit) is int)
        for name, cell in self.cells.items():
            self._index(name, cell)

    def _index(self, name: str, cell: Cell) -> None:
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                self.readers.update(bit for bit in bits if type(bit) is int)
        if cell["type"] in self.ff.kinds and name.startswith(self.inside):
            self.driver[cell["connections"][self.ff.output][0]] = name
            self.behind[cell["connections"][self.ff.input][0]] = name

    def blocks(self, kind: str) -> list[Cell]:
        """The blocks of a kind."""
        named = self.cells.items()
        return [c for name, c in named if c["type"] == kind and name.startswith(self.inside)]

    def absorb(self, cell: Cell, register: BlockRegister) -> None:
        """Turns a block's register on, if flip-flops stand where it is."""
        pins = self._pins(cell, register)
        index = self.driver if register.side == "input" else self.behind
        names = [index.get(cell["connections"][pin][0], "") for pin in pins]
        if not names or not all(map(self._is_plain, names)):
            return
        if register.side == "output" and any(self._read_elsewhere(cell, pin) for pin in pins):
            return
        clocks = {self.cells[name]["connections"][self.ff.clock][0] for name in names}
        clocks |= {bit for pin in register.clocks for bit in cell["connections"].get(pin, [])}
        if len(clocks) > 1:
            return
        self._connect(cell, register, pins, names, clocks.pop())

    def _pins(self, cell: Cell, register: BlockRegister) -> list[str]:
        """The pins that the register serves and that carry something."""
        pins: list[str] = []
        for pin, bits in cell["connections"].items():
            served = pin.rstrip("0123456789") in register.pins and type(bits[0]) is int
            if served and (register.side == "input" or self.readers[bits[0]]):
                pins.append(pin)
        return pins

    def _is_plain(self, name: str) -> bool:
        """Whether a flip-flop takes its input in every cycle, whatever happens."""
        if not name or name in self._bypassed:
            return False
        said, pins = self.cells[name]["parameters"], self.cells[name]["connections"]
        is_enabled = all(said.get(n, "").strip() == value for n, value in self.ff.always.items())
        return is_enabled and all(pins.get(n, [at]) == [at] for n, at in self.ff.idle.items())

    def _read_elsewhere(self, cell: Cell, pin: str) -> bool:
        return self.readers[cell["connections"][pin][0]] > 1

    def _connect(
        self, cell: Cell, register: BlockRegister, pins: list[str], names: list[str], clock: int
    ) -> None:
        self.changed = True
        for pin, name in zip(pins, names, strict=True):
            through = self.cells[name]["connections"]
            before = cell["connections"][pin][0]
            after = through[self.ff.input if register.side == "input" else self.ff.output][0]
            cell["connections"][pin] = [after]
            if register.side == "input":
                self.readers[before] -= 1
                self.readers[after] += 1
            else:
                self._bypassed.add(name)
        for pin in register.clocks:
            self._tie(cell, pin, clock)
        for pin, level in register.ties.items():
            self._tie(cell, pin, level)
        cell["parameters"].update(register.parameters)

    def _tie(self, cell: Cell, pin: str, bit: int | str) -> None:
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
