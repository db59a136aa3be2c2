# SPDX-License-Identifier: Apache-2.0
"""The library's `exp_many`: its RTL on ten million numbers beside e^x as mpmath has it, its ii, and
its area beside a published unit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import tandem
from figures import Figure, at_most
from mpmath.libmp import from_float, mpf_exp
from tandem.interface import place
from tandem.library.manifests import find_kernel

POINTS = 10_000_000
A_CALL = 1 << 17
MOST_ULPS = 0.51
KERNEL = "exp_many"
LONGEST, LEAST = 709.782712893384, -745.1332191019412
"""The last that does not overflow, and the first whose result is not 0: ln(2^1024 (1 - 2^-54)) and
-1075 ln 2."""
LEAST_NORMAL = -708.3964185322641
"""ln(2^-1022): results below are subnormal."""
HARDEST = 7.5417527749959590085206221024712557043923055744016892276704e-10
"""Whose e^x is nearest to the middle of two doubles (V. Lefevre and J.-M. Muller, "Worst Cases for
Correct Rounding of the Elementary Functions in Double Precision", ARITH-15, 2001)."""
SPECIAL = (
    *(0.0, -0.0, math.inf, -math.inf, math.nan, HARDEST, 1.0, -1.0, 0.5, 2.0**-54, -(2.0**-54)),
    *(5e-324, -5e-324, 2.2250738585072014e-308, -2.2250738585072014e-308, 1e308, -1e308),
    *(1.7976931348623157e308, -1.7976931348623157e308, 2.0**-53, -(2.0**-53), 2.0**10, -(2.0**10)),
)
BORDERS_A_POWER = (1 << 7, 1 << 13)
"""library/libm/exp2.h has tables of the first 7 bits of x / ln 2, and of the next 6."""
CLOSE = 0.45
"""Ulps. Errors from here on are told by mpmath, others by numbers of 64 bits, which know an ulp of
a double to 2^-10: they cannot be the largest."""
BITS = 200
FRACTION_BITS, LEAST_EXPONENT = 53, -1074


def exp(work: Path) -> list[Figure]:
    """In simulate mode every result is the RTL's and the C's."""
    kernel = find_kernel(KERNEL)
    built = tandem.compile(kernel.source, KERNEL, output=work, models=True)
    worst, calls = errors_of_rtl(Path(built["package"]), POINTS)
    placed = place(built)
    area = placed["resources"]
    names = {"lut4": "LUT4", "ff": "flip-flops", "dsp": "multipliers of 18 by 18", "bram": "RAMs"}
    return [
        at_most("ii", built["ii"], "cycles", 1),
        at_most(f"largest error of {POINTS:,} numbers", worst, "ulp", MOST_ULPS),
        at_most("calls whose RTL differs from the C", calls, "", 0),
        at_most("latency", built["latency_cycles"], "cycles"),
        at_most("clock period, placed", 1000 / placed["fmax_mhz"], "ns", 10),
        *(at_most(f"{name}, placed", area[key], "") for key, name in names.items() if key in area),
    ]


def errors_of_rtl(package: Path, count: int) -> tuple[float, int]:
    """The largest error, and how many calls differed."""
    worst = 0.0
    with tandem.reserve("pcie3-x16", mode="simulate") as machine:
        unit = machine.open(package)
        for numbers in blocks(count):
            found = np.zeros_like(numbers)
            unit(numbers, found, len(numbers))
            worst = max(worst, largest_error(numbers, found))
        report = machine.report()
    return worst, report["calls"] - report["checked_calls"] + report["mismatches"]


# -- numbers ------------------------------------------------------------------------------------


def blocks(count: int, seed: int = 1) -> Iterator[Any]:
    """So many numbers in all, in arrays: what is special first."""
    generator = np.random.default_rng(seed)
    first = np.array(SPECIAL)
    while count:
        size = min(count, A_CALL)
        made = np.concatenate([first, *_kinds(generator, size // 6 + 1)])[:size]
        first = first[:0]
        count -= len(made)
        yield made


def _kinds(generator: np.random.Generator, size: int) -> Iterator[Any]:
    """Arrays of random numbers: of the whole range, near a table's border, near where results
    overflow, become subnormal or vanish, with subnormal results, near 0, and of any bits."""
    yield generator.uniform(LEAST, LONGEST, size)
    yield _near_borders(generator, size)
    ends = generator.choice([LONGEST, LEAST_NORMAL, LEAST, LEAST + math.log(2)], size)
    yield _moved(generator, ends)
    yield generator.uniform(LEAST, LEAST_NORMAL, size)
    signs = generator.choice([-1.0, 1.0], size)
    yield signs * np.exp2(generator.uniform(-60, 0, size))
    yield generator.integers(0, 1 << 64, size, dtype=np.uint64).view(np.float64)


def _near_borders(generator: np.random.Generator, size: int) -> Any:
    """Multiples of ln 2 / 128 and ln 2 / 8192, a few doubles off."""
    powers = generator.choice(BORDERS_A_POWER, size)
    steps = np.floor(generator.uniform(-1074, 1023, size) * powers)
    return _moved(generator, steps / powers * math.log(2))


def _moved(generator: np.random.Generator, numbers: Any) -> Any:
    """Each by up to eight doubles."""
    steps = generator.integers(-8, 9, len(numbers))
    return (numbers.view(np.int64) + steps).view(np.float64)


# -- errors -------------------------------------------------------------------------------------


def largest_error(numbers: Any, found: Any) -> float:
    """In ulp of the format at the exact result. Infinite where an infinity, a NaN or a sign is
    wrong."""
    about = _about(numbers, found)
    worst = np.nan_to_num(about, nan=math.inf, posinf=math.inf)
    if not np.isfinite(worst).all():
        return math.inf
    close = worst >= CLOSE
    exact = (error(x, y) for x, y in zip(numbers[close], found[close], strict=True))
    return max(exact, default=float(worst.max()))


def _about(numbers: Any, found: Any) -> Any:
    """Errors by numbers of 64 bits; 0 where there is nothing to round, and it is right."""
    with np.errstate(all="ignore"):
        right = np.exp(numbers.astype(np.longdouble))
        _, exponents = np.frexp(right)
        ulps = np.exp2(np.maximum(exponents - FRACTION_BITS, LEAST_EXPONENT).astype(np.longdouble))
        errors = np.abs(found.astype(np.longdouble) - right) / ulps
    limit = np.longdouble(2) ** 1024 * (1 - np.longdouble(2) ** -54)
    overflows = (right >= limit) | np.isnan(numbers)
    same = np.where(np.isnan(numbers), np.isnan(found), np.isposinf(found))
    wrong = np.where(overflows, ~same, ~np.isfinite(found) | np.signbit(found))
    return np.where(wrong, math.inf, np.where(overflows, 0, errors)).astype(float)


def error(x: float, y: float) -> float:
    """Of y as e^x, where both are finite: in ulp, from a result of so many bits that only 0 is not
    told exactly."""
    _, mantissa, exponent, _ = mpf_exp(from_float(float(x)), BITS)
    right = Fraction(int(mantissa)) * Fraction(2) ** exponent
    top = int(mantissa).bit_length() + exponent
    ulp = Fraction(2) ** max(top - FRACTION_BITS, LEAST_EXPONENT)
    return float(abs(Fraction(float(y)) - right) / ulp)
