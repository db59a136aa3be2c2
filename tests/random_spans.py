# SPDX-License-Identifier: Apache-2.0
"""Random loops that step by a number of the loop around them, which doubles, halves or counts: what
butterflies of transforms and steps of sorting networks are made of, and what only looks like it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

GUARD = 3
"""How many times as long as its loops' bound an array is: no index reaches further."""

FEW = ("h", "2 * h", "h + 1")
"""Steps that stay within twice the bound where there are as many as would fill it with spans."""


@dataclass
class SpanProgram:
    """C of `top(const uint32_t *a, uint32_t *x, uint32_t h)`, with `size` elements in each
    array."""

    text: str
    size: int

    def values(self, random: Random) -> dict[str, int | bytes]:
        """Data for one call."""
        data = {name: random.randbytes(4 * self.size) for name in ("a", "x")}
        return {**data, "given": random.choice([1, 1, 2, 3, 4, 5, 8, self.size // 8])}


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = random.choice([8, 16, 16, 32, 64, 24])
        self.size = (GUARD + 1) * self.count + 16
        self.is_masked = random.random() < 0.3
        """Whether indices come round, at a power of two."""
        self.is_absolute = random.random() < 0.4
        """Whether the members of a group count on from it, and not from 0."""

    def spans(self) -> str:
        """The loop of `h`, which is never 0."""
        n, random = self.count, self.random
        return random.choice(
            [
                f"for (unsigned h = 1; h < {n}; h <<= 1)",
                f"for (unsigned h = 1; h < {n}; h *= 2)",
                f"for (unsigned h = 1; h <= {n}; h = h + h)",
                f"for (unsigned h = {n} / 2; h; h >>= 1)",
                f"for (unsigned h = {n} / 2; h > 1; h /= 2)",
                f"for (unsigned h = 1; h < {n}; h += {random.choice([1, 2, 3, 5])})",
                f"for (unsigned h = {random.choice([2, 3, 5])}; h < {n}; h = 2 * h - 1)",
                f"for (unsigned h = given, e = 0; e < 3 && h < {n}; e++, h <<= 1)",
                "for (unsigned h = given, e = 0; e < 2; e++)",
            ]
        )

    def groups(self) -> str:
        """The loop of `g`, which never stands still."""
        n, random = self.count, self.random
        start = random.choice(["0", "0", "0", "1", "h", "h - 1", "given"])
        if self.is_absolute and random.random() < 0.5:
            further = random.choice(["h", "h", "h", "1", "h + 1"])
            return f"for (unsigned g = {start}, j = 0; g < {n}; g = j + {further})"
        step = random.choice(["2 * h", "2 * h", "h << 1", "h", "3 * h", "h + 1", "4 * h", "h * h"])
        few = random.choice(FEW)
        return random.choice(
            [
                *[f"for (unsigned g = {start}; g < {n}; g += {step})"] * 4,
                f"for (unsigned g = 0; g < {n}; g = (g | h) + 1)",
                f"for (unsigned g = h; g < {n}; g = (g + 1) | h)",
                f"for (unsigned g = 0; g < {n}; g++)",
                f"for (unsigned g = {start}; g + h < {n}; g += {step})",
                f"for (unsigned e = 0, g = {start}; e < {n} / (h + 1); e++, g += {few})",
            ]
        )

    def members(self, groups: str) -> str:
        """The loop of `j` in one of `groups`, if there is one."""
        if self.is_absolute:
            return self.absolute_members(groups)
        bound = self.random.choice(["h", "h", "h", "4", "(h + 1) / 2"])
        start = self.random.choice(["0", "0", "1"])
        if self.random.random() < 0.4:
            return "unsigned j = 0; (void)j;"
        return f"for (unsigned j = {start}; j < {bound} && g + j < {self.count}; j++)"

    def absolute_members(self, groups: str) -> str:
        """A loop of `j` that counts from `g` on, which is at least once."""
        own = "" if ", j = 0" in groups else self.random.choice(["unsigned ", "size_t "])
        count = self.random.choice(["(h + 1) / 2", "4", "h + 1"])
        return self.random.choice(
            [
                *[f"for ({own}j = g; j < g + h; j++)"] * 3,
                f"for ({own}j = g; j != g + h; ++j)",
                f"for ({own}j = g; j <= g + h - 1; j++)",
                f"for ({own}j = g; j < g + {count}; j++)",
                f"for ({own}j = g; j < g + 2 * h; j += 2)",
            ]
        )

    def place(self) -> str:
        """An index below three times the bound: g and j are below it, h no more than it."""
        n = self.count
        places = ["g + j", "g + j + h", "g + j + h", "g", "g + h", "(g + j) | h", "(g + j) ^ h"]
        places += ["(g + j) & ~h", "g + 1", "j", "j + h", "h", f"{n} + g + j", "g + h + 1"]
        places += ["2 * j", "g + j + 1", "g | h", "g ^ h", f"({n} - 1) & (g + j + h)"]
        if self.is_absolute:
            places = [*["j", "j + h"] * 3, "j + h - 1", "j + 1", "g", "g + h", "j + (h + 1) / 2"]
            places += ["j + 2 * h", "2 * g + 2 * h + 4 - j", "j ^ 1", "j - g + h"]
            places += [f"({n} - 1) & (j + h)"]
        found = self.random.choice(places)
        if not self.is_masked:
            return found
        turned = self.random.choice(
            [f"{found} - h", f"2 * ({found})", f"3 * h - j + {found}", found]
        )
        return f"({turned}) & {self.random.choice([n - 1 if n != 24 else 15, 31, 15])}"

    def step(self) -> str:
        """What an innermost iteration does."""
        random = self.random
        one, two = self.place(), self.place()
        place = self.place
        return random.choice(
            [
                f"x[{one}] += x[{two}] * 3;",
                f"{{ uint32_t t = x[{one}], u = x[{two}]; x[{one}] = t + u; x[{two}] = t - u; }}",
                f"{{ uint32_t t = x[{one}], u = x[{two}]; x[{one}] = t ^ u; x[{two}] = t * 5; }}",
                f"if (x[{one}] > x[{two}]) {{ uint32_t t = x[{one}]; x[{one}] = x[{two}];"
                f" x[{two}] = t; }}",
                f"x[{one}] = a[{two}] + x[{place()}];",
                f"if (g & h) x[{one}] ^= a[{two}]; else x[{two}] += 7;",
                f"if (!(g & h)) x[{one}] -= x[{two}];",
                self.pair(),
                f"s += x[{one}]; x[{two}] ^= s;",
                f"s = s * 3 + x[{one}];",
                f"x[{one}] = s + h;",
            ]
        )

    def pair(self) -> str:
        """What is done with a number and its partner, of which bits are turned over: those of `h`,
        which is often one."""
        random = self.random
        mask = random.choice(["h", "h", "h", "1u << s % 3", "2 * h & 31", "h & 5"])
        test = random.choice(["p > g", "g < p", "p >= g", "p < g", "!(g & m)", "(int)p > (int)g"])
        done = random.choice(
            [
                "if (x[g] > x[p]) { uint32_t t = x[g]; x[g] = x[p]; x[p] = t; }",
                "x[g] += x[p]; x[p] ^= s;",
                "x[p] = x[g] - x[p];",
                "s += x[p]; x[g] = s;",
            ]
        )
        return f"{{ unsigned m = {mask}, p = g ^ m; if ({test}) {{ {done} }} }}"

    def text(self) -> str:
        random = self.random
        steps = [self.step() for _ in range(random.choice([1, 1, 1, 2, 2, 3]))]
        groups = self.groups()
        lines = [
            "#include <stddef.h>",
            "#include <stdint.h>",
            *(f"#pragma tandem extent({name}, {4 * self.size})" for name in ("a", "x")),
            "uint32_t top(const uint32_t *a, uint32_t *x, uint32_t given)",
            "{",
            "uint32_t s = 1;",
            f"{self.spans()} {{",
            random.choice(["", "", "", f"x[{random.choice(['h', '0', 'h + 1'])}] += s;"]),
            f"{groups} {{",
            random.choice(["", "", "s ^= a[g];", "x[g] += 1;"]),
            self.members(groups),
            "{",
            *steps,
            "}",
            random.choice(["", "", "x[g + h] += s;"]),
            "}",
            random.choice(["", "", "x[h] ^= s;"]),
            "}",
            "return s;",
            "}",
        ]
        return "\n".join(filter(None, lines)) + "\n"


def generate(seed: int) -> SpanProgram:
    """The program of a seed."""
    maker = _Maker(Random(seed))
    return SpanProgram(maker.text(), maker.size)
