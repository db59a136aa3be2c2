# SPDX-License-Identifier: Apache-2.0
"""Passes: golden texts, and the same values before and after on random inputs.

A golden file passes/PASS/CASE.ir holds a kernel and, after a line `// after`, what the pass makes
of it. `pytest --update` writes the second part anew.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_ir import TwinKernels, numbers_for, twins
from tandem.diagnostics import TandemError
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.lines import LoopId
from tandem.ir.ops import Op, Shift
from tandem.ir.parser import parse
from tandem.ir.printer import LOOP_COUNTS, LOOP_SETS, print_kernel
from tandem.ir.verifier import verify
from tandem.passes import (
    accumulate_products,
    balance,
    bind_arguments,
    bound_sizes,
    choose_shifts,
    compare_bits,
    count_loops,
    decide_late,
    drop_signs,
    end_counters,
    exit_look_ahead,
    expand_division,
    expand_multiply,
    fill_tables,
    find_independent,
    flatten_nests,
    fuse_loops,
    if_convert,
    interchange,
    join_arrays,
    join_stores,
    keep_pivots,
    licm,
    line_buffers,
    loop_idioms,
    mask_tests,
    merge_counters,
    merge_flags,
    narrow_guarded,
    narrow_signs,
    narrow_widths,
    part_sums,
    plane_buffers,
    reassociate,
    reload,
    scalar_replacement,
    scalarise,
    scale_exponents,
    share_accesses,
    share_products,
    share_values,
    short_division,
    simplify,
    sink_stores,
    skew,
    split_borders,
    split_loops,
    split_memories,
    split_wide,
    store_forwarding,
    strip_zeros,
    trim_loops,
    turned_bits,
    unroll,
    widen_ports,
)
from tandem.passes.pipelines import LEVELS
from tandem.passes.reassociate import Timing

FOLDER = Path(__file__).parent / "passes"
CASES = sorted(FOLDER.glob("*/*.ir"))
AFTER = "// after\n"
LUT_INPUTS, MULTIPLIER_BITS, WIDTH_THAT_FITS = 4, 18, 8
ARRAY_BYTES = 64
WANTED = {LoopId(7)}


def _delay(op: Op) -> int:
    """Shifters never fit; what else is split fits up to `WIDTH_THAT_FITS` bits."""
    return (
        WIDTH_THAT_FITS + 1 if isinstance(op, Shift) else max(o.width for o in [*op.operands, op])
    )


PASSES: dict[str, Callable[[Kernel], object]] = {
    accumulate_products.SLUG: accumulate_products.run,
    balance.SLUG: lambda kernel: balance.run(kernel, LUT_INPUTS),
    bind_arguments.SLUG: bind_arguments.run,
    bound_sizes.SLUG: bound_sizes.run,
    choose_shifts.SLUG: choose_shifts.run,
    exit_look_ahead.SLUG: exit_look_ahead.run,
    decide_late.SLUG: lambda kernel: decide_late.run(kernel, LEVELS),
    drop_signs.SLUG: drop_signs.run,
    end_counters.SLUG: end_counters.run,
    count_loops.SLUG: count_loops.run,
    expand_division.SLUG: expand_division.run,
    expand_multiply.SLUG: lambda kernel: expand_multiply.run(kernel, MULTIPLIER_BITS),
    fill_tables.SLUG: fill_tables.run,
    find_independent.SLUG: find_independent.run,
    store_forwarding.SLUG: lambda kernel: store_forwarding.run(kernel, dict.fromkeys(WANTED, 2)),
    fuse_loops.SLUG: fuse_loops.run,
    flatten_nests.SLUG: lambda kernel: flatten_nests.run(kernel, WANTED),
    licm.SLUG: licm.run,
    if_convert.SLUG: if_convert.run,
    interchange.SLUG: lambda kernel: interchange.run(kernel, WANTED),
    join_arrays.SLUG: join_arrays.run,
    keep_pivots.SLUG: lambda kernel: keep_pivots.run(kernel, WANTED),
    plane_buffers.SLUG: lambda kernel: plane_buffers.run(kernel, WANTED),
    line_buffers.SLUG: lambda kernel: line_buffers.run(kernel, WANTED),
    mask_tests.SLUG: mask_tests.run,
    merge_counters.SLUG: merge_counters.run,
    merge_flags.SLUG: merge_flags.run,
    narrow_guarded.SLUG: narrow_guarded.run,
    narrow_signs.SLUG: narrow_signs.run,
    narrow_widths.SLUG: narrow_widths.run,
    part_sums.SLUG: lambda kernel: part_sums.run(kernel, WANTED),
    scalarise.SLUG: scalarise.run,
    share_accesses.SLUG: share_accesses.run,
    share_products.SLUG: share_products.run,
    share_values.SLUG: share_values.run,
    short_division.SLUG: short_division.run,
    loop_idioms.SLUG: loop_idioms.run,
    join_stores.SLUG: join_stores.run,
    reload.SLUG: reload.run,
    scalar_replacement.SLUG: scalar_replacement.run,
    scale_exponents.SLUG: scale_exponents.run,
    simplify.SLUG: simplify.run,
    sink_stores.SLUG: sink_stores.run,
    skew.SLUG: lambda kernel: skew.run(kernel, WANTED),
    reassociate.SLUG: lambda kernel: reassociate.run(kernel, LEVELS),
    split_borders.SLUG: lambda kernel: split_borders.run(kernel, WANTED),
    split_loops.SLUG: lambda kernel: split_loops.run(kernel, WANTED),
    split_memories.SLUG: split_memories.run,
    split_wide.SLUG: lambda kernel: split_wide.run(kernel, Timing(_delay, 1, WIDTH_THAT_FITS)),
    strip_zeros.SLUG: strip_zeros.run,
    trim_loops.SLUG: trim_loops.run,
    turned_bits.SLUG: turned_bits.run,
    compare_bits.SLUG: compare_bits.run,
    unroll.SLUG: unroll.run,
    widen_ports.SLUG: widen_ports.run,
}


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _run(path: Path, text: str) -> str:
    """The kernel after the pass as text, or what the pass says against it."""
    kernel = parse(text, _name(path))
    verify(kernel)
    try:
        PASSES[path.parent.name](kernel)
    except TandemError as error:
        return "".join(f"// {line}\n" for line in str(error).splitlines())
    verify(kernel, path.parent.name)
    return print_kernel(kernel)


@pytest.mark.parametrize("path", CASES, ids=_name)
def test_golden(path: Path, request: pytest.FixtureRequest) -> None:
    text, _, wanted = path.read_text().partition(AFTER)
    found = _run(path, text)
    if request.config.getoption("--update"):
        path.write_text(f"{text.rstrip()}\n\n{AFTER}{found}")
        wanted = found
    assert found == wanted, "run pytest --update, and read the difference"


@pytest.mark.parametrize("path", CASES, ids=_name)
def test_golden_computes_the_same(path: Path) -> None:
    text, _, after = path.read_text().partition(AFTER)
    random = Random(_name(path))
    before = parse(text)
    if after.startswith("//"):
        assert "error[" in after  # refused: there is no kernel to compare
        return
    for _ in range(20):
        data = _random_data(before, random)
        copy = {name: bytearray(v) if isinstance(v, bytearray) else v for name, v in data.items()}
        copy = _joined(before, copy)
        assert interpret(parse(after), copy) == interpret(before, data)
        assert copy == _joined(before, data)


def _joined(kernel: Kernel, data: dict[str, Any]) -> dict[str, Any]:
    """The arrays that may overlap as parts of one, in which they lie one behind the other."""
    found = dict(data)
    for group in kernel.overlaps:
        memories = [kernel.argument(name).memory for name in group]
        unit = min(memory.element_bits for memory in memories if memory) // 8
        starts = accumulate((len(data[name]) for name in group), initial=0)
        found |= {n: start // unit for n, start in zip(group, starts, strict=False)}
        found["_".join(group)] = bytearray().join(data[name] for name in group)
    return found


@pytest.mark.parametrize("path", CASES, ids=_name)
def test_a_pass_that_says_so_changes_nothing(path: Path) -> None:
    text, _, _ = path.read_text().partition(AFTER)
    before = _but_for_notes(parse(text))
    for slug, run in PASSES.items():
        kernel = parse(text)
        try:
            changed = run(kernel)
        except TandemError:
            continue
        assert changed is not False or _but_for_notes(kernel) == before, slug


def _but_for_notes(kernel: Kernel) -> str:
    """The text without the lines of which a pass only notes what could be done there."""
    for name in (*LOOP_SETS, *LOOP_COUNTS):
        getattr(kernel, name).clear()
    return print_kernel(kernel)


def _random_data(kernel: Kernel, random: Random) -> dict[str, int | bytes | bytearray]:
    data: dict[str, int | bytes | bytearray] = {}
    for argument in kernel.arguments:
        if argument.memory is not None:
            data[argument.name] = bytearray(random.randbytes(ARRAY_BYTES))
        elif argument.direction == "in":
            data[argument.name] = random.randrange(1, 1 << min(argument.width, 4))
    return data


STRAIGHT = (
    balance.SLUG,
    choose_shifts.SLUG,
    compare_bits.SLUG,
    expand_division.SLUG,
    expand_multiply.SLUG,
    narrow_widths.SLUG,
    simplify.SLUG,
    split_wide.SLUG,
)
"""Passes that find work in code without loops, branches and arrays."""


@pytest.mark.parametrize("slug", STRAIGHT)
@settings(max_examples=50, deadline=None)
@given(made=twins(), data=st.data())
def test_random_kernels_compute_the_same(slug: str, made: TwinKernels, data: st.DataObject) -> None:
    plain, changed = made.kernels
    PASSES[slug](changed)
    verify(changed, slug)
    for _ in range(3):
        values = data.draw(st.composite(numbers_for)(plain))
        assert interpret(changed, values) == interpret(plain, values)


def test_every_pass_has_golden_cases() -> None:
    modules = {path.stem for path in Path(unroll.__file__).parent.glob("*.py")}
    with_slug = {slug.replace("-", "_") for slug in PASSES}
    assert with_slug <= modules
    assert sorted(PASSES) == sorted({path.parent.name for path in CASES})
