# SPDX-License-Identifier: Apache-2.0
"""Random control flow means the same after every pass, and most of it is one block a loop.

TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

import math
from random import Random

import pytest
from random_flow import random_flow
from seeds import seeds
from tandem import policy
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.lines import NO_LOOP
from tandem.ir.loops import natural_loops
from tandem.ir.verifier import verify
from tandem.passes import if_convert, simplify
from tandem.passes.pipelines import Options, run_pipeline
from tandem.passes.shape import Shape

SEEDS = seeds(200)
CALLS = 4
ALL_LOOPS = frozenset({NO_LOOP})
BYTES = 8

Answer = tuple[int | None, bytes]


def _answers(kernel: Kernel, seed: int) -> list[Answer]:
    random, found = Random(seed), []
    for _ in range(CALLS):
        data = bytearray(random.randbytes(BYTES))
        x, y = random.randrange(5), random.randrange(256)
        result = interpret(kernel, {"x": x, "y": y, "data": data})
        found.append((result, bytes(data)))
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_flat", [False, True], ids=["as is", "all flat"])
def test_every_pass_keeps_the_meaning(
    seed: int, is_flat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_flat:
        monkeypatch.setattr(policy, "FLATTENED_STRETCH", math.inf)
    kernel = random_flow(seed)
    verify(kernel)
    wanted = _answers(kernel, seed)

    def same(name: str, changed: Kernel) -> None:
        assert _answers(changed, seed) == wanted, name

    if_convert.run(kernel)
    verify(kernel, "if-convert")
    same("if-convert", kernel)
    run_pipeline(
        kernel, Options(shape=Shape(flattened=ALL_LOOPS if is_flat else frozenset())), after=same
    )


def test_every_innermost_loop_becomes_one_block() -> None:
    for seed in SEEDS:
        kernel = random_flow(seed)
        simplify.run(kernel)
        if_convert.run(kernel)
        loops = natural_loops(kernel)
        inner = [h for h, body in loops.items() if not any(o in body for o in loops if o is not h)]
        assert all(loops[header] == {header} for header in inner)
