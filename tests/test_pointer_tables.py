# SPDX-License-Identifier: Apache-2.0
"""Constants with pointers in them: what is read by way of one of their members is of an array that
this member leads to, and of no other one, however written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.ir.ops import Rom
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = """#include <stdint.h>
#include <stddef.h>
static const int32_t first[4] = {7, 9, -12, 15}, second[4] = {21, -24, 27, 30};
static const int16_t shorts[8] = {3, 1, 4, 1, 5, -9, 2, 6}, others[8] = {2, 7, -1, 8, 2, 8, 1, 8};
struct row { const int32_t *words; const int16_t *shorts; int size; };
"""
ROWS = "{{first, shorts, 4}, {second, others, 3}}"
ALL = "W[i % S] * N[i & 7]"


def reading(words: str, shorts: str, size: str, before: str = "", inside: str = "") -> str:
    """A function of the table: by what expressions it reads a row of it."""
    sum_ = ALL.replace("W", words).replace("N", shorts).replace("S", size)
    loop = f"for (unsigned i = 0; i < (unsigned)n; i++) sum += {sum_};"
    body = f"int sum = 0;\n{inside}\n{loop}\nreturn sum;\n"
    return f"{before}\nint top(int n, unsigned k)\n{{\n{body}}}\n"


def members(row: str) -> tuple[str, str, str]:
    return f"{row}.words", f"{row}.shorts", f"{row}.size"


TABLE = f"static const struct row rows[2] = {ROWS};"
SPELLINGS = {
    "struct": reading(*members("rows[k & 1]"), TABLE),
    "pointer": reading(
        "r->words", "r->shorts", "r->size", TABLE, "const struct row *r = &rows[k & 1];"
    ),
    "members first": reading(
        *("w", "s", "size", TABLE),
        "const int32_t *w = rows[k & 1].words; const int16_t *s = rows[k & 1].shorts;"
        "int size = rows[k & 1].size;",
    ),
    "copy": reading("r.words", "r.shorts", "r.size", TABLE, "struct row r = rows[k & 1];"),
    "rows of rows": reading(
        *members("rows[k >> 1 & 1][k & 1]"),
        f"static const struct row rows[2][2] = {{{ROWS}, {ROWS}}};",
    ),
    "in the function": reading(*members("rows[k & 1]"), "", TABLE),
    "nested": reading(
        *members("all[k & 1].in"),
        "static const struct { char id; struct row in; } all[2] = {{1, {first, shorts, 4}}, "
        "{2, {second, others, 3}}};",
    ),
    "arrays of pointers": reading(
        *("words[k & 1]", "shorts_[k & 1]", "sizes[k & 1]"),
        "static const int32_t *const words[2] = {first, second};"
        "static const int sizes[2] = {4, 3};"
        "static const int16_t *const shorts_[2] = {shorts, others};",
    ),
    "with null": reading(
        *members("rows[1 + (k & 1)]"),
        "static const struct row rows[3] = {{NULL, NULL, 0}, {first, shorts, 4}, "
        "{second, others, 3}};",
    ),
    "inside of arrays": reading(
        *members("rows[k & 1]"),
        "static const struct row rows[2] = {{first + 1, shorts, 3}, {second + 1, others, 3}};",
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_each_member_leads_to_its_own(name: str, target: Target, tmp_path: Path) -> None:
    built = build_text(HEAD + SPELLINGS[name], target, CLOCK_PS, tmp_path, slower_clock=True)
    names = [op.memory.name for _, op in built.imported.ops() if isinstance(op, Rom)]
    arrays = ("first", "second", "shorts", "others")
    assert [sum(name.startswith(array) for name in names) for array in arrays] == [1, 1, 1, 1]
    random = Random(8)
    for k in range(4):
        check(built, {"n": random.randrange(20), "k": k})
