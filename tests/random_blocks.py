# SPDX-License-Identifier: Apache-2.0
"""What random functions with blocks from the heap are written with: lines, numbers, and what is
known of each block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

ITEM = "struct item"
ROOM = 56_000
"""Bytes that a function asks for in all with the largest `n` below `MANY`, about."""
MANY = 12
"""What `n` is less than where a call is to have room."""


@dataclass
class Block:
    name: str
    kind: str
    count: str
    """Elements: a number, or a variable of its own."""
    loop: int
    """In which loop it was made."""
    is_null: bool = False
    """Whether it may be null."""
    is_result: bool = False


class Writer:
    """A function that is being written. Its parameters are `in`, `n` numbers, and a number `x`; it
    computes `h`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.blocks: list[Block] = []
        self.lists: list[str] = []
        self.values = ["x", "h", "(uint32_t)n"]
        self.indent, self.names, self.loop, self.loops = 1, 0, 0, 0
        self.room, self.turns = ROOM, 1

    # -- lines ------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def name(self, of: str) -> str:
        self.names += 1
        return f"{of}{self.names}"

    @contextmanager
    def inside(self, opening: str) -> Iterator[None]:
        """Braces; what is made in them is given back, or not."""
        kept = self.blocks, self.lists, self.values
        self.blocks, self.lists, self.values = [*kept[0]], [*kept[1]], [*kept[2]]
        self.line(opening)
        self.indent += 1
        yield
        self.given_back([b for b in self.blocks if b not in kept[0]], 0.85)
        self.indent -= 1
        self.line("}")
        self.blocks, self.lists, self.values = kept

    @contextmanager
    def looping(self, name: str, end: str, turns: int) -> Iterator[None]:
        kept, self.loop = self.loop, self.names
        self.loops += 1
        self.turns *= turns
        with self.inside(f"for (int {name} = 0; {name} < {end}; {name}++) {{"):
            self.values.append(f"(uint32_t){name}")
            yield
        self.turns //= turns
        self.loops -= 1
        self.loop = kept

    def given_back(self, blocks: list[Block], chance: float) -> None:
        """Some of these, in any order."""
        random = self.random
        for block in random.sample(blocks, len(blocks)):
            if random.random() < chance:
                self.line(f"{random.choice(('free', 'free', 'drop'))}({block.name});")

    # -- expressions ------------------------------------------------------------------------------

    def term(self) -> str:
        random = self.random
        forms = [random.choice(self.values), str(random.randrange(1, 300))]
        forms.append(f"(n > 0 ? (uint32_t)in[at({random.choice(self.values)}, n)] : 7u)")
        there = [b for b in self.blocks if not b.is_null]
        if there:
            block = random.choice(there)
            forms += [self.read(block, f"at({random.choice(self.values)}, {block.count})")] * 3
        if random.random() < 0.4:
            operator = random.choice("+-*&|^")
            return f"({random.choice(forms)} {operator} {self.term()})"
        return random.choice(forms)

    def condition(self) -> str:
        random = self.random
        value = random.choice((1, 2, 3, 5, 100))
        return random.choice((f"({self.term()} & {value})", f"{self.term()} > {value}u"))

    def read(self, block: Block, place: str) -> str:
        member = self.random.choice((".a", ".b", ".c[0]", ".c[h & 1]"))
        return f"(uint32_t){block.name}[{place}]{member if block.kind == ITEM else ''}"

    def write(self, block: Block, place: str) -> None:
        random = self.random
        if block.kind == ITEM:
            member, kind = random.choice(
                ((".a", "uint8_t"), (".b", "int32_t"), (".c[h & 1]", "uint16_t"))
            )
            self.line(f"{block.name}[{place}]{member} = ({kind})({self.term()});")
            return
        element = f"{block.name}[{place}]"
        old = random.choice(("", "", f"(uint32_t){element} + ", f"(uint32_t){element} ^ "))
        self.line(f"{element} = ({block.kind})({old}{self.term()});")

    def count(self, fixed: bool = True) -> tuple[str, int]:
        """How many elements a block has, and at most."""
        random = self.random
        form = random.randrange(3)
        if form == 0 and fixed:
            number = random.choice((1, 2, 4, 7, 16))
            return str(number), number
        if form == 1:
            most = random.choice((3, 7, 15))
            return f"(int)({self.term()} & {most}) + 1", most + 1
        return random.choice(("n + 1", "2 * n + 1", "n + 3")), 2 * MANY + 1

    def takes(self, size: int) -> bool:
        """Whether there is room for so many bytes in each turn of the loops here."""
        self.room -= self.turns * (size + 16)
        return self.room > 0


@contextmanager
def without(writer: Writer, block: Block) -> Iterator[None]:
    """Reads nothing of a block meanwhile."""
    kept, writer.blocks = writer.blocks, [b for b in writer.blocks if b is not block]
    yield
    writer.blocks = kept
