# SPDX-License-Identifier: Apache-2.0
"""Random loads and stores under conditions, before and after the passes that move, merge and remove
them. TANDEM_FUZZ=N tries N seeds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from random_accesses import NUMBERS, TESTS, generate
from seeds import seeds
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.parser import parse
from tandem.ir.verifier import verify
from tandem.passes import scalar_replacement, scalarise, share_accesses, simplify, split_memories
from tandem.passes.pipelines import Options, run_pipeline

CALLS = 8
PASSES: dict[str, Callable[[Kernel], object]] = {
    scalarise.SLUG: scalarise.run,
    scalar_replacement.SLUG: scalar_replacement.run,
    share_accesses.SLUG: share_accesses.run,
    simplify.SLUG: simplify.run,
    split_memories.SLUG: split_memories.run,
    "all": lambda kernel: run_pipeline(kernel, Options()),
}


@pytest.mark.parametrize("name", PASSES)
def test_random_accesses(name: str) -> None:
    for seed in seeds(320):
        text, random = generate(seed), Random(seed)
        changed = parse(text)
        PASSES[name](changed)
        verify(changed, name)
        for _ in range(CALLS):
            values = {test: random.getrandbits(1) for test in TESTS}
            values |= {number: random.randrange(4) for number in NUMBERS}
            found, wanted = interpret(changed, values), interpret(parse(text), values)
            assert found == wanted, f"seed {seed}, {values}:\n{text}"
