# SPDX-License-Identifier: Apache-2.0
"""The whole way from Verilog to a `Placement`."""

from __future__ import annotations

import time
from pathlib import Path

from tandem.manifest import verilog_files

from . import tools
from .device import Device, TargetLike, device_of
from .errors import synthesis_error
from .nextpnr import Routed, best_seed, place_and_route
from .result import Placement
from .yosys import DESIGN_FILE, Netlist, map_design


def synthesize(
    verilog: Path,
    top: str,
    target: TargetLike | Device,
    clock_ns: float,
    work: Path,
    seed: int = 1,
    clock: str = "clk",
    tries: int = 1,
) -> Placement:
    """Map, place and route the module `top` of the SystemVerilog file `verilog`.

    `clock_ns` is the wished clock period, `clock` the name of the clock input; all other ports go
    to the harness. Where the clock is missed, the seeds that follow are tried too, `tries` in all,
    and the best placement counts. `work` is created and receives every file of the run; the tools'
    output is in its `yosys.log` and `nextpnr.log`. Raises SynthesisError; a missed clock is no
    error, see `Placement.meets_clock`.
    """
    device = target if isinstance(target, Device) else device_of(target)
    started = time.monotonic()
    netlist = map_cells(verilog, top, device, work, clock)
    mapped = time.monotonic()

    def place(one: int) -> tuple[float, Routed]:
        routed = place_and_route(work, netlist.file, device, clock_ns, one)
        return routed.fmax_mhz, routed

    seed, routed = best_seed(place, 1000 / clock_ns, seed, tries)
    return Placement(
        top=top,
        device=str(device),
        seed=seed,
        clock_ns=clock_ns,
        design=netlist.design,
        total=netlist.total,
        comb_cells=routed.comb_cells,
        fmax_mhz=routed.fmax_mhz,
        critical=routed.critical,
        versions=tool_versions(device),
        synthesis_seconds=round(mapped - started, 2),
        placement_seconds=round(time.monotonic() - mapped, 2),
    )


def map_cells(
    verilog: Path, top: str, target: TargetLike | Device, work: Path, clock: str = "clk"
) -> Netlist:
    """Map the module to the device's cells, without placing them. Raises SynthesisError."""
    device = target if isinstance(target, Device) else device_of(target)
    copy_design(verilog, work)
    return map_design(work, top, device, clock)


def tool_versions(device: Device) -> dict[str, str]:
    """What yosys and nextpnr call themselves."""
    found = (tools.find_yosys(), device.placer.find())
    return {tool.name: tools.version(tool) for tool in found}


def copy_design(verilog: Path, work: Path) -> None:
    """The Verilog, with the users' own modules beside it, as `DESIGN_FILE` in `work`, which is
    created. Copied, not linked: the WebAssembly tools see the work folder only.

    Raises SynthesisError where there is none."""
    if not verilog.is_file():
        raise synthesis_error("no-verilog", f"{verilog} is not a file")
    work.mkdir(parents=True, exist_ok=True)
    design = work / DESIGN_FILE
    if verilog.resolve() != design.resolve():
        design.write_bytes(b"\n".join(file.read_bytes() for file in verilog_files(verilog)))
