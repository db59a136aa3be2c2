# SPDX-License-Identifier: Apache-2.0
"""Which kernel is walked through to know of a call beforehand: the one with the C's operators, as
long as it goes the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agreement import check, packaged
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.frontend.program import Program
from tandem.ir.blocks import Block, Branch, Jump, Terminator
from tandem.ir.clone import clone
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.models import shared_objects
from tandem.models.walked import walked
from tandem.passes import in_common
from tandem.passes.pipelines import Options
from tandem.passes.shape import Shape
from tandem.schedule.delays import Target

SHORT_CLOCK_PS = 4_000
TABLE = f"""#include <stdint.h>
static const uint16_t steps[256] = {{{", ".join(str(i * i % 251) for i in range(256))}}};
uint32_t f(uint32_t x)
{{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 40 && x != steps[i]; i++) {{
        x ^= steps[x & 255];
        count++;
    }}
    return count;
}}
"""
CHOICE = """#include <stdint.h>
uint32_t f(const uint32_t *a, uint32_t n)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; a[j] > s; j++)
            s += a[i];
    return s;
}
"""
IN_STRUCT = """#include <stdint.h>
struct list { uint32_t *words, n; };
static uint32_t mixed(struct list *l, uint32_t x)
{
    uint32_t h = x;
    for (uint32_t i = 0; i < l->n; i++) {
        h = (h ^ l->words[i]) * 403u + (h >> 7);
        h ^= (h << 3) + (h >> 9) - (l->words[i] & x);
        l->words[i] = h + (h << 2) + (x ^ 5) - (i << 4);
    }
    return h;
}
uint32_t f(struct list *l) { return mixed(l, 1) * mixed(l, 2); }
"""


def compiled(folder: Path, text: str, target: Target, clock_ps: int) -> Compiled:
    source = folder / "f.c"
    source.write_text(text)
    return compile_kernel(Program.of(source), "f", target, clock_ps, slower_clock=True)


def test_a_table_may_be_read_in_parts(tmp_path: Path, target: Target) -> None:
    made = compiled(tmp_path, TABLE, target, SHORT_CLOCK_PS)
    tables = [m for m in made.kernel.memories.values() if m.kind is MemoryKind.ROM]
    assert len(tables) > 1 and walked(made.kernel) is made.kernel.plain
    built = packaged(made, tmp_path)
    for x in (0, 10, 255, 1 << 31):
        check(built, {"x": x})


def test_a_long_walk_is_compiled_as_it_is_written(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_objects, "MOST_OPTIMISED_LINES", 0)
    built = packaged(compiled(tmp_path, CHOICE, target, 10_000), tmp_path)
    words = b"".join(n.to_bytes(4, "little") for n in (7, 3, 90, 11, 0))
    for n in (0, 1, 4):
        check(built, {"a": words, "n": n})


def _choosing(kernel: Kernel) -> Block:
    return next(b for b in kernel.blocks if isinstance(b.end, Branch) and not b.is_loop)


def _decided(block: Block) -> Terminator:
    return Jump(edges=block.end.edges[:1])


def test_a_way_that_is_never_taken_may_be_gone(tmp_path: Path, target: Target) -> None:
    """It may be seen later that a block leads to one place only; never that it leads to more."""
    kernel = compiled(tmp_path, CHOICE, target, 10_000).kernel
    kernel.plain = clone(kernel)
    block = _choosing(kernel)
    kept, block.end = block.end, _decided(block)
    assert walked(kernel) is kernel.plain
    block.end = kept
    plain = _choosing(kernel.plain)
    plain.end = _decided(plain)
    assert walked(kernel) is kernel


def test_functions_that_cannot_be_kept_apart_make_no_other_kernel(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pointers in structs that a function reads become parameters of the kernel only where it is
    inlined: with it apart there is nothing else to schedule."""
    made: list[Shape] = []
    run = in_common.run_pipeline

    def noted(kernel: Kernel, options: Options, *others: Any, **named: Any) -> None:
        made.append(options.shape)
        run(kernel, options, *others, **named)

    monkeypatch.setattr(in_common, "run_pipeline", noted)
    compiled(tmp_path, IN_STRUCT, target, 10_000)
    assert made and not any(shape.apart for shape in made)
