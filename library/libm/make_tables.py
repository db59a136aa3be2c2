# SPDX-License-Identifier: Apache-2.0
"""Makes the tables and polynomials of this folder, `*_tables.h`, from mpmath's functions alone.

    python library/libm/make_tables.py

A polynomial is mpmath's fit at the zeros of a Chebyshev polynomial, which is within a few percent
of the best one, with every coefficient rounded to the fixed point in which it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.prec = 300
FOLDER = Path(__file__).parent
HEAD = """/* SPDX-License-Identifier: Apache-2.0
 * Made by make_tables.py: do not edit. */
#ifndef LIBM_{name}_TABLES_H
#define LIBM_{name}_TABLES_H

#include <stdint.h>

{body}
#endif
"""


def main() -> None:
    for name, text in headers().items():
        (FOLDER / name).write_text(text)


def headers() -> dict[str, str]:
    """The text of each file."""
    bodies = {
        "exp": exp_body(),
        "log": log_body(),
        "root": root_body(),
        "trig": trig_body(),
        "atan": atan_body(),
    }
    return {
        f"{name}_tables.h": HEAD.format(name=name.upper(), body=body)
        for name, body in bodies.items()
    }


# -- fixed point --------------------------------------------------------------------------------


def down(value: mpf, places: int) -> int:
    """A number as an integer of so many bits behind the binary point, none above it."""
    return int(mpmath.floor(value * mpf(2) ** places))


def up(value: mpf, places: int) -> int:
    return int(mpmath.ceil(value * mpf(2) ** places))


def near(value: mpf, places: int) -> int:
    return int(mpmath.nint(value * mpf(2) ** places))


def fit(function: Callable[[mpf], mpf], ends: tuple[mpf, mpf], degree: int) -> list[mpf]:
    """The coefficients of a polynomial near a function, constant term first."""
    return mpmath.chebyfit(function, ends, degree + 1, asc=True)


# -- as C ---------------------------------------------------------------------------------------


def literal(value: int) -> str:
    """Of up to 64 bits, or 128."""
    if 0 <= value < 2**16:
        return str(value)
    if -(2**63) <= value < 2**64:
        return f"UINT64_C(0x{value:016x})" if value >= 0 else f"(-INT64_C(0x{-value:016x}))"
    assert value >= 0
    high, low = divmod(value, 2**64)
    return f"((unsigned __int128){literal(high)} << 64 | {literal(low)})"


def define(name: str, value: int, about: str = "") -> str:
    note = f" /* {about} */" if about else ""
    return f"#define {name} {literal(value)}{note}\n"


def table(kind: str, name: str, values: Iterable[int], about: str) -> str:
    rows = "".join(f"    {literal(value)},\n" for value in values)
    return f"/* {about} */\nstatic const {kind} {name}[] = {{\n{rows}}};\n\n"


# -- powers of 2 --------------------------------------------------------------------------------


CUT_OFF = 9
"""Of Q63: half of what products lose of a power of 2 at most, as 10 million numbers show
(`bench/run.py exp`). So much is added beforehand, but to 1 itself, whose powers are exact. The
largest power of a fraction is 18 below 2, which it must not become."""


def exp_body() -> str:
    """Rounded down where the rest allows it: no power of a fraction may come out as 2."""
    ln2 = mpmath.ln(2)
    powers = [down(mpf(2) ** (mpf(i) / 2**7), 63) for i in range(2**7)]
    first = [powers[0], *(power + CUT_OFF for power in powers[1:])]
    after = [near(mpf(2) ** (mpf(i) / 2**13) - 1, 61) << 3 for i in range(2**6)]
    # (2^r - 1) / r, which is ln 2 at 0.
    slope = fit(lambda r: mpmath.expm1(r * ln2) / r if r else ln2, (mpf(0), mpf(2) ** -13), 2)
    return (
        define("LOG2_E", down(1 / ln2, 71), "Q71")
        + "\n/* (2^r - 1) / r for r below 2^-13, Q64. */\n"
        + "".join(define(f"POWER_{i}", down(c, 64)) for i, c in enumerate(slope))
        + "\n"
        + table("uint64_t", "POWER_7", first, f"2^(i / 2^7) and, but for 1, {CUT_OFF} more, Q63.")
        + table("uint64_t", "POWER_13", after, "2^(i / 2^13) - 1, Q64.")
    )


# -- logarithms ---------------------------------------------------------------------------------

LOG_PLACES = 80
SQRT_2 = 27
"""Of 64ths above 1: from here on a significand is halved."""


def log_body() -> str:
    """A significand times a short factor is 1 + z with |z| < 0.009; that times 1 - j / 2^12 for
    the nearest j is nearer still. Both factors are exactly 1 about 1."""
    factors = [int(mpmath.nint(mpf(512) * 64 / (64 + i))) for i in range(64)]
    halved = [mpf(c) / 512 * (1 if i < SQRT_2 else 2) for i, c in enumerate(factors)]
    most = max(map(abs, first_rests(factors)))
    last = int(mpmath.nint(most * 2**12))
    steps = range(-last, last + 1)
    end = mpf(2) ** -13 + most * (most + mpf(2) ** -13)
    series = fit(lambda z: (mpmath.log1p(z) - z) / z**2 if z else mpf(-0.5), (-end, end), 3)
    return (
        define("LN_2", near(mpmath.ln(2), 72), "Q72")
        + define("LOG_2", near(1 / mpmath.ln(2), 63), "1 / log 2, Q63")
        + define("LOG_10", near(4 / mpmath.ln(10), 63), "4 / log 10, Q63")
        + f"#define SQRT_2 {SQRT_2} /* in 64ths above 1 */\n"
        + f"#define LOG_STEPS {last}\n"
        + "\n/* (log(1 + z) - z) / z^2, Q63. */\n"
        + "".join(define(f"LOG_SERIES_{i}", near(c, 63)) for i, c in enumerate(series))
        + "\n"
        + table("uint16_t", "LOG_FACTORS", factors, "1 / (1 + i / 64), Q9.")
        + split_table("LOG_6", [-mpmath.log(c) for c in halved], "Logarithms of those")
        + split_table(
            "LOG_12", [-mpmath.log1p(-mpf(j) / 2**12) for j in steps], "-log(1 - j / 2^12)"
        )
    )


def first_rests(factors: list[int]) -> Iterable[mpf]:
    """z at both ends of each significand's interval, for its factor."""
    for i, factor in enumerate(factors):
        yield (1 + (mpf(i) + 0.5) / 64) * factor / 512 - 1
        yield (1 + (mpf(i) - 0.5) / 64) * factor / 512 - 1 if i else mpf(-1) / 256


def split_table(name: str, values: list[mpf], about: str) -> str:
    """Numbers of more than 64 bits."""
    whole = [near(value, LOG_PLACES) for value in values]
    low = table("uint32_t", f"{name}_LOW", [v & 0xFFFFF for v in whole], f"{about}, the rest.")
    return table("int64_t", f"{name}_HIGH", [v >> 20 for v in whole], f"{about}, Q60.") + low


# -- roots --------------------------------------------------------------------------------------


def root_body() -> str:
    """Of an interval, the line between the ends is above m^(-1/n), and so is all that is made of
    it: z, what is left, is not negative."""
    text = ""
    for n, power in ((1, mpf(-1)), (2, mpf(-1) / 2), (3, mpf(-2) / 3)):
        at = [up((1 + mpf(i) / 64) ** (-1 / mpf(n)), 17) for i in range(65)]
        drops = [at[i] - at[i + 1] for i in range(64)]
        series = fit(partial(lost_part, power), (mpf(0), mpf(2) ** -12), 3)
        text += table("uint32_t", f"ROOT_{n}", at[:64], f"(1 + i / 64)^(-1 / {n}), Q17.")
        text += table("uint16_t", f"ROOT_DROP_{n}", drops, "From each of those to the next.")
        text += table(
            "uint64_t",
            f"ROOT_SERIES_{n}",
            [near(abs(c), 63) for c in series],
            f"(1 - (1 + z)^({mpmath.nstr(power, 2)})) / z for z below 2^-12, "
            "of alternating signs, Q63.",
        )
        parts = [up(mpf(2) ** (-mpf(j) / n), 17) for j in range(n)]
        text += table("uint32_t", f"ROOT_PART_{n}", parts, f"2^(-j / {n}), Q17.")
    return text


def lost_part(power: mpf, z: mpf) -> mpf:
    return (1 - (1 + z) ** power) / z if z else -power


# -- sines --------------------------------------------------------------------------------------

WORDS = 20


def trig_body() -> str:
    """2 / pi behind 96 zeros, and the series of both functions for both formats."""
    with mpmath.workprec(64 * WORDS + 64):
        bits = down(2 / mpmath.pi, 64 * WORDS - 97)
    words = [bits >> 64 * (WORDS - 1 - i) & (2**64 - 1) for i in range(WORDS)]
    text = table("uint64_t", "TWO_OVER_PI", words, "Its bits, the first of them worth 2^96.")
    for degree in (7, 4):
        for name, part in (("SIN", sine_part), ("COS", cosine_part)):
            series = fit(part, (mpf(0), mpf(1) / 4), degree)
            about = {"SIN": "sin(pi / 2 * f) / f", "COS": "cos(pi / 2 * f)"}[name]
            coefficients = [near(abs(c), 62) for c in series]
            about = f"{about} by f^2 up to 1/4, of alternating signs, Q62."
            text += table("uint64_t", f"{name}_{degree}", coefficients, about)
    return text


def sine_part(u: mpf) -> mpf:
    f = mpmath.sqrt(u)
    return mpmath.sin(mpmath.pi / 2 * f) / f if f else mpmath.pi / 2


def cosine_part(u: mpf) -> mpf:
    return mpmath.cos(mpmath.pi / 2 * mpmath.sqrt(u))


# -- arctangents --------------------------------------------------------------------------------


def atan_body() -> str:
    """What is left of a ratio is below 2^-5.9."""
    text = define("HALF_PI", near(mpmath.pi / 2, 64), "Q64")
    text += define("WHOLE_PI", near(mpmath.pi, 64), "Q64") + "\n"
    for degree in (4, 2):
        series = fit(atan_part, (mpf(0), mpf(2) ** -11.8), degree - 1)
        about = "(1 - atan(z) / z) / z^2 by z^2 up to 2^-11.8, of alternating signs, Q64."
        coefficients = [near(abs(c), 64) for c in series]
        text += table("uint64_t", f"ATAN_SERIES_{degree}", coefficients, about)
    known = [near(mpmath.atan(mpf(i) / 32), 64) for i in range(33)]
    return text + table("uint64_t", "ATAN_5", known, "atan(i / 32), Q64.")


def atan_part(v: mpf) -> mpf:
    z = mpmath.sqrt(v)
    return (1 - mpmath.atan(z) / z) / v if z else mpf(1) / 3


if __name__ == "__main__":
    main()
