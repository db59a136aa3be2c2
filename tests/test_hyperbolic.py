# SPDX-License-Identifier: Apache-2.0
"""Hyperbolic functions and what is near 1: within the bounds that `library/open/hyperbolic.c`
states, beside mpmath, and what is special beside the host's."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from pathlib import Path
from random import Random

import mpmath
import pytest
from tandem.frontend.clang import run_clang

LIBRARY = Path(__file__).parents[1] / "library"
DOUBLE_ULP, FLOAT_ULP = 3.0, 0.51
POINTS = 3000
EXACT: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    name: getattr(mpmath, name)
    for name in ("expm1", "log1p", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
}
SPECIAL = (0.0, math.inf, math.nan, 1.0, 2.0, 5e-324, 1e-310, 1e308, 710.4, 711.0, 745.2, 0.5)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The functions with those that they are made of, as the host runs them."""
    out = tmp_path_factory.mktemp("hyperbolic") / "ours.so"
    files = [LIBRARY / "open" / "hyperbolic.c", *(LIBRARY / "libm").glob("*.c")]
    run_clang(["-O1", "-w", "-fPIC", "-shared", "-fno-builtin", *files, "-o", out, "-lm"])
    return ctypes.CDLL(str(out), mode=ctypes.RTLD_LOCAL | 8)  # what is in it comes first


def function_of(library: ctypes.CDLL, name: str) -> Callable[[float], float]:
    number = ctypes.c_float if name.endswith("f") else ctypes.c_double
    found = library[name]
    found.restype, found.argtypes = number, [number]
    return found


def arguments(name: str, count: int) -> list[float]:
    """Numbers that a function takes, near its zero, in its middle and where it ends."""
    random = Random(name)
    found = []
    while len(found) < count:
        size = random.choice(
            [
                lambda: 2.0 ** random.uniform(-60, 0),
                lambda: random.uniform(0, 3),
                lambda: random.uniform(0, 700),
                lambda: 2.0 ** random.uniform(0, 100),
            ]
        )()
        x = size * random.choice((1, -1))
        if name == "acosh":
            x = 1 + abs(x)
        elif name == "log1p":
            x = x if x > -1 else -random.random()
        elif name == "atanh":
            x = math.fmod(x, 1)
        if abs(x) < 709 or name not in ("expm1", "sinh", "cosh"):
            found.append(x)
    return found


@pytest.mark.parametrize("name", EXACT)
def test_a_double_is_as_near_as_stated(ours: ctypes.CDLL, name: str) -> None:
    function = function_of(ours, name)
    with mpmath.workprec(200):
        for x in arguments(name, POINTS):
            exact = EXACT[name](mpmath.mpf(x))
            assert abs(function(x) - exact) <= DOUBLE_ULP * math.ulp(float(exact)), x


@pytest.mark.parametrize("name", EXACT)
def test_a_float_is_as_near_as_stated(ours: ctypes.CDLL, name: str) -> None:
    function = function_of(ours, f"{name}f")
    with mpmath.workprec(200):
        for number in arguments(name, POINTS):
            x = ctypes.c_float(number).value
            exact = EXACT[name](mpmath.mpf(x)) if name != "acosh" or x >= 1 else mpmath.nan
            if not mpmath.isfinite(exact) or not 2.0**-126 <= abs(exact) < 2.0**127:
                continue
            ulp = 2.0 ** (math.frexp(float(exact))[1] - 24)
            assert abs(function(x) - exact) <= FLOAT_ULP * ulp, x


@pytest.mark.parametrize("name", EXACT)
def test_what_is_special_is_what_the_host_says(ours: ctypes.CDLL, name: str) -> None:
    host = ctypes.CDLL("libm.so.6")
    for suffix in ("", "f"):
        left, right = (function_of(library, name + suffix) for library in (ours, host))
        for x in (sign * x for x in SPECIAL for sign in (1, -1)):
            a, b = left(x), right(x)
            same = math.isnan(a) and math.isnan(b)
            assert same or math.copysign(1, a) == math.copysign(1, b), (name, x, a, b)
            assert same or a == b or math.isclose(a, b, rel_tol=1e-6 if suffix else 1e-15), x
