# SPDX-License-Identifier: Apache-2.0
"""Makes present_tables.h from what the paper says of PRESENT's S-box and permutation.

python library/kernels/crypto/present/make_tables.py
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
A_LINE = 8
S_BOX = (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2)
TEXT = """/* SPDX-License-Identifier: Apache-2.0
 * Made by make_tables.py: do not edit. */
#ifndef PRESENT_TABLES_H
#define PRESENT_TABLES_H

#include <stdint.h>

/* Bits i of both nibbles, substituted, as bits 8 i (of the low one) and 8 i + 1. */
static const uint32_t spread[256] = {{
    {words}}};

#endif
"""


def main() -> None:
    for name, text in headers().items():
        (FOLDER / name).write_text(text)


def headers() -> dict[str, str]:
    """The text of each file."""
    shown = [f"0x{spread(byte):08x}" for byte in range(256)]
    lines = [", ".join(shown[i : i + A_LINE]) for i in range(0, len(shown), A_LINE)]
    return {"present_tables.h": TEXT.format(words=",\n    ".join(lines))}


def spread(byte: int) -> int:
    """The S-box of both nibbles of a byte, and where the permutation puts their bits."""
    low, high = S_BOX[byte & 15], S_BOX[byte >> 4]
    return sum(((low >> i & 1) | (high >> i & 1) << 1) << 8 * i for i in range(4))


if __name__ == "__main__":
    main()
