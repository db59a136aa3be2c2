# SPDX-License-Identifier: Apache-2.0
"""The functions of math.h in `library/libm`: their stated bounds, special values, hard cases, and
hardware made of them."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import re
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import mpmath
import numpy as np
import pytest
from agreement import Build, build, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.clang import run_clang
from tandem.frontend.libraries import mathematical_functions
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

ROOT = Path(__file__).parents[1]
LIBM = ROOT / "library" / "libm"
ROWS = re.findall(
    r"^(ONE|TWO)\((\w+), ([\d.]+), ([\d.]+),",
    (ROOT / "tests" / "libm" / "functions.def").read_text(),
    re.M,
)
"""Number of arguments, name, and the bounds of double and float."""
BOUNDS = {name: float(bound) for _, name, bound, _ in ROWS}
TWO = {name for arguments, name, _, _ in ROWS if arguments == "TWO"}
POINTS = 200_000
CLOCK_PS = 10_000


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All functions, as the host runs them."""
    out = tmp_path_factory.mktemp("libm") / "ours.so"
    run_clang(["-O1", "-w", "-fPIC", "-shared", "-fno-builtin", *LIBM.glob("*.c"), "-o", out])
    return ctypes.CDLL(str(out))


def ours(library: ctypes.CDLL, name: str) -> Callable[..., float]:
    function = library[name]
    function.argtypes = [ctypes.c_double] * (1 + (name in TWO))
    function.restype = ctypes.c_double
    return function


def test_every_function_keeps_its_bound(tmp_path: Path) -> None:
    program = tmp_path / "accuracy"
    run_clang(["-O2", "-w", ROOT / "tests" / "libm" / "accuracy.c", "-o", program, "-lm"])
    done = subprocess.run([program, str(POINTS)], capture_output=True, text=True)
    measured = [line.split()[0] for line in done.stdout.splitlines()]
    assert sorted(measured) == sorted(mathematical_functions())
    assert done.returncode == 0, done.stdout


def test_the_comments_state_the_bounds() -> None:
    text = "".join(path.read_text() for path in sorted(LIBM.glob("*.c")))
    stated = re.findall(r"within ([\d.]+) ulp(?:; of float, ([\d.]+))?\..*?\ndouble (\w+)\(", text)
    found = [(name, bound, of_float or bound) for bound, of_float, name in stated]
    assert sorted(found) == sorted(row[1:] for row in ROWS)


def test_the_tables_are_those_that_their_maker_makes() -> None:
    spec = importlib.util.spec_from_file_location("make_tables", LIBM / "make_tables.py")
    assert spec and spec.loader
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    for name, text in maker.headers().items():
        assert (LIBM / name).read_text() == text, name


# -- beside mpmath ------------------------------------------------------------------------------

EXACT: dict[str, Callable[..., mpmath.mpf]] = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": mpmath.log10,
    "pow": mpmath.power,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "hypot": mpmath.hypot,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "fmod": lambda x, y: math.fmod(x, y),
    "atan2": mpmath.atan2,
    "atan": mpmath.atan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
}


def error_ulp(found: float, exact: mpmath.mpf) -> float:
    ulp = mpmath.mpf(math.ulp(float(exact)))
    return float(abs(mpmath.mpf(found) - exact) / ulp)


def arguments(name: str, random: Random) -> list[float]:
    """Where the function is finite."""
    sign = random.choice((-1, 1))
    size = math.ldexp(random.random() + 1, random.randrange(-60, 9))
    match name:
        case "log" | "log2" | "log10":
            return [math.ldexp(random.random() + 1, random.randrange(-1022, 1023))]
        case "asin" | "acos":
            return [sign * random.random()]
        case "sin" | "cos" | "tan":
            return [sign * math.ldexp(random.random() + 1, random.randrange(-60, 1023))]
        case "pow":
            return [random.uniform(0.1, 9), random.uniform(-300, 300)]
        case _:
            return [sign * size, random.uniform(-9, 9)][: 1 + (name in TWO)]


@pytest.mark.parametrize("name", EXACT)
def test_beside_mpmath(library: ctypes.CDLL, name: str) -> None:
    random, function = Random(name), ours(library, name)
    with mpmath.workprec(1400):
        for _ in range(300):
            given = arguments(name, random)
            exact = EXACT[name](*map(mpmath.mpf, given))
            assert error_ulp(function(*given), exact) <= BOUNDS[name], given


HARD = [
    # The hardest to round of each: V. Lefevre and J.-M. Muller, Worst Cases for Correct Rounding
    # of the Elementary Functions in Double Precision (2001).
    ("exp", "0x1.9e9cbbfd6080bp-31"),
    ("log", "0x1.98a04e0833091p-755"),
    # The number nearest to a multiple of pi / 2: J.-M. Muller, Elementary Functions, section 11.
    ("sin", "0x1.6ac5b262ca1ffp+849"),
    ("cos", "0x1.6ac5b262ca1ffp+849"),
    ("tan", "0x1.6ac5b262ca1ffp+849"),
    ("sin", "0x1.921fb54442d18p+1"),
    ("cos", "0x1.fffffffffffffp+1023"),
]


@pytest.mark.parametrize(("name", "given"), HARD)
def test_hard_cases(library: ctypes.CDLL, name: str, given: str) -> None:
    with mpmath.workprec(1400):
        x = float.fromhex(given)
        assert error_ulp(ours(library, name)(x), EXACT[name](mpmath.mpf(x))) <= BOUNDS[name]


def test_exact_results(library: ctypes.CDLL) -> None:
    assert [ours(library, "exp2")(n) for n in range(-1074, 1024)] == [
        math.ldexp(1, n) for n in range(-1074, 1024)
    ]
    assert [ours(library, "log2")(math.ldexp(1, n)) for n in range(-1074, 1024)] == list(
        range(-1074, 1024)
    )
    assert [ours(library, "log10")(float(10**n)) for n in range(23)] == list(range(23))
    assert all(ours(library, "pow")(n, k) == n**k for n in range(-20, 21) for k in range(1, 12))
    assert all(ours(library, "cbrt")(n**3) == n for n in range(-99, 100))
    assert ours(library, "hypot")(3e300, 4e300) == 5e300


def test_remainders_of_any_size(library: ctypes.CDLL) -> None:
    random, function = Random(1), ours(library, "fmod")
    for _ in range(300):
        x, y = (math.ldexp(random.random(), random.randrange(-1070, 1024)) for _ in "xy")
        if y:
            assert Fraction(function(x, y)) == Fraction(x) % Fraction(y)


# -- hardware -----------------------------------------------------------------------------------

VALUES = [0.0, -0.0, 1.0, 0.75, -3.5, 700.25, 5e-324, -1e-300, 1e22, np.inf, -np.inf, np.nan]


def source(folder: Path, name: str) -> Path:
    """A loop of calls."""
    kind = "float" if name.endswith("f") else "double"
    given = "in[i], by[i]" if name.removesuffix("f") in TWO | {"fmod"} else "in[i]"
    path = folder / "f.c"
    path.write_text(
        f"""#include <math.h>
        void f(const {kind} *in, const {kind} *by, {kind} *out, int n) {{
            for (int i = 0; i < n; i++) out[i] = {name}({given});
        }}"""
    )
    return path


def check_values(built: Build, name: str) -> None:
    kind = np.float32 if name.endswith("f") else np.float64
    with np.errstate(over="ignore", under="ignore"):
        given = np.array(VALUES).astype(kind)
    by = np.roll(given, 5)
    check(
        built,
        {
            "in": given.tobytes(),
            "by": by.tobytes(),
            "out": bytes(given.nbytes),
            "n": len(VALUES),
        },
    )


@pytest.mark.parametrize("name", ["exp", "expf", "logf", "powf", "sin", "fmodf"])
def test_hardware_has_the_values_of_the_c(tmp_path: Path, target: Target, name: str) -> None:
    check_values(build(source(tmp_path, name), "f", target, CLOCK_PS, tmp_path), name)


@pytest.mark.parametrize("name", ["exp", "log", "cbrtf"])
def test_a_loop_of_calls_takes_a_value_a_cycle(tmp_path: Path, target: Target, name: str) -> None:
    program = Program.of(source(tmp_path, name))
    assert compile_kernel(program, "f", target, CLOCK_PS).schedule.ii == 1
