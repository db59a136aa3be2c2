# SPDX-License-Identifier: Apache-2.0
"""A module's netlist as Verilog that can be simulated, in which one more output has every net that
a cell drives: what toggles there is what costs energy.

Nets change once a cycle here. In hardware they also change while the inputs of a look-up table
come one after the other, which takes energy too: a calibrated coefficient has that in it. Memories
and multipliers are made of look-up tables here, as blocks of which nobody tells what is inside
cannot be simulated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import tools
from .device import TargetLike, device_of
from .errors import synthesis_error
from .flow import DESIGN_FILE, copy_design

NETS = "tandem_nets"
"""The output."""
NETLIST_FILE, VERILOG_FILE = "gates.json", "gates.v"
REGISTERED = "Q"
"""What a register's output is called, in every family."""
VECTOR_BITS = 512
"""Each kind of net begins at a multiple of so many bits of the output."""


@dataclass(frozen=True)
class Mapper:
    """How yosys maps to a family: its command, and the Verilog of its cells, as yosys knows it."""

    command: str
    cells: str


def mapper_of(target: TargetLike) -> Mapper:
    """That of a target. Raises SynthesisError as `device_of`."""
    device = device_of(target)
    words = [device.yosys, *device.options_without_blocks]
    return Mapper(" ".join(words), device.cells_verilog)


def mapper_of_family(family: str) -> Mapper:
    """That of one of the older families (docs/slices.md)."""
    command = f"synth_xilinx -family {family} -noiopad -noclkbuf -nobram -nodsp"
    return Mapper(command, "+/xilinx/cells_sim.v")


@dataclass(frozen=True)
class Gates:
    """A netlist in the file `verilog`. `nets`: by kind of what drives them, `registers` or `logic`,
    the first of the output's bits and how many there are."""

    verilog: Path
    nets: dict[str, tuple[int, int]]


def map_gates(verilog: Path, top: str, mapper: Mapper, work: Path) -> Gates:
    """Maps a module, in a folder that is created. Raises SynthesisError where yosys does not map
    it, or to cells of which nobody has told what they do, as to memories."""
    copy_design(verilog, work)
    tools.run(tools.find_yosys(), ["-q", "-p", _script(top, mapper)], work, "yosys.log")
    module = json.loads((work / NETLIST_FILE).read_text())["modules"][top]
    text = (work / VERILOG_FILE).read_text()
    _require_known_cells(module, text, top)
    names = _names(module)
    driven: dict[str, list[str]] = {"registers": [], "logic": []}
    for cell in module["cells"].values():
        kind = "registers" if REGISTERED in cell["connections"] else "logic"
        driven[kind] += [names[bit] for bit in _driven(cell) if bit in names]
    nets: dict[str, tuple[int, int]] = {}
    bits: list[str] = []
    for kind, own in driven.items():
        nets[kind] = (len(bits), len(own))
        bits += own + ["1'b0"] * (-len(own) % VECTOR_BITS)
    (work / VERILOG_FILE).write_text(_with_output(text, top, bits))
    return Gates(work / VERILOG_FILE, nets)


def _script(top: str, mapper: Mapper) -> str:
    """Every net gets a short name of its own, the same in both files."""
    return (
        f"read_verilog -sv {DESIGN_FILE}; {mapper.command} -top {top}; flatten -noscopeinfo; "
        "opt_clean -purge; splitnets; rename -hide w:*; rename -enumerate -pattern net% w:*; "
        f"write_json {NETLIST_FILE}; "
        # Mapping leaves boxes of some cells behind, which are not written.
        f"delete =$paramod*; read_verilog -nowb -overwrite {mapper.cells}; "
        f"hierarchy -top {top}; proc; write_verilog -noattr {VERILOG_FILE}"
    )


def _require_known_cells(module: Mapping[str, Any], text: str, top: str) -> None:
    known = re.findall(r"^module \\?(?:\$paramod\S*?\\)?(\w+)", text, re.M)
    missing = {cell["type"] for cell in module["cells"].values()} - set(known)
    if missing:
        raise synthesis_error(
            "gates",
            f"{top} has cells whose inside is not known: {', '.join(sorted(missing))}",
            help="toggles of its registers are counted without a netlist",
        )


def _names(module: Mapping[str, Any]) -> dict[int, str]:
    """Of each net, how Verilog calls it."""
    names: dict[int, str] = {}
    for name, row in module["netnames"].items():
        for place, bit in enumerate(row["bits"]):
            if isinstance(bit, int):
                names[bit] = name if len(row["bits"]) == 1 else f"{name}[{place}]"
    return names


def _driven(cell: Mapping[str, Any]) -> Iterator[int]:
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] == "output":
            yield from (bit for bit in bits if isinstance(bit, int))


def _with_output(text: str, top: str, bits: Sequence[str]) -> str:
    """The Verilog with the output, whose bits are these, the lowest first."""
    output = (
        f", {NETS});\n  output [{len(bits) - 1}:0] {NETS};\n"
        f"  assign {NETS} = {{{', '.join(reversed(bits))}}};\n"
    )
    head = re.compile(rf"^(module {re.escape(top)}\([^)]*)\);\n", re.M)
    return head.sub(lambda found: found[1] + output, text, count=1)
