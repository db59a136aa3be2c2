# SPDX-License-Identifier: Apache-2.0
"""The library's kernels as hardware: C = IR = RTL, each at its ii, from the untouched C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from struct import pack

import pytest
from agreement import Build, Values, check, packaged
from seeds import sampled
from tandem.compiler import compile_kernel, find_target
from tandem.frontend.discovery import find_program
from tandem.study.baselines import kernel_cards

LIBRARY = Path(__file__).parents[1] / "library"
SIZES = (0, 1, 2, 5, 70)
II = {"des_operation": 9}
"""Where it is not 1: the block before, encrypted, goes into the next (CBC)."""
CLOCK_PS = {"aes128_encrypt": 12_500}
"""Where a round does not fit 10 ns: an S-box of 256 bytes and what mixes its answers."""
CYCLES = {"aes128_encrypt": 12, "present80_encrypt": 33}
"""Of a call: a round a cycle, one to load and one to store."""


@pytest.fixture(scope="module", params=sampled(sorted(kernel_cards())))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    program = find_program(LIBRARY / kernel_cards()[request.param]["source"])
    clock_ps = CLOCK_PS.get(request.param, 10_000)
    compiled = compile_kernel(program, request.param, find_target("ecp5"), clock_ps)
    assert compiled.schedule.ii == II.get(request.param, 1)
    return packaged(compiled, tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize("size", SIZES)
def test_c_ir_and_rtl_agree(built: Build, size: int) -> None:
    random = Random(size)
    values = dict(CALLS.get(built.imported.name, a_cipher)(random, size))
    for row in built.rows:
        if row["kind"] == "block":
            values.setdefault(row["name"], random.randbytes(row["element_bytes"]))
    streams = built.streams()
    intervals = {"in": 1 + size % 3, "out": 1 + size % 2}
    outcome = check(built, values, {n: i for n, i in intervals.items() if n in streams})
    out = next(row["name"] for row in reversed(built.rows) if row["kind"] in ("stream", "memory"))
    assert size == 0 or any(outcome.data[out])
    wanted = CYCLES.get(built.imported.name, outcome.cycles)
    assert outcome.cycles == wanted


def a_cipher(random: Random, size: int) -> Values:
    """`size` blocks of DES or Triple DES; keys are blocks."""
    return {"blocks": size, "in": random.randbytes(8 * size), "out": bytes(8 * size)}


def a_search(random: Random, size: int) -> Values:
    """`size` keys, which begin anywhere and do not fit: all are tried."""
    return {
        "plaintext": random.getrandbits(64),
        "ciphertext": random.getrandbits(64),
        "first": random.getrandbits(56),
        "count": size,
        "result": bytes(16),
    }


def pairs_of_numbers(random: Random, size: int) -> Values:
    """`size` pairs, subnormal results and overflows among them."""
    numbers = [random.uniform(-800, 800) for _ in range(2 * size)]
    return {"in": pack(f"<{2 * size}d", *numbers), "out": bytes(16 * size), "pairs": size}


def an_operation(random: Random, size: int) -> Values:
    """`size` blocks, encrypted where that is even."""
    return {
        "in": random.randbytes(8 * size),
        "out": bytes(8 * size),
        "bytes": 8 * size,
        "key": random.randrange(8),
        "direction": size % 2,
        "initial": random.getrandbits(64),
    }


def one_block(bytes_: int) -> Callable[[Random, int], Values]:
    """One block of so many bytes, whatever the size; the key and it are blocks."""
    return lambda _random, _size: {"cipher": bytes(bytes_)}


CALLS: dict[str, Callable[[Random, int], Values]] = {
    "des_search": a_search,
    "exp_pairs": pairs_of_numbers,
    "des_operation": an_operation,
    "aes128_encrypt": one_block(16),
    "present80_encrypt": one_block(8),
}
