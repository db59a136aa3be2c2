# SPDX-License-Identifier: Apache-2.0
"""A package that is built again is run anew, within one process."""

from __future__ import annotations

from pathlib import Path

from agreement import build, check
from tandem.schedule.delays import Target


def test_a_rebuilt_package_runs_the_new_code(target: Target, tmp_path: Path) -> None:
    source = tmp_path / "step.c"
    results = []
    for constant in (1, 2):
        source.write_text(f"unsigned step(unsigned a)\n{{\n    return a + {constant};\n}}\n")
        built = build(source, "step", target, 10_000, tmp_path, slower_clock=True)
        results.append(int.from_bytes(check(built, {"a": 40}).data["result"], "little"))
    assert results == [41, 42]
