# SPDX-License-Identifier: Apache-2.0
"""Random C functions over vectors of numbers, and structs of floats by value, of which compilers
make such: in registers, in memory, as arguments and results of functions that are inlined and kept
apart, with lanes that are chosen when they run. Lanes are without a sign, so that no sum of them is
undefined."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from random import Random

LONGEST = 8
LANES = {
    "U4": ("uint32_t", 4),
    "S8": ("uint16_t", 8),
    "B16": ("uint8_t", 16),
    "L2": ("uint64_t", 2),
}
HEAD = "#include <stdint.h>\n" + "".join(
    f"typedef {kind} {name} __attribute__((vector_size(16)));\n"
    for name, (kind, _) in [*LANES.items(), ("F4", ("float", 4))]
)
HEAD += "typedef struct { float x, y; } Pair;\ntypedef struct { float x, y, z; } Triple;\n"
NAMES = {"U4": "u", "S8": "s", "B16": "b", "L2": "l", "F4": "f"}


@dataclass
class VectorProgram:
    """C of `top(const U4 *a, const F4 *c, S8 *x, F4 *y, uint32_t n)`, which returns an U4."""

    text: str

    def values(self, random: Random, count: int) -> dict[str, int | bytes]:
        """Data for one call."""
        floats = [random.choice([random.gauss(0, 3), 0.0, -0.5, 1e30]) for _ in range(4 * LONGEST)]
        return {
            "a": random.randbytes(16 * LONGEST),
            "c": struct.pack(f"<{4 * LONGEST}f", *floats),
            "x": random.randbytes(16 * LONGEST),
            "y": bytes(16 * LONGEST),
            "n": count,
            "result": bytes(16),
        }


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random

    def whole(self, kind: str, depth: int) -> str:
        """A vector of integers."""
        random, (lane, count) = self.random, LANES[kind]
        other = random.choice([name for name in LANES if name != kind])
        if depth <= 0:
            constant = ", ".join(str(random.randrange(256)) for _ in range(count))
            leaves = [NAMES[kind], f"({kind}){{{constant}}}", f"({kind}){NAMES[other]}"]
            leaves += {"U4": ["a[i]", "a[n - 1 - i]"], "S8": ["x[i]", "x[i / 2]"]}.get(kind, [])
            return random.choice(leaves)
        one, two = (self.whole(kind, depth - random.randint(1, 2)) for _ in range(2))
        places = ", ".join(str(random.randrange(2 * count)) for _ in range(count))
        ways = [
            *(f"({one} {sign} {two})" for sign in "+-*&|^"),
            f"({one} {random.choice(['<<', '>>'])} {random.randrange(8)})",
            f"({kind})({one} {random.choice(['<', '>=', '=='])} {two})",
            f"__builtin_shufflevector({one}, {two}, {places})",
            f"({kind})({self.whole(other, depth - 1)})",
            f"__builtin_elementwise_{random.choice(['max', 'min'])}({one}, {two})",
            f"({one} + ({lane}){self.scalar(depth - 1)})",
        ]
        if kind == "U4":
            ways.append(f"mixed({one}, {self.floating(depth - 1)})")
        return random.choice(ways)

    def floating(self, depth: int) -> str:
        """An F4."""
        random = self.random
        if depth <= 0:
            return random.choice(["f", "c[i]", "y[i]", "(F4){1, -2, 0.5f, 3e9f}"])
        one, two = (self.floating(depth - random.randint(1, 2)) for _ in range(2))
        places = ", ".join(str(random.randrange(8)) for _ in range(4))
        return random.choice(
            [
                *(f"({one} {sign} {two})" for sign in "+-*"),
                f"__builtin_shufflevector({one}, {two}, {places})",
                f"__builtin_convertvector({self.whole('U4', depth - 1)}, F4)",
                f"turned({one}, {two})",
            ]
        )

    def scalar(self, depth: int) -> str:
        random, kind = self.random, self.random.choice(list(LANES))
        value = self.whole(kind, depth)
        place = random.choice([str(random.randrange(LANES[kind][1])), f"i % {LANES[kind][1]}"])
        how = random.choice(["add", "max", "xor"])
        return random.choice([f"({value})[{place}]", f"__builtin_reduce_{how}({value})"])

    def lane(self) -> str:
        """A float."""
        return f"({self.floating(1)})[{self.random.randrange(4)}]"

    def pair(self) -> str:
        return self.random.choice([f"(Pair){{{self.lane()}, 0.5f}}", "(Pair){q.y, p.x}", "p"])

    def step(self) -> str:
        random, kind = self.random, self.random.choice(list(LANES))
        place = random.choice([str(random.randrange(LANES[kind][1])), f"i % {LANES[kind][1]}"])
        return random.choice(
            [
                lambda: f"{NAMES[kind]} = {self.whole(kind, 3)};",
                lambda: f"f = {self.floating(3)};",
                lambda: f"x[i] = {self.whole('S8', 2)};",
                lambda: f"y[i] = {self.floating(2)};",
                lambda: f"{NAMES[kind]}[{place}] = {self.scalar(1)};",
                lambda: f"local[i & 3] ^= {self.whole('U4', 1)};",
                lambda: f"u += local[{self.scalar(0)} & 3];",
                lambda: f"p = spun(p, {self.pair()});",
                lambda: f"q = crossed(q, (Triple){{p.x, {self.lane()}, q.z}});",
                lambda: f"f[{random.randrange(4)}] = {random.choice(['p.y', 'q.x', 'q.z'])};",
                lambda: f"if ({self.scalar(0)} & 1) {NAMES[kind]} = {self.whole(kind, 2)};",
            ]
        )()

    def text(self) -> str:
        random = self.random
        apart = "__attribute__((noinline)) " if random.random() < 0.5 else ""
        helpers = (
            f"{apart}static U4 mixed(U4 u, F4 f)\n{{\n"
            "    return u * 3 + __builtin_shufflevector(u, u, 3, 2, 1, 0) + (f[0] > f[1]);\n}\n"
            f"{apart}static F4 turned(F4 a, F4 b)\n{{\n"
            "    return a[0] < b[3] ? a * b : __builtin_shufflevector(b, a, 1, 4, 2, 7);\n}\n"
            f"{apart}static Pair spun(Pair a, Pair b)\n{{\n"
            "    return a.x > 1e9f ? b : (Pair){a.x * b.x - a.y, a.x + b.y};\n}\n"
            f"{apart}static Triple crossed(Triple a, Triple b)\n{{\n"
            "    return (Triple){a.y * b.z, a.z - b.x, a.x > b.y ? 0.75f : b.y};\n}\n"
        )
        starts = "".join(
            f"    {kind} {name} = {{{random.randrange(9)}}};\n" for kind, name in NAMES.items()
        )
        steps = "".join(f"        {self.step()}\n" for _ in range(random.randint(2, 5)))
        ends = "u + (U4)s + (U4)b + (U4)l"
        extents = "".join(f"#pragma tandem extent({n}, {16 * LONGEST})\n" for n in "acxy")
        return (
            f"{HEAD}{helpers}{extents}U4 top(const U4 *a, const F4 *c, S8 *x, F4 *y, uint32_t n)\n"
            f"{{\n{starts}    Pair p = {{1, 2}};\n    Triple q = {{0.5f}};\n"
            "    U4 local[4] = {{1}, {2}, {3, 4, 5}};\n"
            f"    for (uint32_t i = 0; i < n; i++) {{\n{steps}    }}\n"
            f"    y[0][0] += p.x + q.y;\n    return {ends};\n}}\n"
        )


def generate(seed: int) -> VectorProgram:
    """The function of a seed."""
    return VectorProgram(_Maker(Random(seed)).text())
