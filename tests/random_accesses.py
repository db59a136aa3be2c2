# SPDX-License-Identifier: Apache-2.0
"""Random kernels of one block with loads and stores, many of which happen under conditions that
exclude each other, or nearly do."""

from __future__ import annotations

from random import Random

TESTS = "pqr"
NUMBERS = "xyz"


class _Maker:
    """The text of one kernel: values are of 8 bits, places of 2, conditions of 1."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.count = 0
        self.values = [f"@{name}" for name in NUMBERS]
        self.places = ["0:i2", "1:i2", "2:i2"]
        self.tests = [f"@{name}" for name in TESTS]

    def op(self, text: str) -> str:
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return name

    def literal(self) -> str:
        """A test or its opposite."""
        test = self.random.choice(self.tests)
        return test if self.random.random() < 0.5 else self.op(f"xor {test}, 1:i1 : i1")

    def condition(self) -> str | None:
        """What an access may depend on; None for nothing."""
        kind = self.random.randrange(8)
        if kind == 0:
            return None
        if kind == 1:
            return "0:i1"
        if kind < 5:
            return self.literal()
        name = "or" if kind == 7 else "and"
        return self.op(f"{name} {self.literal()}, {self.literal()} : i1")

    def place(self) -> str:
        random = self.random
        if random.random() < 0.3:
            self.places.append(self.op(f"extract {random.choice(self.values)} {{low=0}} : i2"))
        return random.choice(self.places)

    def value(self) -> str:
        random = self.random
        if random.random() < 0.4:
            left, right = random.choice(self.values), random.choice(self.values)
            kind = random.choice(["add", "xor", "sub"])
            self.values.append(self.op(f"{kind} {left}, {right} : i8"))
        return random.choice(self.values)

    def load(self) -> None:
        """What it gives where it does not happen is never seen."""
        condition, memory = self.condition(), self.random.choice("mmn")
        enable = "" if condition is None else f", {condition}"
        loaded = self.op(f"load {self.place()}{enable} {{memory={memory}}} : i8")
        if condition is not None:
            loaded = self.op(f"select {condition}, {loaded}, {self.value()} : i8")
        self.values.append(loaded)
        if self.random.random() < 0.3:
            self.tests.append(self.op(f"slt {loaded}, {self.value()} : i1"))

    def store(self) -> None:
        condition, memory = self.condition(), self.random.choice("mmn")
        enable = "" if condition is None else f", {condition}"
        self.lines.append(f"store {self.place()}, {self.value()}{enable} {{memory={memory}}}")

    def text(self) -> str:
        for _ in range(self.random.randint(4, 16)):
            self.random.choice([self.load, self.store])()
        left = [f"load {n}:i2 {{memory={memory}}} : i8" for memory in "mn" for n in range(4)]
        seen = [*map(self.op, left), *self.values[len(NUMBERS) :]]
        wide = 8 * len(seen)
        result = self.op(f"concat {', '.join(seen)} : i{wide}")
        return "\n".join(
            [
                "tandem-ir 1",
                "kernel @f",
                *(f'  argument @{name} : scalar in i1 "_Bool"' for name in TESTS),
                *(f'  argument @{name} : scalar in i8 "uint8_t"' for name in NUMBERS),
                f'  argument @result : scalar out i{wide} "unsigned _BitInt({wide})"',
                "  memory @m : ram 4 x i8",
                "  memory @n : ram 4 x i8",
                "^b0:",
                *(f"  {line}" for line in self.lines),
                f"  return {result}",
                "",
            ]
        )


def generate(seed: int) -> str:
    """The text of a kernel of a seed: all that it loads, and both memories as it leaves them."""
    return _Maker(Random(seed)).text()
