# SPDX-License-Identifier: Apache-2.0
"""Random loops over places in a picture that are tested against its borders before something is
read or written there: neighbours, moved and mirrored points, and what only looks tested."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

RECORDS = 24


@dataclass
class BorderProgram:
    """C of `top(const uint32_t *a, uint32_t *pic, uint8_t *marks, int32_t by)`, of `RECORDS`
    numbers and two pictures of `size` elements."""

    text: str
    size: int

    def values(self, random: Random) -> dict[str, int | bytes]:
        """Data for one call."""
        return {
            "a": random.randbytes(4 * RECORDS),
            "pic": random.randbytes(4 * self.size),
            "marks": bytes(random.choice((0, 0, 1, 7)) for _ in range(self.size)),
            "by": random.choice([0, 1, 2, 5, 100, (1 << 32) - 1, (1 << 32) - 9, 1 << 31]),
        }


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.width = random.choice([8, 8, 16, 10, 7, 33])
        self.height = random.choice([8, 4, 16, 5, 12])
        self.size = self.width * self.height

    def coordinate(self, shift: int) -> str:
        """A number that is often beyond a border, on either side; nothing overflows."""
        bits = self.random.choice([3, 4, 5, 6])
        part = f"(int)(v >> {shift} & {(1 << bits) - 1})"
        return self.random.choice(
            [
                f"{part} - 1",
                f"{part} + (k == 0) - (k == 1)",
                f"{part} + 1 - k",
                f"{part} - {self.random.choice([2, 3, 9])}",
                f"{part} * 3 - 4",
                f"7 - {part}",
                f"({part} + k * 2) >> 1",
                f"{part} - (by & 3)",
                f"(int8_t)(v >> {shift}) + {self.random.choice([1, 100, 4])}",
                f"((int16_t)(v >> {shift}) >> 10) + 2",
                f"(int8_t)(v >> {shift}) * 3 + 5",
            ]
        )

    def inside(self) -> str:
        """The test; in one spelling out of many."""
        w, h = self.width, self.height
        return self.random.choice(
            [
                f"x >= 0 && x < {w} && y >= 0 && y < {h}",
                f"!(x < 0 || y < 0 || x >= {w} || y >= {h})",
                f"(unsigned)x < {w} && (unsigned)y < {h}u",
                f"(unsigned)x < {w} & y > -1 & {h - 1} >= y",
                f"x >= 1 && x <= {w - 1} && y >= 0 && y < {h} && marks[y * {w} + x] != 7",
                f"x < {w} && x >= 0 && y != -1 && y >= 0 && y < {h} && (v & 1)",
                f"x >= 0 && y >= 0 && y * {w} + x < {self.size} && x < {w}",
            ]
        )

    def step(self, place: str) -> str:
        """What is done at a place of the pictures."""
        random = self.random
        value = random.choice(["v", "x + y", "k", "(uint32_t)x << 4 | y", "s", "by"])
        return random.choice(
            [
                f"pic[{place}] = {value};",
                f"pic[{place}] += {value};",
                f"marks[{place}] = {value};",
                f"marks[{place}] ^= 1;",
                f"if (!marks[{place}]) {{ marks[{place}] = 1; queue[tail++ & 63] = {place}; }}",
                f"s += pic[{place}];",
                f"s ^= marks[{place}] + {value};",
                f"queue[x & 63] = {value};",
                f"own[{place}] += {value};",
                f"if (pic[{place}] > s) s = pic[{place}]; else pic[{place}] = s;",
                f"pic[{self.size - 1} - ({place})] ^= {value};",
                f"pic[y * {self.width}] = pic[{place}];",
            ]
        )

    def text(self) -> str:
        random, size = self.random, self.size
        place = f"y * {self.width} + x"
        places = [place, place, "at", f"x + {self.width} * y"]
        steps = [self.step(random.choice(places)) for _ in range(random.choice([1, 1, 2, 3]))]
        guarded = f"if ({self.inside()}) {{ int at = {place}; (void)at; {' '.join(steps)} }}"
        if random.random() < 0.5:
            body = f"{{ int at = {place}; (void)at; {' '.join(steps)} }}"
            guarded = f"if (!({self.inside()})) continue; {body}"
        lines = [
            "#include <stdint.h>",
            f"#pragma tandem extent(a, {4 * RECORDS})",
            f"#pragma tandem extent(pic, {4 * size})",
            f"#pragma tandem extent(marks, {size})",
            "uint32_t top(const uint32_t *a, uint32_t *pic, uint8_t *marks, int32_t by)",
            "{",
            f"uint32_t s = 1, tail = 0, queue[64] = {{0}}, own[{size}] = {{0}};",
            f"for (int i = 0; i < {RECORDS}; i++) {{",
            "uint32_t v = a[i];",
            f"for (int k = 0; k < {random.choice([1, 2, 4])}; k++) {{",
            f"int x = {self.coordinate(0)}, y = {self.coordinate(8)};",
            random.choice(["", "", "s += x;", "s ^= (uint32_t)y * 5;"]),
            guarded,
            random.choice(["", "", "s += y;"]),
            "}",
            "}",
            f"for (int i = 0; i < 64; i++) s = s * 31 + queue[i] + own[i % {size}];",
            "return s + tail;",
            "}",
        ]
        return "\n".join(filter(None, lines)) + "\n"


def generate(seed: int) -> BorderProgram:
    """The program of a seed."""
    maker = _Maker(Random(seed))
    return BorderProgram(maker.text(), maker.size)
