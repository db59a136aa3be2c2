# SPDX-License-Identifier: Apache-2.0
"""The time of a compilation grows hardly faster than the kernel. bench/growth.py measures much
larger kernels."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.frontend.program import Program
from tandem.ir.blocks import Block, Branch, Edge, Jump
from tandem.ir.builder import Builder
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Parameter, constant
from tandem.passes.rebuild import rebuild
from tandem.schedule import drafting, registers, reservation, scheduler
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.latencies import Draft
from tandem.schedule.limits import Limits
from tandem.schedule.problem import Node, NodeKind, Problem
from tandem.schedule.setting import Setting
from tandem.schedule.starts import Starts
from whole import Whole

BENCH = Path(__file__).parents[1] / "bench"
sys.path.append(str(BENCH))

import growth  # noqa: E402

SMALL, LARGE = 500, 3_000
MOST_EXPONENT = 1.4
"""More than bench/growth.py allows: two short runs on a machine that does other things too."""
MOST_STARTS = 80
"""The trials, two searches by halves among all `ii`, and the schedule of each block; once more
where other latencies are tried."""
MANY_ACCESSES, MOST_WAITS = 200, 4
WINDOW_NODES = 100
LOOPS, NEEDED_CORES, MANY_CORES = 10, 6, 200
MOST_LOSS = 1.02
"""The linear program counts the registers behind products, which are told as the multipliers' own:
of f64_mul, with 16 products, it finds 14 fewer in windows, and 35 more are told."""


def seconds_of(file: Path) -> float:
    """The processor's time for a kernel: what else runs on the machine does not count."""
    started = time.process_time()
    growth.compiled(file)
    return time.process_time() - started


@pytest.mark.parametrize("make", [growth.straight, growth.loop])
def test_the_time_grows_with_the_kernel(make: Callable[[int], str], tmp_path: Path) -> None:
    growth.compiled(_written(make(SMALL), tmp_path))  # what is loaded once is not counted
    small, large = (seconds_of(_written(make(size), tmp_path)) for size in (SMALL, LARGE))
    assert large / small < (LARGE / SMALL) ** MOST_EXPONENT


def test_no_ii_after_the_other_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    class Counted(Starts):
        def __init__(self, *arguments: Any) -> None:
            nonlocal made
            made += 1
            super().__init__(*arguments)

    monkeypatch.setattr(drafting, "Starts", Counted)
    compiled = growth.compiled(_written(growth.accesses(120), tmp_path))
    assert max(s.ii for s in compiled.schedule.blocks.values()) > made
    assert made < MOST_STARTS


def test_a_conflict_that_no_wait_ends_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stores that one recurrence keeps a multiple of `ii` apart all wait together."""
    waits = 0
    make_way = reservation._make_way

    def counted(*arguments: Any) -> list[Node]:
        nonlocal waits
        waits += 1
        return make_way(*arguments)

    monkeypatch.setattr(reservation, "_make_way", counted)
    growth.compiled(_written(growth.accesses(MANY_ACCESSES), tmp_path))
    assert 0 < waits < MOST_WAITS * MANY_ACCESSES


@dataclass
class Loops:
    """Loops of which the first one is slower than wanted with fewer than `needed` cores."""

    needed: int
    blocks: list[Block] = field(default_factory=lambda: [Block(f"b{i}") for i in range(LOOPS)])
    asked: list[Block] = field(default_factory=list)

    def cores(self) -> int:
        """How many cores are found to do, of one for each operation."""
        nodes = [Node(NodeKind.OP, unit="fadd") for _ in range(self.needed)]
        problem = cast(Problem, SimpleNamespace(nodes=nodes))
        first = Draft(problem, self.needed, cast(Starts, None), {}, Limits())
        setting = cast(Setting, SimpleNamespace(cores=Counter(fadd=LOOPS * self.needed)))

        def as_fast(block: Block) -> Draft | None:
            self.asked.append(block)
            is_slow = block is self.blocks[0] and setting.cores["fadd"] < self.needed
            return None if is_slow else first

        remade = cast(scheduler.Remade, SimpleNamespace(as_fast=as_fast))
        found = scheduler._with_few_cores(setting, dict.fromkeys(self.blocks, first), remade)
        assert [d.ii for d in found.values()] == [first.ii] * LOOPS
        return setting.cores["fadd"]


def test_loops_that_have_enough_cores_are_not_drafted_again() -> None:
    """How many cores a loop needs is found by trying one more and one more."""
    loops = Loops(NEEDED_CORES)
    assert loops.cores() == NEEDED_CORES
    assert [loops.asked.count(block) for block in loops.blocks[1:]] == [2] * (LOOPS - 1)


@pytest.mark.parametrize("needed", [MANY_CORES, MANY_CORES + 1, 2 * MANY_CORES - 3])
def test_many_cores_are_not_tried_one_after_the_other(needed: int) -> None:
    loops = Loops(needed)
    assert loops.cores() == needed
    assert len(loops.asked) < needed // 2


TRADED = """
void kernel(float *x, const float *w, int n)
{
    for (int i = 0; i < n; i++) {
        float a = x[i] * w[0] + x[i + 1], b = x[i + 2] * w[1] - x[i + 3] * w[2];
        x[i + 4] = (a * b + a) * (a - b) + x[i + 1] * b;
    }
}
"""


def test_with_fewer_cores_only_the_same_ii_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[int, int]] = []
    reserved = drafting.reserved

    def noted(problem: Problem, ii: int) -> Any:
        tried.append((problem.capacity["f32_mul"], ii))
        return reserved(problem, ii)

    monkeypatch.setattr(drafting, "reserved", noted)
    compiled = growth.compiled(_written(TRADED, tmp_path))
    most = max(cores for cores, _ in tried)
    ii = max(s.ii for s in compiled.schedule.blocks.values())
    assert min(cores for cores, _ in tried) < most
    assert all(at == ii for cores, at in tried if cores < most)


@pytest.mark.parametrize("name", ["f64_add", "f64_mul", "viterbi"])
def test_windows_cost_few_registers(
    name: str, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _flip_flops(name, target)
    monkeypatch.setattr(registers, "WINDOW_NODES", WINDOW_NODES)
    monkeypatch.setattr(
        scheduler, "fewest_registers", partial(registers.fewest_registers, whole_rows=0)
    )
    assert _flip_flops(name, target) <= MOST_LOSS * whole


def _flip_flops(name: str, target: Target) -> float:
    main = BENCH / "kernels" / f"{name}.c"
    compiled: Compiled = compile_kernel(
        Program.of(main), Whole(main).top, target, growth.CLOCK_PS, slower_clock=True
    )
    return estimate_area(compiled.schedule)["ff"]


def _written(code: str, folder: Path) -> Path:
    file = folder / "growth.c"
    file.write_text(code)
    return file


@pytest.mark.parametrize("was_on", [True, False])
def test_pythons_search_for_garbage_is_left_as_it_was(was_on: bool, target: Target) -> None:
    program = Program.of(Path(__file__).parent / "kernels" / "vector_add.c")
    (gc.enable if was_on else gc.disable)()
    try:
        compile_kernel(program, "vector_add", target, 10_000)
        assert gc.isenabled() == was_on
    finally:
        gc.enable()


def test_a_kernel_that_is_made_again_leaves_nothing_to_the_collector() -> None:
    """Which is off while a kernel is compiled."""
    entry, loop, after = Block("entry"), Block("loop"), Block("after")
    loop.parameters = [Parameter((), 32)]
    kernel = Kernel("f", blocks=[entry, loop, after])
    entry.end = Jump(edges=[Edge(loop, [constant(1, 32)])])
    ends = Builder(kernel, loop).extract(loop.parameters[0], 0, 1)
    loop.end = Branch(ends, edges=[Edge(loop, list(loop.parameters)), Edge(after)])
    was = weakref.ref(loop)
    gc.disable()
    try:
        rebuild(kernel)
        del entry, loop, after
        assert was() is None
    finally:
        gc.enable()
