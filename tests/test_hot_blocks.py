# SPDX-License-Identifier: Apache-2.0
"""A block that runs often is a function, which does what its operations do one by one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from random_flow import random_flow
from seeds import seeds
from tandem.frontend.program import Program
from tandem.ir import interpreter
from tandem.ir.hot_blocks import MOST_IN_A_LINE, function_of
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import OPERATIONS, Extract, Op, Parameter, constant, mask
from tandem.languages.imported import import_c
from tandem.passes.pipelines import Options, run_pipeline

EVALUATED = sorted(name for name, row in OPERATIONS.items() if row.evaluate is not None)
WIDTHS = (1, 4, 7, 64)
PARTS = (1, 2, 3, MOST_IN_A_LINE, MOST_IN_A_LINE + 1, 300)
NEVER = 1 << 60

ACCESSES = """
#include <stdint.h>
static int32_t scaled(int32_t x) { int32_t y = 0; while (x > 0) { y += x & 7; x >>= 2; } return y; }
int32_t top(const int32_t in[64], uint8_t out[64], float sums[64], int n)
{
    static const uint8_t table[5] = {3, 1, 4, 1, 5};
    int32_t kept[16] = {0}, sum = n;
    for (int i = 0; i < 64; i++) {
        if (in[i] & 1)
            sum += kept[in[i] >> 4 & 15] += scaled(in[i] & 255);
        if (sum % 3 == 0)
            out[i] = table[i % 5] + sum / 7;
        sums[i] = sums[i] * 0.75f + (float)sum;
    }
    return sum;
}
"""


def as_a_function(op: Op, values: dict[Op, int]) -> int:
    def other(_: Op) -> None:
        raise AssertionError(op)

    function_of([op], values, {op}, other)()  # type: ignore[arg-type]
    return values[op]


@pytest.mark.parametrize("kind", EVALUATED)
def test_an_operation_is_what_the_table_says(kind: str) -> None:
    """Of values of other blocks, and of constants."""
    random, row = Random(kind), OPERATIONS[kind]
    evaluate = row.evaluate
    assert evaluate is not None
    for _ in range(200):
        count = row.arity or random.choice(PARTS)
        widths = _widths(kind, random, count)
        width = {"bit": 1, "same": widths[0]}.get(row.rule) or _width(kind, widths)
        patterns = [random.choice((0, mask(w), random.getrandbits(w))) for w in widths]
        given: list[Op] = [Parameter((), w) for w in widths]
        if random.randrange(2):
            given[-1] = constant(patterns[-1], widths[-1])
        values = dict(zip(given, patterns, strict=True))
        found = as_a_function(row(given, width), values)
        assert found == evaluate(patterns, widths, width) & mask(width), (patterns, widths)


def _widths(kind: str, random: Random, count: int) -> list[int]:
    if kind.startswith(("f32", "f64", "i32", "i64", "u32", "u64")):
        return [random.choice((32, 64))] * count
    if kind in ("concat", "divide"):
        return [random.choice(WIDTHS) for _ in range(count)]
    same = random.choice(WIDTHS)
    return [1, same, same] if kind == "select" else [same] * count


def _width(kind: str, widths: list[int]) -> int:
    return sum(widths) if kind in ("concat", "divide") else widths[-1]


def test_bits_of_a_value() -> None:
    value = Parameter((), 64)
    for low, width in ((0, 64), (0, 1), (63, 1), (5, 17)):
        op = Extract([value], width, {"low": low})
        pattern = 0x9E3779B97F4A7C15
        assert as_a_function(op, {value: pattern}) == pattern >> low & mask(width)


def both(kernel: Kernel, data: dict[str, int | bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same is left where every block is a function, where none is, and where they become
    functions on the way."""
    left = []
    for often in (NEVER, 1, 3, interpreter.OFTEN):
        monkeypatch.setattr(interpreter, "OFTEN", often)
        own = {n: bytearray(v) if isinstance(v, bytes) else v for n, v in data.items()}
        left.append((interpret(kernel, own), own))
    assert all(one == left[0] for one in left)


@pytest.mark.parametrize("seed", seeds(40))
def test_random_flow(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random, kernel = Random(seed), random_flow(seed)
    for _ in range(2):
        for x in range(3):
            data = {"x": x, "y": random.randrange(256), "data": random.randbytes(8)}
            both(kernel, data, monkeypatch)
        run_pipeline(kernel, Options())


@pytest.mark.parametrize("is_finished", [False, True])
def test_accesses(is_finished: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With tables, local arrays, calls, and what happens on a condition only."""
    source = tmp_path / "top.c"
    source.write_text(ACCESSES)
    kernel = import_c(Program.of(source), "top").kernel
    if is_finished:
        run_pipeline(kernel, Options())
    random = Random(1)
    names = {"in": random.randbytes(256), "out": bytes(64), "sums": bytes(256), "n": 5}
    both(kernel, names, monkeypatch)
