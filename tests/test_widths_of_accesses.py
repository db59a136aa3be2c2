# SPDX-License-Identifier: Apache-2.0
"""Local arrays that are accessed in several widths: each piece of the widest access is a memory of
its own, however written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\n#include <string.h>\n"
TOP = "uint32_t top(const uint8_t in[1024], const uint8_t at[256], int n)\n"
FILL = "for (int i = 0; i < 1024; i++) b[i] = in[i] ^ 5 * i;\n"
BYTES = "for (int i = 0; i < 256; i++) sum += b[5 * at[i] & 1023];\n"


def words(word: str, declared: str = "uint8_t b[1024];\n", fill: str = FILL) -> str:
    """A function that fills an array and adds up words of it."""
    loop = f"for (int i = 0; i < n; i++) {{ {word} sum = sum + w; }}\n"
    return f"{TOP}{{\nuint32_t sum = 0;\n{declared}{fill}{loop}return sum;\n}}\n"


COPY = "uint32_t w; memcpy(&w, b + 4 * at[i], 4);"
SPELLINGS = {
    "memcpy": words(COPY),
    "cast": words("uint32_t w = ((uint32_t *)b)[at[i]];", "_Alignas(4) uint8_t b[1024];\n"),
    "union": words(
        "uint32_t w = u.w[at[i]];",
        "union { uint8_t b[1024]; uint32_t w[256]; } u;\nuint8_t *b = u.b;\n",
    ),
    "shifts": words(
        "uint32_t k = 4 * at[i];"
        "uint32_t w = b[k] | b[k + 1] << 8 | b[k + 2] << 16 | (uint32_t)b[k + 3] << 24;"
    ),
    "halves": words("uint16_t w; memcpy(&w, b + 2 * at[i], 2);"),
    "long words": words("uint64_t w; memcpy(&w, b + 4 * (at[i] & 254), 8); w ^= w >> 32;"),
    "member": words(COPY, "struct { int k; uint8_t b[1024]; } s;\nuint8_t *b = s.b;\n"),
    "words are stored": words(
        "uint32_t w = b[7 * at[i] & 1023];",
        "uint32_t a[256]; uint8_t *b = (uint8_t *)a;\n",
        "for (int i = 0; i < 256; i++) a[i] = in[i] * 0x1030507;\n",
    ),
}
"""Words in an array of bytes."""


@pytest.mark.parametrize("name", SPELLINGS)
def test_words_and_bytes(name: str, target: Target, tmp_path: Path) -> None:
    built = build_text(HEAD + SPELLINGS[name], target, CLOCK_PS, tmp_path)
    assert {s.ii for s in built.schedule.blocks.values() if s.ii} == {1}
    random = Random(6)
    for n in (0, 3, 256):
        data = {"in": random.randbytes(1024), "at": random.randbytes(256), "n": n}
        check(built, data)
