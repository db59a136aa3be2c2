# SPDX-License-Identifier: Apache-2.0
"""From Verilog to a netlist of the target's cells, with its statistics."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from . import tools
from .absorb import absorb_registers
from .device import Device
from .errors import synthesis_error
from .harness import HARNESS, INSTANCE, Port, harness_text
from .open_pins import open_pins
from .result import Resources

DESIGN_FILE = "design.sv"
HARNESS_FILE = "harness.v"
NETLIST_FILE = "netlist.json"
PORTS_FILE = "ports.txt"
DESIGN_STAT_FILE = "design_stat.json"
TOTAL_STAT_FILE = "total_stat.json"

PORT_LINE = re.compile(r"^(input|output|inout) \[(\d+):(\d+)\] (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Netlist:
    """A mapped design: the file's name inside the work folder, cells of the module and of all."""

    file: str
    design: Resources
    total: Resources


def map_design(work: Path, top: str, device: Device, clock: str) -> Netlist:
    """Wrap `top` of `work/design.sv`, map it to the device's cells and write the netlist.

    Raises SynthesisError when yosys is missing, rejects the design, or cannot find `top`.
    """
    yosys = tools.find_yosys()
    ports = read_ports(yosys, work, top)
    (work / HARNESS_FILE).write_text(harness_text(top, ports, clock))
    tools.run(yosys, ["-p", mapping_script(top, device)], work, "yosys.log")
    taken = absorb_registers(
        work / NETLIST_FILE, HARNESS, INSTANCE, device.flip_flop, device.registers
    )
    open_pins(work / NETLIST_FILE, HARNESS, device.open_pins)
    design = _resources(work / DESIGN_STAT_FILE, device)
    total = _resources(work / TOTAL_STAT_FILE, device)
    return Netlist(
        NETLIST_FILE,
        design=replace(design, ff=design.ff - taken),
        total=replace(total, ff=total.ff - taken),
    )


def read_ports(yosys: tools.Tool, work: Path, top: str) -> list[Port]:
    """The ports of `top` in `work/design.sv`, in the module's order."""
    script = (
        f"read_verilog -sv {DESIGN_FILE}; hierarchy -check -top {top}; "
        f"tee -q -o {PORTS_FILE} portlist {top}"
    )
    tools.run(yosys, ["-q", "-p", script], work, "ports.log")
    return [
        Port(name, direction, abs(int(high) - int(low)) + 1)
        for direction, high, low, name in PORT_LINE.findall((work / PORTS_FILE).read_text())
    ]


def mapping_script(top: str, device: Device) -> str:
    """The yosys commands. The module's own cells are counted while it is still a module."""
    keep = f"setattr -mod -set keep_hierarchy 1 {top}; " if device.flatten_first else ""
    release = f"setattr -mod -unset keep_hierarchy {top}; " if device.flatten_first else ""
    options = [*device.yosys_options, *([] if device.flatten_first else ["-noflatten"])]
    return (
        f"read_verilog -sv {DESIGN_FILE} {HARNESS_FILE}; {keep}"
        f"{device.yosys} -top {HARNESS} {' '.join(options)}; "
        # Not `stat -top`, which crashes yosys 0.70 on a module below the top.
        f"design -save mapped; hierarchy -top {top}; {device.count(DESIGN_STAT_FILE)}; "
        f"design -load mapped; {release}flatten; clean; write_json {NETLIST_FILE}; "
        f"{device.count(TOTAL_STAT_FILE)}"
    )


def _resources(stat: Path, device: Device) -> Resources:
    """Read the cell counts of `stat -json`. Raises SynthesisError on another layout."""
    try:
        counts = json.loads(stat.read_text())["design"]["num_cells_by_type"]
    except (ValueError, KeyError) as error:
        raise synthesis_error("yosys-stat", f"cannot read {stat}: {error}") from error
    return _counted(counts, device)


def resources_of_modules(work: Path, device: Device) -> dict[str, Resources]:
    """The cells of each module of a design that is mapped, by its name."""
    modules = json.loads((work / DESIGN_STAT_FILE).read_text())["modules"]
    return {
        name.lstrip("\\"): _counted(row["num_cells_by_type"], device)
        for name, row in modules.items()
    }


def _counted(counts: Mapping[str, int], device: Device) -> Resources:
    def number(names: tuple[str, ...]) -> int:
        return sum(counts.get(name, 0) for name in names)

    cells = device.cells
    return Resources(
        lut4=sum(device.luts[name] * counts.get(name, 0) for name in cells.lut),
        ff=number(cells.ff),
        bram=number(cells.bram),
        dsp=number(cells.dsp),
        carry=number(cells.carry),
        lutram=number(cells.lutram),
    )
