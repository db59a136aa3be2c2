# SPDX-License-Identifier: Apache-2.0
"""The engine's models of processor cores against their RTL: each instruction's effect and cycle,
each request at the bus and its cycle."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.models.cores import CORES, Programs, build_core, lockstep
from tandem.models.verilator import quickest_build


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
