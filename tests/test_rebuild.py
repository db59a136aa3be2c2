# SPDX-License-Identifier: Apache-2.0
"""A package that is built again is run anew, within one process; a kernel that is, stays within
limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import build, check
from tandem.diagnostics import Infeasible
from tandem.ir.builder import Builder
from tandem.ir.kernel import Block, Kernel, Op, Terminator
from tandem.passes import rebuild
from tandem.schedule.delays import Target


def test_a_rebuilt_package_runs_the_new_code(target: Target, tmp_path: Path) -> None:
    source = tmp_path / "step.c"
    results = []
    for constant in (1, 2):
        source.write_text(f"unsigned step(unsigned a)\n{{\n    return a + {constant};\n}}\n")
        built = build(source, "step", target, 10_000, tmp_path, slower_clock=True)
        results.append(int.from_bytes(check(built, {"a": 40}).data["result"], "little"))
    assert results == [41, 42]


@pytest.mark.parametrize("limit", [2, 3])
def test_no_more_operations_than_the_limit(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(rebuild, "OPERATION_LIMIT", limit)
    a, b = (Op("parameter", (), 8) for _ in range(2))
    block = Block("b", [a, b])
    kernel = Kernel("k", blocks=[block])
    builder = Builder(kernel, block)
    total = builder.build("mul", [builder.build("add", [a, b], 8), b], 8)
    block.end = Terminator("return", value=builder.build("sub", [total, a], 8))
    if limit == 3:
        rebuild.rebuild(kernel)
        assert len(kernel.entry.ops) == 3
    else:
        with pytest.raises(Infeasible, match="exceeds 2 operations"):
            rebuild.rebuild(kernel)
