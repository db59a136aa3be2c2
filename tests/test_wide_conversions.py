# SPDX-License-Identifier: Apache-2.0
"""`__int128` and `_BitInt` to and from `float` and `double`: as the host's compiler has it, and as
exact numbers say."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
COUNT = 64
TOP = """
#include <stdint.h>
void top(const uint64_t in[128], {kind} out[64])
{{
    for (int i = 0; i < 64; i++) {{
        unsigned __int128 x = (unsigned __int128)in[2 * i + 1] << 64 | in[2 * i];
        out[i] = {result};
    }}
}}
"""
BACK = """
#include <stdint.h>
void top(const {kind} in[64], uint64_t out[128])
{{
    for (int i = 0; i < 64; i++) {{
        {wide} x = ({wide})in[i];
        out[2 * i] = (uint64_t)x;
        out[2 * i + 1] = (uint64_t)(x >> 64);
    }}
}}
"""


def made(text: str, target: Target, folder: Path) -> Build:
    return build_text(text, target, CLOCK_PS, folder)


def numbers(random: Random) -> list[int]:
    """Of 128 bits: long and short ones, and those about half way between two that a `double` or a
    `float` can be."""
    found = [0, 1, (1 << 128) - 1, 1 << 127, (1 << 127) - 1, 1 << 64, (1 << 64) - 1]
    for bits in (24, 53):
        for more in (1, 12, 40, 75):
            half = (random.getrandbits(bits) | 1 << bits - 1) << more | 1 << more - 1
            found += [half - 1, half, half + 1]
    return [*found, *(random.getrandbits(random.randint(1, 128)) for _ in range(COUNT))][:COUNT]


def nearest(x: int, bits: int) -> Fraction:
    """The number of so many bits that is nearest, the even one of two."""
    down = max(0, abs(x).bit_length() - bits)
    return Fraction(round(Fraction(x, 1 << down)) << down)


@pytest.mark.parametrize(("kind", "letter", "bits"), [("double", "d", 53), ("float", "f", 24)])
@pytest.mark.parametrize("wide", ["unsigned __int128", "__int128", "_BitInt(100)"])
def test_to_floating_point(
    kind: str, letter: str, bits: int, wide: str, target: Target, tmp_path: Path
) -> None:
    built = made(TOP.format(kind=kind, result=f"({kind})({wide})x"), target, tmp_path)
    random = Random(wide)
    wanted = numbers(random)
    data = b"".join(x.to_bytes(16, "little") for x in wanted)
    size = struct.calcsize(letter)
    outcome = check(built, {"in": data, "out": bytes(size * COUNT)})
    found = struct.unpack(f"<{COUNT}{letter}", outcome.data["out"])
    width = 100 if "BitInt" in wide else 128
    for x, y in zip(wanted, found, strict=True):
        plain = x & (1 << width) - 1
        if not wide.startswith("unsigned") and plain >> width - 1:
            plain -= 1 << width
        if y in (float("inf"), float("-inf")):
            assert letter == "f" and nearest(plain, bits) == 1 << 128
        else:
            assert Fraction(y) == nearest(plain, bits), plain


@pytest.mark.parametrize(("kind", "letter"), [("double", "d"), ("float", "f")])
@pytest.mark.parametrize("wide", ["unsigned __int128", "__int128"])
def test_from_floating_point(
    kind: str, letter: str, wide: str, target: Target, tmp_path: Path
) -> None:
    built = made(BACK.format(kind=kind, wide=wide), target, tmp_path)
    random, is_signed = Random(wide), not wide.startswith("unsigned")
    values = [0.0, 0.5, 1.0, 1.5, 2.0**63, 2.0**64, 2.0**126, 1e-40, 0.999]
    values += [random.random() * 2.0 ** random.randint(-3, 126) for _ in range(COUNT - len(values))]
    if is_signed:
        values = [x if random.random() < 0.5 else -x for x in values]
    data = struct.pack(f"<{COUNT}{letter}", *values)
    outcome = check(built, {"in": data, "out": bytes(16 * COUNT)})
    for i, x in enumerate(struct.unpack(f"<{COUNT}{letter}", data)):
        part = outcome.data["out"][16 * i : 16 * i + 16]
        assert int.from_bytes(part, "little", signed=is_signed) == int(x)
