# SPDX-License-Identifier: Apache-2.0
"""bench/run.py's `exp` on a sample: what it measures is within half an ulp and a hundredth, and it
would see if it were not."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tandem.frontend.clang import NATIVE_FLAGS, run_clang
from tandem.frontend.libraries import mathematical_functions

BENCH = Path(__file__).parents[1] / "bench"
sys.path.append(str(BENCH))

from exponential import HARDEST, MOST_ULPS, SPECIAL, blocks, error, largest_error  # noqa: E402

POINTS = 60_000


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """e^x of an array, by the library's C."""
    out = tmp_path_factory.mktemp("exp") / "exp.so"
    run_clang([*NATIVE_FLAGS, "-shared", mathematical_functions()["exp"].path, "-o", out])
    function = ctypes.CDLL(str(out)).exp
    function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
    return lambda numbers: np.array([function(x) for x in numbers.tolist()])


def test_errors_of_a_sample(ours: Any) -> None:
    (numbers,) = blocks(POINTS)
    assert len(numbers) == POINTS and set(SPECIAL[5:]) <= set(numbers)
    worst = largest_error(numbers, ours(numbers))
    assert 0.5 < worst <= MOST_ULPS


def test_a_wrong_result_is_seen() -> None:
    """By one double, by a sign, an infinity or a NaN."""
    for x in (1.0, -745.0, 709.7, HARDEST):
        right = math.exp(x)
        assert largest_error(np.array([x]), np.array([right])) < 0.52
        wrong = np.nextafter(np.nextafter(right, math.inf), math.inf)
        assert 1.4 < largest_error(np.array([x]), np.array([wrong])) < 2.6
    for x, y in ((710.0, 1.7e308), (1.0, math.nan), (math.nan, 1.0), (-800.0, -0.0)):
        assert largest_error(np.array([x]), np.array([y])) == math.inf
    for x, y in ((710.0, math.inf), (math.inf, math.inf), (math.nan, math.nan)):
        assert largest_error(np.array([x]), np.array([y])) == 0
    assert largest_error(np.array([-math.inf]), np.array([0.0])) == 0


def test_the_hardest_number_is_next_to_the_middle() -> None:
    """Of two doubles: nearer than 2^-50 of their distance."""
    below = math.exp(HARDEST)
    above = np.nextafter(below, math.inf if error(HARDEST, below) <= 0.5 else 0)
    errors = sorted(error(HARDEST, y) for y in (below, float(above), float(np.nextafter(below, 0))))
    assert abs(errors[0] - 0.5) < 2**-40 or errors[0] < 2**-40


def test_no_power_of_a_fraction_is_2(tmp_path: Path) -> None:
    """That of the last fraction of each pair of table entries is from 1 to below 2."""
    main, program = tmp_path / "main.c", tmp_path / "main"
    main.write_text(
        f"""#include "{mathematical_functions()["exp"].path.with_name("exp2.h")}"
        int main(void) {{
            for (uint64_t entry = 0; entry < 1 << 13; entry++)
                if (power_of_fraction(F64, entry << 51 | low_bits(51)) >> 63 == 0 ||
                    power_of_fraction(F32, entry << 51 | low_bits(51)) >> 63 == 0)
                    return 1;
            return power_of_fraction(F64, 0) != 1ull << 63;
        }}"""
    )
    run_clang([*NATIVE_FLAGS, "-w", main, "-o", program])
    assert subprocess.run([program]).returncode == 0
