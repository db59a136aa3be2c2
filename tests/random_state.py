# SPDX-License-Identifier: Apache-2.0
"""Random programs whose functions have variables of their own that live from call to call: static
locals and globals that one function alone uses, numbers and arrays, in functions that stay apart,
are inlined, or call each other; called in loops, under conditions, and one after the other."""

from __future__ import annotations

from random import Random

KINDS = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "int16_t", "int32_t")


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = random.randint(1, 4)
        self.globals: list[str] = []

    def variable(self, number: int, at: int) -> tuple[str, str, list[str]]:
        """(a declaration within the function, one outside of it, what can be read and written)."""
        random, name = self.random, f"v{number}_{at}"
        kind, size = random.choice(KINDS), random.choice((0, 0, 2, 3, 8))
        first = random.choice((0, 0, random.randrange(1, 99)))
        places = [f"{name}[{i}]" for i in range(size)] or [name]
        if size and random.random() < 0.5:
            places.append(f"{name}[x % {size}u]")
        values = ", ".join(str(first + i) for i in range(random.randint(1, max(1, size))))
        text = f"static {kind} {name}{f'[{size}] = {{{values}}}' if size else f' = {first}'};"
        if not first and random.random() < 0.5:
            text = f"static {kind} {name}{f'[{size}]' if size else ''};"
        return (text, "", places) if random.random() < 0.6 else ("", text, places)

    def term(self, places: list[str]) -> str:
        random = self.random
        place = random.choice(places)
        return random.choice(
            (place, f"{place} * {random.randrange(3, 99)}u", f"({place} ^ {random.choice(places)})")
        )

    def function(self, number: int) -> str:
        random = self.random
        inside, outside, places = [], [], ["x"]
        for at in range(random.randint(1, 3)):
            within, before, found = self.variable(number, at)
            inside += [within] if within else []
            outside += [before] if before else []
            places += found
        lines = []
        for _ in range(random.randint(1, 5)):
            target = random.choice(places[1:])
            step = f"{target} {random.choice(('=', '+=', '^=', '-='))} {self.term(places)};"
            lines.append(
                f"if ({self.term(places)} & {random.randrange(1, 8)}) {step}"
                if random.random() < 0.4
                else step
            )
        if number and random.random() < 0.5:
            lines.append(f"x += f{random.randrange(number)}({self.term(places)});")
        if random.random() < 0.3:
            lines.append(f"for (int i = 0; i < {random.randint(2, 5)}; i++) {lines[0]}")
        apart = "__attribute__((noinline)) " if random.random() < 0.6 else ""
        head = f"{apart}static uint32_t f{number}(uint32_t x)"
        body = "\n    ".join([*inside, *lines, f"return {self.term(places)};"])
        return "\n".join([*outside, f"{head}\n{{\n    {body}\n}}"])

    def call(self) -> str:
        argument = self.random.choice(("sum", "sum >> 7", str(self.random.randrange(99))))
        return f"f{self.random.randrange(self.count)}({argument})"

    def main(self) -> str:
        random, lines = self.random, []
        for _ in range(random.randint(2, 5)):
            step = f"sum = sum * 31u + {self.call()};"
            way = random.random()
            if way < 0.4:
                step = f"for (int k = 0; k < {random.randint(2, 9)}; k++) {step}"
            elif way < 0.6:
                step = f"if (sum & {random.randrange(1, 4)}) {step}"
            lines.append(step)
        body = "\n    ".join(lines)
        last = "return (int)((sum ^ sum >> 8 ^ sum >> 16 ^ sum >> 24) & 127);"
        return f"int main(void)\n{{\n    uint32_t sum = 1;\n    {body}\n    {last}\n}}\n"

    def program(self) -> str:
        functions = [self.function(number) for number in range(self.count)]
        return "\n\n".join(["#include <stdint.h>", *functions, self.main()])


def generate(seed: int) -> str:
    """The program of a seed; `main` takes nothing and returns a number up to 127."""
    return _Maker(Random(seed)).program()
