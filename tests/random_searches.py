# SPDX-License-Identifier: Apache-2.0
"""Random loops over what lies between two ends that come closer, as bisections do, and over ends
that only look so."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

SIZE = 64
ROUNDS = 12


@dataclass
class SearchProgram:
    """C of `top(const uint32_t *a, uint32_t *x, uint32_t from, uint32_t to)`, with `SIZE` elements
    in each array."""

    text: str

    def values(self, random: Random) -> dict[str, int | bytes]:
        """Data for one call."""
        data = {name: random.randbytes(4 * SIZE) for name in ("a", "x")}
        return {**data, "from": random.randrange(SIZE), "to": random.randrange(2 * SIZE)}


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.kind = random.choice(
            ["int", "int", "unsigned", "uint8_t", "int16_t", "long", "size_t"]
        )
        self.is_signed = self.kind in ("int", "int16_t", "long")
        self.is_tested_last = random.random() < 0.4
        """Whether the ends may be in any order when the loop begins."""

    def start(self) -> str:
        """The two ends at first: in order, or as the call says."""
        low, high = self.random.choice(
            [("0", "64"), ("0", "63"), ("0", "to"), ("from", "to"), ("from & 7", "8 + (to & 7)")]
        )
        return f"{self.kind} low = {low}, high = {high};"

    def goes_on(self) -> str:
        tests = ["low < high", "low < high", "low <= high", "high > low", "!(low >= high)"]
        tests += ["low != high", "low + 1 < high"]
        return self.random.choice(tests)

    def opened(self) -> list[str]:
        """The head of the loop."""
        if self.is_tested_last:
            return ["do {"]
        return [f"while ({self.goes_on()}) {{", f"if (e++ >= {ROUNDS}) break;"]

    def middle(self) -> str:
        ways = ["low + (high - low) / 2", "low + ((high - low) >> 1)", "(high - low) / 2 + low"]
        ways += ["(low + high) / 2", "low + (high - low) / 4", "high - (high - low) / 2"]
        ways += [
            "low + (high - low) / 3",
            "low",
            "low + (high - low)",
            "low + (high - low + 1) / 2",
        ]
        return self.random.choice(ways)

    def turn(self) -> str:
        """What becomes of the ends; now and then they pass each other."""
        random = self.random
        up = random.choice(["low = middle + 1", "low = middle + 1", "low = middle", "low++"])
        lows = ["high = middle", "high = middle - 1", "high--", "high = middle"]
        if not self.is_signed:
            lows = ["high = middle", "high = middle ? middle - 1 : 0"]
        down = random.choice(lows)
        test = random.choice(
            ["a[middle & 63] < wanted", "a[middle & 63] & 1", "(x[low & 63] & 3) == 1"]
        )
        extra = random.choice(
            ["", "", "", "if (a[e] & 16) { high = low; }", "if (e == 5) low = 0;"]
        )
        swap = random.choice(["", "", "", f"{self.kind} t = low; low = high & 63; high = t;"])
        return f"if ({test}) {{ {up}; }} else {{ {down}; {swap} }} {extra}"

    def text(self) -> str:
        random = self.random
        seen = random.choice(
            [
                "s += middle;",
                "s = s * 5 + (uint32_t)(high - low);",
                "x[middle & 63] += e;",
                "s ^= a[(high - low) & 63];",
                "s += (high - low) / 2;",
            ]
        )
        lines = [
            "#include <stdint.h>",
            "#include <stddef.h>",
            *(f"#pragma tandem extent({name}, {4 * SIZE})" for name in ("a", "x")),
            "uint32_t top(const uint32_t *a, uint32_t *x, uint32_t from, uint32_t to)",
            "{",
            "uint32_t s = 1;",
            "for (int i = 0; i < 4; i++) {",
            "uint32_t wanted = x[i * 9]; int e = 0;",
            self.start(),
            *self.opened(),
            f"{self.kind} middle = {self.middle()};",
            seen,
            self.turn(),
            f"}} while (e++ < {ROUNDS} && {self.goes_on()});" if self.is_tested_last else "}",
            "s = s * 3 + (uint32_t)low + 7 * (uint32_t)high + e;",
            "}",
            "return s;",
            "}",
        ]
        return "\n".join(lines) + "\n"


def generate(seed: int) -> SearchProgram:
    """The program of a seed."""
    return SearchProgram(_Maker(Random(seed)).text())
