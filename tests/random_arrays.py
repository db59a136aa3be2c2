# SPDX-License-Identifier: Apache-2.0
"""Random functions that fill and copy arrays, and parts of them, as a whole, between what they read
and write element by element: of all sizes of numbers, in structs and in rows, at any place."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

BYTES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "int32_t": 4, "int16_t": 2}
ELEMENTS = (17, 24, 32, 40, 64, 100)
GIVEN = 512
"""Bytes behind each parameter."""
STRUCTS = """struct mixed {
    uint32_t head;
    uint16_t halves[20];
    uint8_t bytes[40];
    uint32_t words[8];
};
struct pair { uint32_t one; uint32_t other; };
struct alone { uint32_t words[48]; };
"""
MEMBERS = {
    "halves": ("uint16_t", 20, 4),
    "bytes": ("uint8_t", 40, 44),
    "words": ("uint32_t", 8, 84),
}


@dataclass(frozen=True)
class Array:
    """What is read and written: an expression for its first element, its type, how many elements
    it has, and whether it may be written."""

    first: str
    kind: str
    count: int
    is_written: bool = True

    @property
    def bytes(self) -> int:
        return BYTES[self.kind] * self.count


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.arrays = [
            Array("in8", "uint8_t", GIVEN, False),
            Array("in32", "uint32_t", GIVEN // 4, False),
            Array("out16", "uint16_t", GIVEN // 2),
            Array("out32", "uint32_t", GIVEN // 4),
        ]

    def declare(self) -> None:
        """Some variables, each in one of several ways to begin."""
        random = self.random
        for number in range(random.randint(2, 4)):
            name, kind = f"a{number}", random.choice(list(BYTES))
            count = random.choice(ELEMENTS)
            way = random.randrange(6)
            if way == 0:
                rows = random.choice((2, 4))
                self.lines.append(f"{kind} {name}[{rows}][{count}] = {{{{0}}}};")
                self.arrays.append(Array(f"&{name}[0][0]", kind, rows * count))
            elif way == 1:
                self.lines.append(f"struct mixed {name} = {{0}};")
                for member, (of, elements, _) in MEMBERS.items():
                    self.arrays.append(Array(f"{name}.{member}", of, elements))
                self.arrays.append(Array(f"&{name}.head", "uint32_t", 1))
            elif way == 2:
                of = random.choice(("pair", "alone"))
                elements = "[20]" if of == "pair" else ""
                self.lines.append(f"struct {of} {name}{elements} = {{0}};")
                first = f"&{name}[0].one" if of == "pair" else f"{name}.words"
                self.arrays.append(Array(first, "uint32_t", 40 if of == "pair" else 48))
            else:
                begins = random.choice((" = {0}", " = {1, 2, 3}", " = {7}"))
                self.lines.append(f"{kind} {name}[{count}]{begins};")
                self.arrays.append(Array(name, kind, count))

    def array(self, *, is_written: bool) -> Array:
        return self.random.choice([a for a in self.arrays if a.is_written or not is_written])

    def step(self) -> str:
        random = self.random
        target, source = self.array(is_written=True), self.array(is_written=False)
        way = random.randrange(8)
        if way < 2:
            place, count = self.part(target, target.bytes)
            value = random.choice(("0", "0", "0xff", "0x5a", "h", "n"))
            return f"memset({place}, {value}, {count});"
        if way < 5 and source.first != target.first:
            most = min(target.bytes, source.bytes)
            place, count = self.part(target, most)
            other = random.choice((0, source.bytes - count, (source.bytes - count) // 8 * 4))
            return f"memcpy({place}, (const char *)({source.first}) + {other}, {count});"
        if way == 5:
            count = target.bytes - random.choice((0, 4, 8, target.bytes // 2))
            to, start = random.choice((((target.bytes - count), 0), (0, target.bytes - count)))
            place = f"(char *)({target.first})"
            return f"memmove({place} + {to}, {place} + {start}, {count});"
        return self.loop(target, source)

    def part(self, target: Array, most: int) -> tuple[str, int]:
        """Where something begins, and its bytes: all, or some at some place."""
        random = self.random
        if random.random() < 0.5:
            return target.first, most
        count = random.randint(1, most)
        if random.random() < 0.7:
            count = max(count // BYTES[target.kind] * BYTES[target.kind], min(most, 1))
        start = random.choice((0, target.bytes - count, (target.bytes - count) // 2))
        return f"(char *)({target.first}) + {start}", count

    def loop(self, target: Array, source: Array) -> str:
        """Elements one by one, at places that are known or not."""
        random = self.random
        places = ["i", f"i * 3 % {target.count}u", f"(h >> 3) % {target.count}u"]
        place = random.choice(places)
        count = min(target.count, random.choice((5, 16, target.count)))
        value = f"({source.first})[i % {source.count}u]"
        done = random.choice(
            (
                f"({target.first})[{place}] += {value};",
                f"({target.first})[{place}] = h + i; h ^= {value};",
                f"h = h * 31 + ({target.first})[{place}];",
                f"if ({value} & 1) ({target.first})[{place}] ^= h;",
            )
        )
        return f"for (unsigned i = 0; i < {count}; i++) {{ {done} }}"

    def text(self) -> str:
        self.declare()
        steps = [self.step() for _ in range(self.random.randint(3, 7))]
        last = [
            f"for (unsigned i = 0; i < {a.count}; i++) h = h * 31 + ({a.first})[i];"
            for a in self.arrays[4:]
        ]
        body = "\n    ".join([*self.lines, "uint32_t h = n;", *steps, *last, "return h;"])
        names = {"in8": "const uint8_t", "in32": "const uint32_t"}
        names |= {"out16": "uint16_t", "out32": "uint32_t"}
        claims = "".join(f"#pragma tandem extent({name}, {GIVEN})\n" for name in names)
        parameters = ", ".join(f"{kind} *{name}" for name, kind in names.items())
        return (
            f"#include <stdint.h>\n#include <string.h>\n{STRUCTS}{claims}"
            f"uint32_t top({parameters}, uint32_t n)\n{{\n    {body}\n}}\n"
        )


def generate(seed: int) -> str:
    """The C of a seed."""
    return _Maker(Random(seed)).text()


def values(random: Random) -> dict[str, int | bytes]:
    """Data for one call."""
    given = {name: random.randbytes(GIVEN) for name in ("in8", "in32", "out16", "out32")}
    return {**given, "n": random.randrange(1 << 32)}
