# SPDX-License-Identifier: Apache-2.0
"""A package that is built again is run anew, within one process; a kernel that is, stays within
limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import build, check
from tandem.diagnostics import Infeasible
from tandem.frontend.program import Program
from tandem.ir.blocks import Block, Return
from tandem.ir.builder import Builder
from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, Add, Eq, Mul, Op, Parameter, Select, Sub, constant
from tandem.ir.printer import print_kernel
from tandem.languages.imported import import_c
from tandem.passes import rebuild
from tandem.passes.pipelines import DEFAULT, Options, run_pipeline
from tandem.passes.simplify import substitute
from tandem.schedule.delays import Target

SPELLINGS = Path(__file__).parent / "spellings"
SETTLING = ("aes128_block/words", "sobel/helpers", "kmp/helpers", "sha256_block/eight", "lu/factor")


def test_a_rebuilt_package_runs_the_new_code(target: Target, tmp_path: Path) -> None:
    source = tmp_path / "step.c"
    results = []
    for added in (1, 2):
        source.write_text(f"unsigned step(unsigned a)\n{{\n    return a + {added};\n}}\n")
        built = build(source, "step", target, 10_000, tmp_path, slower_clock=True)
        results.append(int.from_bytes(check(built, {"a": 40}).data["result"], "little"))
    assert results == [41, 42]


@pytest.mark.parametrize("limit", [2, 3])
def test_no_more_operations_than_the_limit(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(rebuild, "OPERATION_LIMIT", limit)
    a, b = (Parameter((), 8) for _ in range(2))
    block = Block("b", [a, b])
    kernel = Kernel("k", blocks=[block])
    builder = Builder(kernel, block)
    total = builder.build(Mul, [builder.build(Add, [a, b], 8), b], 8)
    block.end = Return(value=builder.build(Sub, [total, a], 8))
    if limit == 3:
        rebuild.rebuild(kernel)
        assert len(kernel.entry.ops) == 3
    else:
        with pytest.raises(Infeasible, match="exceeds 2 operations"):
            rebuild.rebuild(kernel)


@pytest.mark.parametrize(("inner", "outer"), [("add", "add"), ("sub", "add"), ("xor", "xor")])
def test_what_folding_looks_through_is_not_settled(inner: str, outer: str) -> None:
    """What is below an operation may become a number: then the one above it folds."""
    a, later = Parameter((), 8), Parameter((), 8)
    other = {"add": constant(3, 8), "sub": a, "xor": a}[inner]
    below = {"sub": [later, a]}.get(inner, [a, later])
    block = Block("b", [a, later])
    kernel = Kernel("k", blocks=[block])
    builder = Builder(kernel, block)
    made = builder.build(OPERATIONS[outer], [other, builder.build(OPERATIONS[inner], below, 8)], 8)
    block.end = Return(value=made)
    for _ in range(2):
        rebuild.rebuild(kernel)
    number = {"add": 5, "sub": 0, "xor": 255}[inner]
    _same_as_unsettled(kernel, {kernel.entry.parameters[1]: constant(number, 8)})


def test_a_choice_is_not_settled() -> None:
    chosen, other, later = (Parameter((), width) for width in (1, 8, 8))
    block = Block("b", [chosen, other, later])
    kernel = Kernel("k", blocks=[block])
    builder = Builder(kernel, block)
    both = builder.build(Select, [chosen, other, later], 8)
    block.end = Return(value=builder.compare(Eq, both, constant(5, 8)))
    for _ in range(2):
        rebuild.rebuild(kernel)
    _same_as_unsettled(kernel, {kernel.entry.parameters[2]: constant(7, 8)})


def _same_as_unsettled(kernel: Kernel, known: dict[Op, Op]) -> None:
    """A kernel, with parameters that have become numbers, folds as if nothing were settled, and
    something does."""
    assert all(op.settled is op.operands for _, op in kernel.ops())
    substitute(kernel, known)
    before, text = print_kernel(kernel), _rebuilt_unsettled(kernel)
    rebuild.rebuild(kernel)
    assert print_kernel(kernel) == text != before


def _rebuilt_unsettled(kernel: Kernel) -> str:
    twin = clone(kernel)
    for _, op in twin.ops():
        op.settled = None
    rebuild.rebuild(twin)
    return print_kernel(twin)


@pytest.mark.parametrize("spelling", SETTLING)
def test_what_is_settled_would_fold_no_more(spelling: str) -> None:
    """Behind each step, a kernel is rebuilt as if none of its operations were known to be as the
    builder makes them."""
    name = spelling.split("/")[0]
    kernel = import_c(Program.of(SPELLINGS / f"{spelling}.c"), name).kernel
    for step in DEFAULT:
        run_pipeline(kernel, Options(), [step])
        twin = clone(kernel)
        rebuild.rebuild(twin)
        assert print_kernel(twin) == _rebuilt_unsettled(kernel), step[0]
