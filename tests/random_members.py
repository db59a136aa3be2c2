# SPDX-License-Identifier: Apache-2.0
"""Random C with one struct of arrays and numbers of all widths, which is the caller's, a variable
or local: members that are read and written at all kinds of indices, by pointers and as bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

TYPES = ("uint8_t", "int8_t", "uint16_t", "int16_t", "int32_t", "uint32_t", "int64_t")
DATA_BYTES = 64
MOST_BYTES = 2048
"""More than any struct has."""
HOMES = {
    "parameter": ("struct s *p, ", ""),
    "constant_place": ("", "static struct s here; struct s *p = &here;"),
    "variable": ("", "struct s *p = &shared;"),
    "local": ("", "struct s here, *p = &here; memset(p, data[0], sizeof *p);"),
    "nested": ("struct outer *o, ", "struct s *p = &o->inner;"),
}


@dataclass
class _Maker:
    random: Random
    members: dict[str, int] = field(default_factory=dict)
    """Name -> elements; 0 for a number."""
    pairs: dict[str, tuple[int, int]] = field(default_factory=dict)

    def declared(self) -> str:
        rows = []
        for i in range(self.random.randint(2, 6)):
            kind, name = self.random.choice(TYPES), f"m{i}"
            size = self.random.choice((0, 0, 3, 5, 8, 16))
            if size and self.random.random() < 0.2:
                self.pairs[name] = size, 3
                rows.append(f"{kind} {name}[{size}][3];")
            else:
                self.members[name] = size
                rows.append(f"{kind} {name}{f'[{size}]' if size else ''};")
        return " ".join(rows)

    def index(self, size: int) -> str:
        """In range, and often seen to be."""
        shift = self.random.randrange(size)
        return self.random.choice(
            (
                f"i % {size}",
                f"({size - 1} - i % {size})",
                f"(i + {shift}) % {size}",
                f"data[i & 63] % {size}",
                f"(unsigned)x % {size}",
                str(shift),
                f"at % {size}",
            )
        )

    def place(self) -> str:
        name = self.random.choice([*self.members, *self.pairs])
        if name in self.pairs:
            rows, columns = self.pairs[name]
            return f"p->{name}[{self.index(rows)}][{self.index(columns)}]"
        size = self.members[name]
        return f"p->{name}[{self.index(size)}]" if size else f"p->{name}"

    def value(self) -> str:
        left, right = (
            self.random.choice((self.place(), self.place(), "x", "i", f"data[(i + {k}) & 63]"))
            for k in (1, 2)
        )
        return f"{left} {self.random.choice('+-^&|')} {right}"

    def step(self) -> str:
        roll = self.random.random()
        if roll < 0.5:
            return f"{self.place()} {self.random.choice(('=', '+=', '^='))} {self.value()};"
        if roll < 0.8:
            return f"x += {self.value()};"
        if roll < 0.85:
            return f"if (data[i & 63] & {1 << self.random.randrange(8)}) {self.step()}"
        bytes_ = self.random.choice((1, 3, 8))
        start = f"((uint8_t *)&{self.place()})"
        return self.random.choice(
            (
                f"x += *{start};",
                f"memcpy(buffer, {start}, 1);",
                f"x += ((uint8_t *)p)[(i * {bytes_}) % sizeof *p];",
                f"memset({start}, i, 1);",
            )
            if self.random.random() < 0.2
            else (f"x += *{start};", f"memcpy(buffer, {start}, 1);")
        )

    def loop(self) -> str:
        body = "\n        ".join(self.step() for _ in range(self.random.randint(1, 4)))
        last = self.random.choice(("n", "9", "16", "(n & 7)"))
        head = self.random.choice(
            (f"for (int i = 0; i < {last}; i++)", f"for (int i = {last}; i-- > 0;)")
        )
        return f"    {head} {{\n        {body}\n    }}\n"


def generate(seed: int) -> str:
    """The C of a function `top`."""
    random = Random(seed)
    maker = _Maker(random)
    declared = maker.declared()
    parameter, begin = HOMES[random.choice(list(HOMES))]
    steps = "".join(
        maker.loop() if random.random() < 0.6 else f"    {{ int i = {k}; {maker.step()} }}\n"
        for k in range(random.randint(2, 5))
    )
    return f"""#include <stdint.h>
#include <string.h>
struct s {{ {declared} }};
struct outer {{ char id[3]; struct s inner; int more[4]; }};
struct s shared;
int64_t top({parameter}const uint8_t data[{DATA_BYTES}], int n)
{{
    uint8_t buffer[1] = {{0}};
    int64_t x = 0;
    unsigned at = data[5];
    {begin}
{steps}    return x + buffer[0] + at;
}}
"""
