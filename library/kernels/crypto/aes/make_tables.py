# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of AES from what FIPS 197 says of its field: aes_s_box.h, and aes_tables.h for
software.

    python library/kernels/crypto/aes/make_tables.py

Hardware has the S-box as arithmetic in a tower of fields, GF(((2^2)^2)^2), as is known since
A. Satoh, S. Morioka, K. Takano and S. Munetoh, "A Compact Rijndael Hardware Architecture with
S-Box Optimization", ASIACRYPT 2001. There are several towers, and eight ways into each: the one is
taken whose maps there and back are the fewest look-up tables of four inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
FIELD = 0x11B
"""The polynomial of AES's field: x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2)."""
AFFINE = 0x63
"""What SubBytes adds at its end (FIPS 197, 5.1.1)."""
LUT_INPUTS = 4
HEAD = """/* SPDX-License-Identifier: Apache-2.0
 * Made by make_tables.py: do not edit. */
#ifndef {guard}
#define {guard}

#include <stdint.h>

{body}
#endif
"""

Product = Callable[[int, int], int]


def main() -> None:
    for name, text in headers().items():
        (FOLDER / name).write_text(text)


def headers() -> dict[str, str]:
    """The text of each file."""
    bodies = {
        "aes_s_box.h": "\n".join((*s_box_tables(), *tower_tables())),
        "aes_tables.h": "\n".join(column_table(row) for row in range(4)),
    }
    guards = {name: name.upper().replace(".", "_") for name in bodies}
    return {name: HEAD.format(guard=guards[name], body=bodies[name]) for name in bodies}


def table(name: str, values: Sequence[int], about: str, bits: int = 8) -> str:
    """A table as C."""
    shown = [f"0x{value:0{bits // 4}x}" for value in values]
    a_line = 256 // bits if bits > 8 else 12
    lines = [", ".join(shown[i : i + a_line]) for i in range(0, len(shown), a_line)]
    body = ",\n    ".join(lines)
    return f"/* {about} */\nstatic const uint{bits}_t {name}[{len(values)}] = {{\n    {body}}};\n"


# -- AES's own field ----------------------------------------------------------------------------


def s_box_tables() -> Iterator[str]:
    forward = [s_box(a) for a in range(256)]
    backward = [forward.index(a) for a in range(256)]
    yield table("s_box", forward, "SubBytes (FIPS 197, figure 7).")
    yield table("inverse_s_box", backward, "InvSubBytes (FIPS 197, figure 14).")


def column_table(row: int) -> str:
    """What a byte of a row of the state adds to its column: SubBytes and MixColumns."""
    about = f"A byte of row {row}, substituted, times column {row} of MixColumns' matrix."
    return table(f"t_{row}", [column(s_box(a), row) for a in range(256)], about, 32)


def column(a: int, row: int) -> int:
    """Column `row` of MixColumns' matrix times `a`, its first byte highest (FIPS 197, 5.1.3)."""
    factors = (2, 1, 1, 3)
    products = [times(a, factors[(i - row) % 4]) for i in range(4)]
    return int.from_bytes(bytes(products), "big")


@cache
def s_box(a: int) -> int:
    """SubBytes: the inverse, and an affine map over its bits (FIPS 197, 5.1.1)."""
    inverse = next((b for b in range(256) if times(a, b) == 1), 0)
    return affine(inverse) ^ AFFINE


def affine(a: int) -> int:
    """The linear part of that map."""
    turned = [(a << i | a >> (8 - i)) & 0xFF for i in range(5)]
    return turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4]


def times(a: int, b: int, polynomial: int = FIELD) -> int:
    """The product in a field of one polynomial: AES's (FIPS 197, 4.2)."""
    degree, product = polynomial.bit_length() - 1, 0
    for bit in range(degree):
        product ^= (a << bit) * (b >> bit & 1)
    for bit in reversed(range(degree, 2 * degree - 1)):
        product ^= (polynomial << (bit - degree)) * (product >> bit & 1)
    return product


# -- the tower ----------------------------------------------------------------------------------


def times_4(a: int, b: int) -> int:
    """In GF(2^2), of w^2 + w + 1."""
    return times(a, b, 0b111)


@dataclass(frozen=True)
class Tower:
    """GF(2^4) of z^2 + z + n over GF(2^2), and GF(2^8) of y^2 + y + v over that. The high half of a
    number is its factor of z or y. `x`: what AES's x is in it."""

    n: int
    v: int
    x: int

    def times_16(self, a: int, b: int) -> int:
        return over(times_4, self.n, 2, a, b)

    def times_256(self, a: int, b: int) -> int:
        return over(self.times_16, self.v, 4, a, b)

    def powers(self) -> list[int]:
        """Of x: the eight columns of the map into the tower."""
        found = [1]
        for _ in range(7):
            found.append(self.times_256(found[-1], self.x))
        return found

    def maps(self) -> dict[str, list[int]]:
        """Columns: into the tower; back, and through the affine map; both for the inverse."""
        into = self.powers()
        away = columns_of(inverse_of(into))
        return {
            "into_tower": into,
            "out_of_tower": [affine(a) for a in away],
            "affine_into_tower": [linear(into, a) for a in columns_of(inverse_of(AFFINES))],
            "plain_out_of_tower": away,
        }


AFFINES = [affine(1 << i) for i in range(8)]


def over(product: Product, constant: int, bits: int, a: int, b: int) -> int:
    """The product of numbers that are two of a smaller field, modulo t^2 + t + constant."""
    mask = (1 << bits) - 1
    (high, low), (by_high, by_low) = (divmod(number, mask + 1) for number in (a, b))
    both = product(high, by_high)
    upper = both ^ product(high, by_low) ^ product(low, by_high)
    return upper << bits | product(low, by_low) ^ product(both, constant)


def linear(columns: Sequence[int], a: int) -> int:
    """A linear map over the bits of `a`."""
    total = 0
    for bit, value in enumerate(columns):
        total ^= value * (a >> bit & 1)
    return total


def inverse_of(columns: Sequence[int]) -> dict[int, int]:
    return {linear(columns, a): a for a in range(256)}


def columns_of(numbers: dict[int, int]) -> list[int]:
    return [numbers[1 << bit] for bit in range(8)]


def towers() -> Iterator[Tower]:
    """All there are."""
    for n in (2, 3):
        for v in range(16):
            field = Tower(n, v, 0)
            if all(field.times_16(y, y) ^ y ^ v for y in range(16)):
                yield from (t for x in range(2, 256) if is_root(t := Tower(n, v, x)))


def is_root(tower: Tower) -> bool:
    """Whether x solves AES's polynomial there."""
    powers = tower.powers()
    eighth = tower.times_256(powers[7], tower.x)
    return eighth ^ powers[4] ^ powers[3] ^ powers[1] ^ powers[0] == 0


def luts(columns: Sequence[int]) -> int:
    """Look-up tables of a linear map: a bit that is a sum of many takes another one each time that
    a table is full."""
    weights = [sum(column >> row & 1 for column in columns) for row in range(8)]
    return sum(-(-(weight - 1) // (LUT_INPUTS - 1)) for weight in weights)


@cache
def best_tower() -> Tower:
    """That of the smallest S-box, and of those the one with the smallest inverse."""

    def cost(tower: Tower) -> tuple[int, int]:
        maps = tower.maps()
        there, back, *inverse = map(luts, maps.values())
        return there + back, sum(inverse)

    return min(towers(), key=cost)


def tower_tables() -> Iterator[str]:
    tower = best_tower()
    about = {
        "into_tower": "Into the tower of fields: what each bit of a byte adds.",
        "out_of_tower": "Out of it, through SubBytes' affine map.",
        "affine_into_tower": "Into it, through the inverse of that map.",
        "plain_out_of_tower": "Out of it.",
    }
    for name, columns in tower.maps().items():
        yield table(name, columns, about[name])
    pairs = [(i >> 2, i & 3) for i in range(16)]
    products = [times_4(a, b) for a, b in pairs]
    yield table("times_4", products, "a b in GF(2^2), at 4 a + b.")
    scaled = [times_4(tower.n, a) for a in products]
    yield table("times_4_n", scaled, f"n a b, n = {tower.n}: GF(2^4) is of z^2 + z + n.")
    inverses = [next((b for b in range(16) if tower.times_16(a, b) == 1), 0) for a in range(16)]
    yield table("inverse_16", inverses, "1 / a in GF(2^4), and 0 of 0.")
    squares = [tower.times_16(tower.v, tower.times_16(a, a)) for a in range(16)]
    yield table("square_16_v", squares, f"v a^2, v = {tower.v}: GF(2^8) is of y^2 + y + v.")


if __name__ == "__main__":
    main()
