# SPDX-License-Identifier: Apache-2.0
"""Small local arrays that are reached at known places, but for a few accesses, are values; others
stay memories."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.ir.memory import MemoryKind
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = "#include <string.h>\n#include <stdint.h>\n"
ROUND = """for (int r = 0; r < 6; r++) {
    for (int i = 0; i < 16; i++) s[i] = s[i] ^ (s[(i + 1) & 15] >> 1);
    uint8_t t = s[0];
    for (int i = 0; i < 15; i++) s[i] = s[i + 1] + r;
    s[15] = t; }"""

VALUES = {
    "one byte after the other": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64])
{{ uint8_t s[16]; int k = 16;
  for (int n = 0; n < 64; n++, k++) {{
    if (k == 16) {{ for (int i = 0; i < 16; i++) s[i] = key[i] + n; {ROUND} k = 0; }}
    out[n] = s[k]; }} }}""",
    "from both ends": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64])
{{ uint8_t s[16]; memcpy(s, key, 16); {ROUND}
  for (int n = 0; n < 64; n++) out[n] = s[n & 15] - s[15 - (n & 15)]; }}""",
    "of odd length": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64], unsigned n)
{{ uint8_t s[11]; for (int i = 0; i < 11; i++) s[i] = key[i];
  for (int r = 0; r < 9; r++) {{ uint8_t t = s[0];
    for (int i = 0; i < 10; i++) s[i] = s[i + 1] ^ s[i]; s[10] = t + s[5]; }}
  for (int i = 0; i < 64; i++) out[i] = s[i % 11] + s[n % 11]; }}""",
    "one is changed": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64], unsigned n)
{{ uint8_t s[16]; memcpy(s, key, 16); s[n & 15] = 77; {ROUND}
  for (int i = 0; i < 64; i++) out[i] = s[i & 15]; }}""",
    "sometimes changed": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64], unsigned n)
{{ uint8_t s[16]; memcpy(s, key, 16); if (key[3] & 1) s[n & 15] ^= key[5]; {ROUND}
  for (int i = 0; i < 16; i++) out[i] = s[i]; for (int i = 16; i < 64; i++) out[i] = i; }}""",
}
ARRAYS = {
    "counts": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64])
{{ uint32_t s[16]; for (int i = 0; i < 16; i++) s[i] = 0;
  for (int i = 0; i < 16; i++) s[key[i] & 15] += key[i];
  for (int i = 0; i < 64; i++) out[i] = s[i & 15]; }}""",
    "a table of the key's": f"""{HEAD}void top(const uint8_t key[16], uint8_t out[64])
{{ uint8_t s[64]; for (int i = 0; i < 64; i++) s[i] = key[i & 15] * i;
  for (int i = 0; i < 64; i++) out[i] = s[s[i] & 63]; }}""",
}


def memories(text: str, target: Target, folder: Path) -> list[str]:
    built = build_text(text, target, CLOCK_PS, folder)
    random = Random(text)
    for _ in range(3):
        values = {"key": random.randbytes(16), "out": bytes(64), "n": random.randrange(1 << 32)}
        check(built, {k: v for k, v in values.items() if k in {r["name"] for r in built.rows}})
    return [m.name for m in built.schedule.kernel.memories.values() if m.kind is MemoryKind.RAM]


@pytest.mark.parametrize("name", VALUES)
def test_few_open_places(name: str, target: Target, tmp_path: Path) -> None:
    assert memories(VALUES[name], target, tmp_path) == []


@pytest.mark.parametrize("name", ARRAYS)
def test_many_open_places(name: str, target: Target, tmp_path: Path) -> None:
    assert memories(ARRAYS[name], target, tmp_path) != []
