# SPDX-License-Identifier: Apache-2.0
"""Random nests of counted loops with sums that wait for themselves: some whose outer iterations
have nothing to do with each other, and some that only look like it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from random import Random


@dataclass
class NestProgram:
    """C of `top(const double *a, const int32_t *b, double *x, int32_t *y)`, with `size` elements
    in each array."""

    text: str
    size: int

    def values(self, random: Random) -> dict[str, int | bytes]:
        """Data for one call."""

        def numbers() -> bytes:
            return struct.pack(f"<{self.size}d", *(random.gauss(0, 1) for _ in range(self.size)))

        return {
            "a": numbers(),
            "b": random.randbytes(4 * self.size),
            "x": numbers(),
            "y": random.randbytes(4 * self.size),
        }


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.outer = random.choice([2, 3, 4, 6, 8, 12, 16, 20, 24])
        self.inner = random.choice([3, 9, 40, 70, 100])
        self.is_apart = random.random() < 0.7
        """Whether no outer iteration reaches what another one stores."""
        self.shift = random.choice([0, 0, 1, self.inner])
        """By how much the rows of outer iterations move from one `g` to the next."""
        self.size = 2 * self.outer * self.inner + 2 * self.outer + self.inner + 8

    def own(self, *, inside: bool) -> str:
        """An index that belongs to the outer iteration, if that is asked for."""
        if not self.is_apart:
            return self.place(inside=inside)
        return f"i * {self.inner} + g * {self.shift}{' + k' * inside}"

    def place(self, *, inside: bool) -> str:
        """An index; inside the inner loop it may have `k`."""
        places = ["i", "i", "i + 3", f"{self.outer - 1} - i", "2 * i", "i & 3", "g + i"]
        if inside:
            row, column = f"i * {self.inner} + k", f"k * {self.outer} + i"
            places += [row, row, column, column, "k", "i + k", f"{row} + 1"]
            places += [f"i * {self.inner} + {self.inner - 1} - k", f"i * {2 * self.inner} + k"]
        return self.random.choice(places)

    def number(self, *, inside: bool) -> str:
        place, random = self.place(inside=inside), self.random
        found = [f"a[{place}]", f"a[{place}]", "w", "0.5", "i", f"b[{place}]"]
        found.append(f"x[{self.own(inside=inside)}]")
        return random.choice(found + (["s", "k"] if inside else []))

    def step(self) -> str:
        """What an inner iteration does."""
        random, number = self.random, self.number
        one, two = number(inside=True), number(inside=True)
        return random.choice(
            [
                f"s += {one} * {two};",
                f"s = s * 0.5 + {one};",
                f"s = {one} < s ? {one} : s - {two};",
                f"if ({one} > 0) s -= {two};",
                f"t = t * 5 + b[{self.place(inside=True)}];",
                f"t ^= b[{self.place(inside=True)}] >> (k & 7);",
                f"t += y[{self.own(inside=True)}];",
                f"x[{self.own(inside=True)}] = s + {one};",
                f"x[{self.own(inside=True)}] += {one};",
                f"y[{self.own(inside=True)}] = t;",
            ]
        )

    def text(self) -> str:
        random = self.random
        steps = [self.step() for _ in range(random.randint(1, 3))]
        before = random.choice(["", "", f"y[{self.own(inside=False)}] = t;"])
        start = random.choice(["0", "w", f"a[{self.place(inside=False)}]"])
        after = [f"x[{self.own(inside=False)}] = s;", f"y[{self.own(inside=False)}] ^= t;"]
        random.shuffle(after)
        carried = random.choice(["", "", "", "", "", "w += s;"])
        lines = [
            "#include <stdint.h>",
            *(f"#pragma tandem extent({name}, {self.size * size})" for name, size in SIZES.items()),
            "void top(const double *a, const int32_t *b, double *x, int32_t *y)",
            "{",
            "double w = a[0];",
            f"for (int g = 0; g < {random.randint(1, 3)}; g++)",
            f"for (int i = 0; i < {self.outer}; i++) {{",
            f"double s = {start};",
            "int32_t t = i;",
            before,
            f"for (int k = 0; k < {self.inner}; k++) {{",
            *steps,
            "}",
            *after[: random.randint(1, 2)],
            carried,
            "}",
            "}",
        ]
        return "\n".join(filter(None, lines)) + "\n"


SIZES = {"a": 8, "b": 4, "x": 8, "y": 4}
"""Bytes of an element of each array."""


def generate(seed: int) -> NestProgram:
    """The program of a seed."""
    maker = _Maker(Random(seed))
    return NestProgram(maker.text(), maker.size)
