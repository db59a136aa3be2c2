# SPDX-License-Identifier: Apache-2.0
"""Random C functions over arrays of `double` and `float`: every operation there is hardware for, in
loops that hand numbers on and under conditions. What C leaves undefined they do not do: numbers are
clipped before they become integers."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from random import Random

LONGEST = 16
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.1, 1e-310, -3e-320, 1e308, 3.4e38, 1e-40)
INFINITE = (float("inf"), float("-inf"), float("nan"))
HEAD = """#include <stdint.h>
static int64_t whole(double x)
{
    return x > -1e15 && x < 1e15 ? (int64_t)x : 7;
}
static uint32_t word(float x)
{
    return x >= 0 && x < 4e9f ? (uint32_t)x : 9;
}
"""


@dataclass
class FloatProgram:
    """C of `top(const double *a, const float *b, double *x, float *y, int64_t *z, uint32_t n)`."""

    text: str

    def values(self, random: Random, count: int) -> dict[str, int | bytes]:
        """Data for one call."""

        def number(limit: float) -> float:
            way = random.random()
            if way < 0.15:
                return random.choice(INFINITE)
            if way < 0.4:
                return random.choice([s for s in SPECIAL if abs(s) <= limit])
            return random.choice([random.gauss(0, 3), float(random.randrange(-9, 9))])

        doubles = [number(1e309) for _ in range(LONGEST)]
        floats = [number(3.4e38) for _ in range(LONGEST)]
        return {
            "a": struct.pack(f"<{LONGEST}d", *doubles),
            "b": struct.pack(f"<{LONGEST}f", *floats),
            "x": bytes(8 * LONGEST),
            "y": bytes(4 * LONGEST),
            "z": bytes(8 * LONGEST),
            "n": count,
        }


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random

    def double(self, depth: int) -> str:
        random = self.random
        if depth <= 0:
            return random.choice(["a[i]", "s", "t", "(double)b[i]", "0.1", "-2.5", "1e-300", "i"])
        one, two = (self.double(depth - random.randint(1, 2)) for _ in range(2))
        return random.choice(
            [
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * {two})",
                f"({one} / {two})",
                f"__builtin_sqrt({one})",
                f"__builtin_fma({one}, {two}, s)",
                f"({one} {random.choice(['<', '<=', '==', '!='])} {two} ? {one} : t)",
                f"__builtin_fabs({one})",
                f"__builtin_{random.choice(['floor', 'ceil', 'trunc', 'rint'])}({one})",
                f"-({one})",
                f"(double)whole({one})",
                f"(double)({self.float(depth - 1)})",
            ]
        )

    def float(self, depth: int) -> str:
        random = self.random
        if depth <= 0:
            return random.choice(["b[i]", "f", "(float)a[i]", "0.3f", "-7.0f"])
        one, two = (self.float(depth - random.randint(1, 2)) for _ in range(2))
        return random.choice(
            [
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * {two})",
                f"({one} / {two})",
                f"__builtin_sqrtf({one})",
                f"__builtin_fmaf({one}, {two}, f)",
                f"({one} {random.choice(['<', '>=', '=='])} {two} ? {one} : f)",
                f"(float)word({one})",
                f"(float)({self.double(depth - 1)})",
            ]
        )

    def step(self) -> str:
        random = self.random
        return random.choice(
            [
                lambda: f"s = {self.double(3)};",
                lambda: f"t = {self.double(2)};",
                lambda: f"f = {self.float(3)};",
                lambda: f"x[i] = {self.double(3)};",
                lambda: f"y[i] = {self.float(3)};",
                lambda: f"z[i] = whole({self.double(2)}) + word({self.float(1)});",
                lambda: f"if ({self.double(1)} < {self.double(1)}) s = {self.double(2)};",
            ]
        )()

    def text(self) -> str:
        steps = [f"        {self.step()}\n" for _ in range(self.random.randint(2, 5))]
        extents = "".join(
            f"#pragma tandem extent({name}, {size * LONGEST})\n"
            for name, size in zip("abxyz", (8, 4, 8, 4, 8), strict=True)
        )
        return (
            f"{HEAD}{extents}double top(const double *a, const float *b, double *x, float *y, "
            "int64_t *z, uint32_t n)\n{\n    double s = 1, t = 0.5;\n    float f = 2;\n"
            f"    for (uint32_t i = 0; i < n; i++) {{\n{''.join(steps)}    }}\n"
            "    return s + t + f;\n}\n"
        )


def generate(seed: int) -> FloatProgram:
    """The function of a seed."""
    return FloatProgram(_Maker(Random(seed)).text())
