# SPDX-License-Identifier: Apache-2.0
"""Random functions that call themselves and each other, some levels deep: in branches, in loops,
several times in an expression; with arrays, structs and pointers of their callers'."""

from __future__ import annotations

from random import Random

DEEPEST = 7
"""Calls inside each other: the first parameter counts down."""
KINDS = ("int32_t", "uint8_t", "int64_t", "uint32_t")
HEAD = """#include <stdint.h>
struct three { uint8_t a; int32_t b[2]; };
static uint32_t total;
"""


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = random.randint(1, 3)
        self.kinds = [random.choice(KINDS) for _ in range(self.count)]
        self.structs = [random.random() < 0.3 for _ in range(self.count)]
        self.fans = random.choice((2, 2, 3))
        """Calls that one makes at most."""

    def head(self, number: int) -> str:
        struct = ", struct three s" if self.structs[number] else ""
        kind = self.kinds[number]
        return f"static {kind} f{number}(int n, {kind} x, uint32_t *there{struct})"

    def term(self, names: list[str]) -> str:
        """A number of what is known."""
        random, name = self.random, self.random.choice(names)
        return random.choice(
            [
                name,
                f"({name} + {random.randrange(1, 99)})",
                f"({name} * {random.randrange(2, 9)})",
                f"({name} >> {random.randrange(1, 5)})",
                f"({name} ^ {random.choice(names)})",
            ]
        )

    def call(self, names: list[str], pointers: list[str], down: str = "n - 1") -> str:
        """One of the functions, for something less deep."""
        number = self.random.randrange(self.count)
        struct = ", s" if self.structs[number] else ""
        pointer = self.random.choice(pointers)
        return f"f{number}({down}, ({self.kinds[number]}){self.term(names)}, {pointer}{struct})"

    def function(self, number: int) -> str:
        random, kind = self.random, self.kinds[number]
        names, pointers = ["x", "n", "*there"], ["there"]
        lines = ["    if (n <= 0) {", f"        *there += (uint32_t){self.term(names)};"]
        lines += [f"        return ({kind}){self.term(names)};", "    }"]
        if not self.structs[number]:
            lines.append("    struct three s = {(uint8_t)x, {n, 3}};")
        names += ["s.a", "s.b[n & 1]"]
        if random.random() < 0.6:
            lines.append("    uint32_t own[4] = {1, (uint32_t)x, 3, (uint32_t)n};")
            names.append("own[(uint32_t)x & 3]")
            pointers += ["&own[n & 3]", "own"]
        lines.append(f"    {random.choice(KINDS)} y = {self.term(names)};")
        names.append("y")
        calls = random.randint(1, self.fans)
        while calls > 0:
            form = random.randrange(5)
            if form == 0 and calls > 1:
                lines.append(
                    f"    y += {self.call(names, pointers)} - {self.call(names, pointers)};"
                )
                calls -= 1
            elif form == 1:
                lines.append(f"    if ({self.term(names)} & 1)")
                lines.append(f"        y = {self.call(names, pointers)};")
            elif form == 2:
                lines.append("    for (int i = 0; i < 2; i++)")
                lines.append(f"        y += i + {self.call([*names, 'i'], pointers, 'n - 2')};")
            elif form == 3:
                lines.append(f"    {self.call(names, pointers)};")
                lines.append(f"    s.b[{random.randrange(2)}] += {self.term(names)};")
            else:
                lines.append(f"    y ^= {self.call(names, pointers)};")
                lines.append(f"    *there = *there * 3 + (uint32_t){self.term(names)};")
            calls -= 1
        lines.append(f"    total += (uint32_t)y;\n    return ({kind}){self.term(names)};")
        body = "\n".join(lines)
        return f"#pragma tandem recursion({DEEPEST + 2})\n{self.head(number)}\n{{\n{body}\n}}\n"


def generate(seed: int) -> str:
    """The C of a function `top(n, x)` of a seed."""
    random = Random(seed)
    maker = _Maker(random)
    declared = [f"{maker.head(i)};\n" for i in range(maker.count)]
    functions = [maker.function(i) for i in range(maker.count)]
    struct = ", (struct three){(uint8_t)x, {n, 5}}" if maker.structs[0] else ""
    body = "    uint32_t there = x;\n    total = 0;\n"
    body += f"    there += (uint32_t)f0(n, x, &there{struct});\n"
    top = f"uint32_t top(int n, uint32_t x)\n{{\n{body}    return there * 31 + total;\n}}\n"
    return "".join([HEAD, *declared, *functions, top])
