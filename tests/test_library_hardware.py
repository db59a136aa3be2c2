# SPDX-License-Identifier: Apache-2.0
"""The library's kernels as hardware: C = IR = RTL, one block a cycle, from the untouched C."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, check
from tandem.compiler import compile_kernel, find_target
from tandem.frontend.discovery import find_program
from tandem.frontend.imported import import_c
from tandem.manifest import read_manifest
from tandem.package import write_package
from tandem.study.baselines import kernel_cards

LIBRARY = Path(__file__).parents[1] / "library"
SIZES = (0, 1, 2, 5, 70)


@pytest.fixture(scope="module", params=sorted(kernel_cards()))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    program = find_program(LIBRARY / kernel_cards()[request.param]["source"])
    imported = import_c(program, request.param).kernel
    compiled = compile_kernel(program, request.param, find_target("ecp5"), 10_000)
    assert compiled.schedule.ii == 1
    folder = tmp_path_factory.mktemp("library") / f"{request.param}.tandem"
    package = write_package(compiled, folder, models=True)
    return Build(package, imported, compiled.kernel, read_manifest(package)["arguments"])


@pytest.mark.parametrize("blocks", SIZES)
def test_c_ir_and_rtl_agree(built: Build, blocks: int) -> None:
    random = Random(blocks)
    values: dict[str, int | bytes] = {"blocks": blocks, "out": bytes(8 * blocks)}
    values["in"] = random.randbytes(8 * blocks)
    for row in built.rows:
        if row["kind"] == "block":
            values[row["name"]] = random.randbytes(row["element_bytes"])
    outcome = check(built, values, {"in": 1 + blocks % 3, "out": 1 + blocks % 2})
    assert blocks == 0 or outcome.data["out"] != values["out"]
