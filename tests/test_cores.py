# SPDX-License-Identifier: Apache-2.0
"""The engine's models of processor cores against their RTL: each instruction's effect and cycle,
each request at the bus and its cycle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tandem.chip.prepare import prepared
from tandem.chip.run import run_on_chip
from tandem.diagnostics import InternalError
from tandem.host.prepare import Job
from tandem.models.cores import CORES, Programs, build_core, lockstep
from tandem.models.verilator import quickest_build
from tandem.report.chip import show_chip_run
from tandem.report.page import page
from test_buses import chip_file
from test_chips import application, offloads, request
from test_schemas import holds
from trial import good, refused, tandem


@pytest.fixture(scope="module", params=sorted(CORES))
def core(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A core's name and its RTL."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    build_core(request.param, folder / "rtl.so", folder, quickest_build())
    return request.param, folder / "rtl.so"


@pytest.mark.parametrize("most", [0, 1, 7])
def test_random_programs_take_the_cycles_of_the_rtl(core: tuple[str, Path], most: int) -> None:
    name, rtl = core
    programs = Programs(programs=24, instructions=300, seed=1000 * most, most_first_cycles=most)
    found = lockstep(name, rtl, programs)
    assert found.difference == ""
    assert found.programs == found.ended == 24
    assert found.instructions > 24 * 300


@pytest.mark.parametrize("most", [0, 3])
def test_interrupts_come_in_the_cycles_of_the_rtl(core: tuple[str, Path], most: int) -> None:
    """PicoRV32 has none, and takes no notice."""
    name, rtl = core
    waits, until = most, 8000
    programs = Programs(16, 200, 500, most_first_cycles=waits, interrupts_until_cycle=until)
    found = lockstep(name, rtl, programs)
    assert found.difference == ""
    assert found.programs == found.ended == 16


def test_a_program_of_the_callers(core: tuple[str, Path]) -> None:
    """A loop of three rounds, then a jump to itself."""
    name, rtl = core
    words = [0x00300293, 0xFFF28293, 0xFE029EE3, 0x0000006F, *[0x13] * 12]
    found = lockstep(name, rtl, Programs(words=words))
    assert (found.difference, found.ended) == ("", 1)


POLLING, INTERRUPT = "shell.end=polling", "shell.end=interrupt"
OTHER_CHIPS = {
    "picorv32": (("pcpi", POLLING), ("dma-ring", POLLING)),
    "vexriscv": (("axi4-lite", POLLING), ("wishbone", INTERRUPT)),
    "vexriscv-lite": (("fsl", INTERRUPT),),
}
OTHERS_RTL = {"vexriscv": "vexriscv-lite", "vexriscv-lite": "vexriscv", "picorv32": "vexriscv"}


def test_whole_programs_on_the_rtl(core: tuple[str, Path], tmp_path: Path) -> None:
    """Kernels are called, and answer the RTL as its model; and what is another core is found."""
    name, rtl = core
    path = application(tmp_path)
    for protocol, change in (("wishbone", POLLING), *OTHER_CHIPS[name]):
        platform = str(chip_file(tmp_path, protocol, name))
        with prepared(Job(path, ("scale", "mix"), platform=platform, changes=(change,))) as build:
            asked = {**request(build, list(build.kernels)), "changes": change}
            alone = run_on_chip(path, asked)
            both = run_on_chip(path, {**asked, "core_rtl": str(rtl)})
        followed = both.pop("core_rtl")
        # What a program ends with is refused, and no instruction that retires.
        assert followed["instructions"] == both["instructions"] > 10_000
        assert followed["requests"] > 1000
        assert {**both, "wall_ps": 0} == {**alone, "wall_ps": 0}


def test_rtl_that_is_not_the_models(core: tuple[str, Path], tmp_path: Path) -> None:
    name, rtl = core
    path = application(tmp_path)
    platform = str(chip_file(tmp_path, "wishbone", OTHERS_RTL[name]))
    with prepared(Job(path, ("mix",), platform=platform)) as build:
        asked = {**request(build, list(build.kernels)), "core_rtl": str(rtl)}
        with pytest.raises(InternalError, match="RTL differs from its model behind"):
            run_on_chip(path, asked)


def test_the_rtl_by_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    application(tmp_path)
    words = ["run", "app.c", *offloads("mix"), "--host", "rtl"]
    done = tandem(*words, "--platform", "vexriscv-chip", "--json", cwd=tmp_path)
    good(done)
    found = json.loads(done.stdout)
    holds("chip-result", found)
    assert found["core_rtl"]["instructions"] == found["instructions"]
    show_chip_run(found, page())
    assert "the RTL of vexriscv ran it too" in capsys.readouterr().out
    told = "there is no RTL of strongarm"
    refused(tandem(*words, "--platform", "strongarm-chip", cwd=tmp_path), told)
    refused(tandem(*words, "--platform", "zynq-7000", cwd=tmp_path), "which has no RTL")
    refused(tandem(*words[:-1], "vhdl", cwd=tmp_path), "unknown host `vhdl`")
