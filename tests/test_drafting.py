# SPDX-License-Identifier: Apache-2.0
"""What is asked of a kernel before it has a schedule is answered as its schedule would."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.compiler.fits import Fit
from tandem.compiler.trials import change_to
from tandem.frontend.program import Program
from tandem.ir.kernel import Kernel
from tandem.schedule.area import cells_of
from tandem.schedule.delays import Target
from tandem.schedule.drafting import Slower, draft_block
from tandem.schedule.least_area import least_cells
from tandem.schedule.scheduler import KernelDraft, draft_kernel, takes_less
from tandem.schedule.setting import Setting
from test_choices import SWEEPS

KERNELS = Path(__file__).parent / "kernels"
NAMES = ["crc32", "histogram", "gcd", "fir", "prefix_sum", "insertion_sort"]
CLOCK_PS = 10_000
ENDLESS = 10**9


def drafted(name: str, target: Target) -> KernelDraft:
    """A kernel that nobody has scheduled yet."""
    made = compile_kernel(Program.of(KERNELS / f"{name}.c"), name, target, CLOCK_PS)
    kernel: Kernel = made.lineage.make(lambda *_: None)
    return draft_kernel(Setting(kernel, made.lineage.target), CLOCK_PS)


@pytest.mark.parametrize("name", NAMES)
def test_no_ii_is_found_that_is_not_below_another(name: str, target: Target) -> None:
    draft = drafted(name, target)
    for one in (d for d in draft.drafts.values() if d.ii):
        again = draft_block(draft.setting.kernel, lambda _, d=one: d.problem, one.ii + 1)
        assert again.ii == one.ii
        with pytest.raises(Slower):
            draft_block(draft.setting.kernel, lambda _, d=one: d.problem, one.ii)


@pytest.mark.parametrize("name", NAMES)
def test_what_loops_take_is_told_without_a_schedule(name: str, target: Target) -> None:
    draft = drafted(name, target)
    loops = {block: 3.0 for block, one in draft.drafts.items() if one.ii}
    setting = draft.setting.with_all_cores()
    assert takes_less(setting, CLOCK_PS, loops, ENDLESS)
    least = sum(entered * draft.drafts[block].ii for block, entered in loops.items())
    assert not takes_less(setting, CLOCK_PS, loops, least)


@pytest.mark.parametrize("name", NAMES)
def test_no_kernel_takes_less_than_its_draft_tells(name: str, target: Target) -> None:
    draft = drafted(name, target)
    assert least_cells(draft.setting) <= cells_of(draft.finished())


def test_loops_that_are_alike_are_tried_once(target: Target, tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    source.write_text(SWEEPS)
    made = compile_kernel(Program.of(source), "top", target, CLOCK_PS)
    shape, first, other = made.lineage.options.shape, *sorted(made.kernel.rows)[:2]
    fit = Fit(made.schedule, CLOCK_PS, shape)
    changes = [change_to(fit, shape, shape.also("flattened", loop)) for loop in (first, other)]
    assert changes[0] == changes[1] != change_to(fit, shape, shape.also("reread", first))
