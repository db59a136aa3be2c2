# SPDX-License-Identifier: Apache-2.0
"""Steps that shapes have in common are run once, and make of a kernel what they make alone."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from tandem.frontend.imported import Imported
from tandem.frontend.program import Program
from tandem.ir.kernel import Kernel
from tandem.ir.printer import print_kernel
from tandem.languages.imported import import_c
from tandem.passes.in_common import PARTS, InCommon
from tandem.passes.pipelines import DEFAULT, Options, run_pipeline
from tandem.passes.shape import Shape

LATE = {"forwarded", "divided", "multipliers", "least_ii"}
"""What only steps behind the last place are told."""
ROWS = """
void top(const unsigned char *in, unsigned char *out, int rows, int columns, int last[64])
{
    for (int y = 1; y < rows; y++)
        for (int x = 1; x < columns; x++)
            out[y * 64 + x] = in[y * 64 + x] + in[(y - 1) * 64 + x] + in[(y - 1) * 64 + x - 1];
    for (int y = 0; y < rows; y++)
        last[in[y] & 63] = last[in[y + 1] & 63] / (y + 3);
}
"""


@pytest.fixture
def imported(tmp_path: Path) -> Imported:
    (tmp_path / "top.c").write_text(ROWS)
    return import_c(Program.of(tmp_path / "top.c"), "top")


def shapes(kernel: Kernel) -> list[Shape]:
    """Each with one thing more than what the kernel was made of, and with all of them."""
    plain = Shape(unroll_limit=512)
    loops = frozenset(kernel.loops)
    sets = [("flattened", loops), ("keeping_rows", loops), ("divided", loops), ("rolled", loops)]
    counted = frozenset((loop, 1) for loop in loops)
    changes = [{name: value} for name, value in [*sets, ("forwarded", counted)]]
    both = {name: value for change in changes for name, value in change.items()}
    return [replace(plain, **change) for change in [{}, *changes, both]]


def test_kernels_are_those_that_all_steps_make(imported: Imported) -> None:
    alone = imported.again(imported.apart).kernel
    run_pipeline(alone, Options())
    common, texts = InCommon(), []
    for shape in shapes(alone):
        options = Options(shape=shape)
        made = common.make(lambda: imported.again(imported.apart).kernel, options)
        kernel = imported.again(imported.apart).kernel
        run_pipeline(kernel, options)
        texts.append(print_kernel(kernel))
        assert print_kernel(made) == texts[-1], shape
    assert len(set(texts)) > 3


def test_steps_in_common_are_run_once(imported: Imported) -> None:
    common, runs = InCommon(), list[str]()
    for shape in shapes(imported.kernel):
        common.make(
            lambda: imported.again(imported.apart).kernel,
            Options(shape=shape),
            lambda name, _: runs.append(name),
        )
    count = len(shapes(imported.kernel))
    assert runs.count("store-forwarding") == count
    assert runs.count("flatten-nests") == 4, "what is `flattened` is told, and what is `rolled`"
    assert runs.count("flatten-loops") == 2, "what is `rolled` is"
    assert [name for name, _ in DEFAULT][: len(runs)] == runs[: len(DEFAULT)]


def test_it_is_known_of_all_of_a_shape_which_steps_are_told() -> None:
    """What is new in a shape belongs to a place at which kernels are kept, or comes later."""
    early = {name for _, names in PARTS for name in names}
    assert {f.name for f in fields(Shape)} - early == LATE
