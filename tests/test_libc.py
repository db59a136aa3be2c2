# SPDX-License-Identifier: Apache-2.0
"""What of the C library has one right result, beside the host's, and complex numbers beside exact
ones."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from tandem.frontend.clang import run_clang

LIBRARY = Path(__file__).parents[1] / "library"
KINDS = [
    *("upper", "lower", "alpha", "digit", "xdigit", "space"),
    *("print", "graph", "blank", "cntrl", "punct", "alnum"),
]
SPECIAL = [
    0.0,
    math.inf,
    math.nan,
    5e-324,
    2.2250738585072014e-308,
    1.0,
    1.5,
    1.7976931348623157e308,
]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All functions of two folders, as the host runs them."""
    out = tmp_path_factory.mktemp("libc") / "ours.so"
    files = [*(LIBRARY / "libc").glob("*.c"), *(LIBRARY / "open").glob("*.c")]
    run_clang(["-O1", "-w", "-fPIC", "-shared", "-fno-builtin", *files, "-o", out, "-lm"])
    return ctypes.CDLL(str(out), mode=ctypes.RTLD_LOCAL | 8)  # what is in it comes first


@pytest.fixture(scope="module")
def host() -> ctypes.CDLL:
    return ctypes.CDLL("libm.so.6")


# -- characters ---------------------------------------------------------------------------------


def test_characters_are_what_the_host_says(ours: ctypes.CDLL) -> None:
    libc = ctypes.CDLL("libc.so.6")
    for name in [*(f"is{kind}" for kind in KINDS), "tolower", "toupper"]:
        for c in range(-128, 256):
            assert ours[name](c) == libc[name](c), (name, c)


@pytest.mark.parametrize("name", ["__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"])
def test_tables_of_characters_are_the_hosts(ours: ctypes.CDLL, name: str) -> None:
    entry = ctypes.c_uint16 if name == "__ctype_b_loc" else ctypes.c_int32
    tables = []
    for library in (ours, ctypes.CDLL("libc.so.6")):
        function = library[name]
        function.restype = ctypes.POINTER(ctypes.POINTER(entry))
        table = function()[0]
        tables.append([table[c] for c in range(-128, 256)])
    assert tables[0] == tables[1]


# -- numbers taken apart ------------------------------------------------------------------------


def numbers(is_float: bool) -> list[float]:
    random = Random(1)
    form, width = ("<f", 32) if is_float else ("<d", 64)
    patterns = (random.getrandbits(width).to_bytes(width // 8, "little") for _ in range(4000))
    found = [struct.unpack(form, pattern)[0] for pattern in patterns]
    near_zero = [
        struct.unpack(form, (1 << n).to_bytes(width // 8, "little"))[0] for n in range(width - 12)
    ]
    return [sign * x for x in [*found, *SPECIAL, *near_zero] for sign in (1, -1)]


def pattern(x: float) -> bytes:
    return b"nan" if math.isnan(x) else struct.pack("<d", x)


def both(
    name: str, libraries: tuple[ctypes.CDLL, ctypes.CDLL], result: type, arguments: list[type]
) -> list[Callable[..., float]]:
    found = []
    for library in libraries:
        function = library[name]
        function.restype, function.argtypes = result, arguments
        found.append(function)
    return found


@pytest.mark.parametrize("is_float", [False, True])
def test_numbers_are_taken_apart_as_the_host_does(
    ours: ctypes.CDLL, host: ctypes.CDLL, is_float: bool
) -> None:
    number = ctypes.c_float if is_float else ctypes.c_double
    suffix, pair, random = "f" if is_float else "", (ours, host), Random(2)
    for name, kind in (("frexp", ctypes.c_int), ("modf", number)):
        functions = both(name + suffix, pair, number, [number, ctypes.POINTER(kind)])
        for x in numbers(is_float):
            found = []
            for function in functions:
                told = kind()
                found.append((pattern(function(x, told)), pattern(told.value)))
            assert found[0] == found[1] or (name == "frexp" and not math.isfinite(x)), (name, x)
    for name in ("ldexp", "scalbn", "scalbln"):
        kind = ctypes.c_long if name == "scalbln" else ctypes.c_int
        left, right = both(name + suffix, pair, number, [number, kind])
        for x in numbers(is_float):
            by = random.choice((random.randrange(-60, 60), random.randrange(-2200, 2200), 1 << 30))
            assert pattern(left(x, by)) == pattern(right(x, by)), (name, x, by)
    for name, result in (("ilogb", ctypes.c_int), ("logb", number)):
        left, right = both(name + suffix, pair, result, [number])
        for x in numbers(is_float):
            assert pattern(left(x)) == pattern(right(x)), (name, x)
    for name in ("fdim", "nextafter"):
        left, right = both(name + suffix, pair, number, [number, number])
        for x in numbers(is_float):
            y = random.choice((random.uniform(-9, 9), random.choice(SPECIAL), x, -x))
            assert pattern(left(x, y)) == pattern(right(x, y)), (name, x, y)


# -- complex numbers ----------------------------------------------------------------------------


class Complex(ctypes.Structure):
    """A complex number by value, which the host's convention hands over as its two parts."""

    _fields_ = [("real", ctypes.c_double), ("imaginary", ctypes.c_double)]


def complex_function(library: ctypes.CDLL, name: str) -> Callable[..., complex]:
    function = library[name]
    function.restype, function.argtypes = Complex, [ctypes.c_double] * 4

    def call(z: complex, w: complex) -> complex:
        found = function(z.real, z.imag, w.real, w.imag)
        return complex(found.real, found.imaginary)

    return call


def error(found: complex, real: Fraction, imaginary: Fraction) -> float:
    """Beside the size of the exact number."""
    off = abs(Fraction(found.real) - real) + abs(Fraction(found.imag) - imaginary)
    return float(off / (abs(real) + abs(imaginary)))


def test_products_and_quotients_beside_exact_ones(ours: ctypes.CDLL) -> None:
    random = Random(3)
    product, quotient = (complex_function(ours, name) for name in ("__muldc3", "__divdc3"))
    for _ in range(3000):
        size = random.choice((0, 0, 300, -300, 500, -500))
        z, w = (
            complex(*(math.ldexp(random.uniform(-1, 1), size + random.randrange(9)) for _ in "12"))
            for _ in "12"
        )
        a, b, c, d = (Fraction(part) for part in (z.real, z.imag, w.real, w.imag))
        if abs(size) < 500:
            assert error(product(z, w), a * c - b * d, a * d + b * c) < 2**-50, (z, w)
        norm = c * c + d * d
        exact = (a * c + b * d) / norm, (b * c - a * d) / norm
        assert error(quotient(z, w), *exact) < 2**-50, (z, w)


def test_infinities_and_zeros(ours: ctypes.CDLL) -> None:
    """Annex G: an infinite factor makes an infinite product of all but zero and what is no number;
    what is finite over what is infinite is zero, and over zero infinite."""
    product, quotient = (complex_function(ours, name) for name in ("__muldc3", "__divdc3"))
    infinite = [complex(math.inf, math.nan), complex(1, -math.inf), complex(math.inf, math.inf)]
    for z in infinite:
        for w in (complex(2, 3), complex(-1, 0), *infinite):
            for found in (product(z, w), product(w, z)):
                assert math.isinf(found.real) or math.isinf(found.imag), (z, w)
        assert quotient(complex(2, -3), z) == 0
        found = quotient(z, complex(2, -3))
        assert math.isinf(found.real) or math.isinf(found.imag)
        assert math.isnan(product(z, 0j).real)
    assert math.isinf(quotient(1 + 1j, 0j).real)
    assert math.isnan(quotient(0j, 0j).real)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8, 12, 16])
def test_elements_of_any_size_are_sorted(ours: ctypes.CDLL, size: int) -> None:
    random = Random(size)
    order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def compared(a: int, b: int) -> int:
        left, right = (ctypes.string_at(place, size) for place in (a, b))
        return (left > right) - (left < right)

    for count in (0, 1, 2, 3, 7, 8, 31, 100):
        elements = [random.randbytes(size) for _ in range(count)]
        buffer = ctypes.create_string_buffer(b"".join(elements), count * size + 1)
        ours.qsort(buffer, ctypes.c_size_t(count), ctypes.c_size_t(size), order(compared))
        found = [buffer.raw[i * size : (i + 1) * size] for i in range(count)]
        assert found == sorted(elements)


def test_random_numbers_are_the_hosts(tmp_path: Path) -> None:
    """Without a seed, and behind seeds of all kinds."""
    out = tmp_path / "random.so"
    names = [f"-D{name}=our_{name}" for name in ("rand", "srand", "random", "srandom")]
    run_clang(["-O1", "-w", "-fPIC", "-shared", *names, LIBRARY / "whole" / "random.c", "-o", out])
    ours, libc = ctypes.CDLL(str(out)), ctypes.CDLL("libc.so.6")
    libc.srand(1)  # as it begins; others may have called it
    for seed in (None, 0, 1, 2, 42, 2**31 - 1, 2**31, 2**32 - 1):
        if seed is not None:
            ours.our_srand(ctypes.c_uint(seed))
            libc.srand(ctypes.c_uint(seed))
        assert [ours.our_rand() for _ in range(500)] == [libc.rand() for _ in range(500)], seed
