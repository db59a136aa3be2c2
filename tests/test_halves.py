# SPDX-License-Identifier: Apache-2.0
"""`_Float16` and `__bf16`: every number as numpy has it, and hardware as software."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from agreement import Build, build_text, check
from tandem.models.run import run_c
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\n"
TOP = HEAD + "void top(const {0} *in, {1} *out, int n)\n{{\n    {2}\n}}\n"
LOOP = "for (int i = 0; i < n; i++) out[i] = {};"
EVERY = np.arange(1 << 16, dtype=np.uint16)
FEW = 64


def made(given: str, result: str, value: str, target: Target, folder: Path) -> Build:
    return build_text(
        TOP.format(given, result, LOOP.format(value)), target, CLOCK_PS, folder, slower_clock=True
    )


def ran(built: Build, data: np.ndarray, result: str) -> np.ndarray:
    """What the C gives for all; the hardware must give the same for some of it."""
    size = np.dtype(result).itemsize
    values = {"in": data.tobytes(), "out": bytes(size * len(data)), "n": len(data)}
    few = np.random.default_rng(1).choice(data, FEW)
    check(built, {"in": few.tobytes(), "out": bytes(size * FEW), "n": FEW})
    return np.frombuffer(run_c(built.package, built.rows, values).data["out"], result)


def numbers(kind: str) -> np.ndarray:
    """Special numbers, and random ones of all sizes that fit, with many that lie in the middle."""
    random, count = np.random.default_rng(2), 50_000
    scale = 2.0 ** random.integers(-30, 20, count)
    mixed = random.standard_normal(count) * scale
    ties = random.integers(-(1 << 12), 1 << 12, count) * scale
    special = [0.0, -0.0, np.inf, -np.inf, 65504, 65519.999, 65520, 2**-14, 2**-24, 2**-25, 1e300]
    with np.errstate(over="ignore"):
        return np.concatenate([special, mixed, ties, ties * (1 + 2**-40)]).astype(kind)


def test_every_half_is_a_float(target: Target, tmp_path: Path) -> None:
    found = ran(made("_Float16", "float", "in[i]", target, tmp_path), EVERY, "f4")
    assert np.array_equal(found, EVERY.view("f2").astype("f4"), equal_nan=True)


@pytest.mark.parametrize(("kind", "c"), [("f4", "float"), ("f8", "double")])
def test_halves_are_rounded_once(kind: str, c: str, target: Target, tmp_path: Path) -> None:
    given = numbers(kind)
    found = ran(made(c, "_Float16", "(_Float16)in[i]", target, tmp_path), given, "f2")
    with np.errstate(over="ignore"):
        assert np.array_equal(found.view("u2"), given.astype("f2").view("u2"))


@pytest.mark.parametrize(("kind", "c"), [("f4", "float"), ("f8", "double")])
def test_upper_halves_are_rounded_once(kind: str, c: str, target: Target, tmp_path: Path) -> None:
    given = numbers(kind)
    found = ran(made(c, "__bf16", "(__bf16)in[i]", target, tmp_path), given, "u2")
    with np.errstate(over="ignore", invalid="ignore"):
        back = (found.astype("u4") << 16).view("f4").astype("f8")
        up, down = (
            ((found.astype("u4") + np.uint32(step)) << 16).view("f4").astype("f8")
            for step in (1, 0xFFFFFFFF)
        )
        finite = np.isfinite(back) & np.isfinite(given)
        error = np.abs(back - given)
        assert np.all((error <= np.abs(up - given))[finite])
        assert np.all((error <= np.abs(down - given))[finite & (back != 0)])
        tie = finite & ((error == np.abs(up - given)) | (error == np.abs(down - given)))
    assert tie.any()
    assert not np.any(found[tie & (error > 0)] & 1)


def test_arithmetic_is_that_of_floats(target: Target, tmp_path: Path) -> None:
    value = "in[i] * (_Float16)0.3 + (in[i] < 0 ? -in[i] : (_Float16)(i & 7))"
    found = ran(made("_Float16", "_Float16", value, target, tmp_path), EVERY, "f2")
    half, i = EVERY.view("f2"), np.arange(len(EVERY))
    with np.errstate(over="ignore", invalid="ignore"):
        other = np.where(half < 0, -half, (i & 7).astype("f2"))
        wanted = (half.astype("f4") * np.float32(np.float16(0.3)) + other.astype("f4")).astype("f2")
    assert np.array_equal(found, wanted, equal_nan=True)


EVERYWHERE = (
    HEAD
    + """struct place { _Float16 x; __bf16 y; int n; };
typedef struct { struct place of[3]; float f; } places;
static const _Float16 table[4] = {1, 2, (_Float16)0.5, -3};
static const struct place few[2] = {{1, 2, 3}, {(_Float16)4.5, 5, 6}};
static const places first = {{{1, 1, 1}}, 2};
static _Float16 either(_Float16 x, int n) { return n ? x * table[n] : -x; }
static __bf16 twice(__bf16 y)
{
    places own = first;
    own.of[1].y = y;
    return own.of[1].y + (__bf16)own.f;
}
static struct place moved(struct place p, _Float16 x)
{
    p.x = x;
    return p;
}
void top(const _Float16 *in, _Float16 *out, int n)
{
    places kept = first;
    for (int i = 0; i < n; i++) {
        struct place p = moved(few[i & 1], in[i]);
        union { _Float16 h; uint16_t bits; } u = {in[i] > p.x || in[i] < few[0].x ? p.x : in[i]};
        kept.of[i & 1].y = twice((__bf16)(float)p.x);
        out[i] = either(p.x, i & 3) + (u.bits & 7) + (_Float16)(float)kept.of[i & 1].y;
    }
}
"""
)


def test_where_halves_may_be(target: Target, tmp_path: Path) -> None:
    """Tables, structs, unions, parameters, results, and values that meet: hardware as software."""
    built = build_text(EVERYWHERE, target, CLOCK_PS, tmp_path, slower_clock=True)
    found = ran(built, EVERY, "f2")
    half, i = EVERY.view("f2"), np.arange(len(EVERY))
    table = np.array([0, 2, 0.5, -3], "f2")
    with np.errstate(over="ignore", invalid="ignore"):
        upper = upper_half(upper_half(half.astype("f4")) + np.float32(2))
        wanted = np.where(
            i & 3, (half.astype("f4") * table[i & 3].astype("f4")).astype("f2"), -half
        )
        wanted = wanted.astype("f4") + (EVERY & 7).astype("f4")
        wanted = (wanted + upper.astype("f2").astype("f4")).astype("f2")
    assert np.array_equal(found, wanted, equal_nan=True)


def upper_half(numbers: np.ndarray) -> np.ndarray:
    """The nearest numbers that are the upper halves of floats, to even where two are."""
    bits = numbers.view("u4")
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(numbers), numbers, rounded.astype("u4").view("f4"))
