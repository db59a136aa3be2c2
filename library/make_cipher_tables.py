# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of the ciphers' software, aes128_tables.h and present80_tables.h, from what the
standards say of their S-boxes and layers.

    python library/make_cipher_tables.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
A_LINE = 8
FIELD = 0x11B
"""The polynomial of AES's field: x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2)."""
PRESENT_S_BOX = (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2)
HEAD = """/* SPDX-License-Identifier: Apache-2.0
 * Made by make_cipher_tables.py: do not edit. */
#ifndef {guard}
#define {guard}

#include <stdint.h>

{body}
#endif
"""


def main() -> None:
    for name, text in headers().items():
        (FOLDER / name).write_text(text)


def headers() -> dict[str, str]:
    """The text of each file."""
    bodies = {
        "aes128_tables.h": "\n".join(aes_table(row) for row in range(4)),
        "present80_tables.h": spread_table(),
    }
    guards = {name: name.upper().replace(".", "_") for name in bodies}
    return {name: HEAD.format(guard=guards[name], body=bodies[name]) for name in bodies}


def words(name: str, values: Sequence[int], about: str) -> str:
    """A table of 32-bit words as C."""
    shown = [f"0x{value:08x}" for value in values]
    lines = [", ".join(shown[i : i + A_LINE]) for i in range(0, len(shown), A_LINE)]
    text = ",\n    ".join(lines)
    return f"/* {about} */\nstatic const uint32_t {name}[{len(values)}] = {{\n    {text}}};\n"


# -- AES ----------------------------------------------------------------------------------------


def aes_table(row: int) -> str:
    """What a byte of a row of the state adds to its column: SubBytes and MixColumns."""
    about = f"A byte of row {row}, substituted, times column {row} of MixColumns' matrix."
    return words(f"t_{row}", [aes_column(s_box(a), row) for a in range(256)], about)


def aes_column(a: int, row: int) -> int:
    """Column `row` of MixColumns' matrix times `a`, its first byte highest (FIPS 197, 5.1.3)."""
    factors = (2, 1, 1, 3)
    products = [times(a, factors[(i - row) % 4]) for i in range(4)]
    return int.from_bytes(bytes(products), "big")


def s_box(a: int) -> int:
    """SubBytes: the inverse, and an affine map over its bits (FIPS 197, 5.1.1)."""
    inverse = next((b for b in range(256) if times(a, b) == 1), 0)
    turned = [(inverse << i | inverse >> (8 - i)) & 0xFF for i in range(5)]
    return turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4] ^ 0x63


def times(a: int, b: int) -> int:
    """The product in AES's field (FIPS 197, 4.2)."""
    product = 0
    for bit in range(8):
        product ^= (a << bit) * (b >> bit & 1)
    for bit in reversed(range(8, 15)):
        product ^= (FIELD << (bit - 8)) * (product >> bit & 1)
    return product


# -- PRESENT ------------------------------------------------------------------------------------


def spread_table() -> str:
    """The S-box of both nibbles of a byte, and where the permutation puts their bits."""
    about = "Bits i of both nibbles, substituted, as bits 8 i (of the low one) and 8 i + 1."
    return words("spread", [spread(byte) for byte in range(256)], about)


def spread(byte: int) -> int:
    low, high = PRESENT_S_BOX[byte & 15], PRESENT_S_BOX[byte >> 4]
    return sum(((low >> i & 1) | (high >> i & 1) << 1) << 8 * i for i in range(4))


if __name__ == "__main__":
    main()
