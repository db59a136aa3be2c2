# SPDX-License-Identifier: Apache-2.0
"""Conditions and constants in directives of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tandem.diagnostics import Place, UserError
from tandem.frontend.directives.conditions import value_of
from tandem.frontend.directives.hls import read_hls
from trial import good, source, tandem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 == 2", 1),
        ("1 + 2 * 3 - 4 / 3", 6),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("(8 >> 1 | 1) == 5 && !(0x10u < 16) || 0", 1),
        ("1 ? 2 : 3 ? 4 : 5", 2),
        ("010", 8),
        ("true && ~0", 1),
        ("1 << 3 < 9", 1),
        ("F == 2", None),
        ("1 +", None),
        ("1 / 0", None),
        ("(1", None),
        ("", None),
    ],
)
def test_conditions_of_numbers(text: str, value: int | None) -> None:
    assert value_of(text) == value


def test_a_directive_with_a_condition() -> None:
    place = Place("a.c", 1)
    found = read_hls("if (2 == (1 + 1)) unroll factor=4", "", place)
    assert found.directive is not None and found.directive.number == 4
    assert read_hls("IF (0) unroll", "", place).directive is None
    assert "known to the compiler alone" in str(read_hls("if (F) unroll", "", place).notes[0])
    for words in ("if (1 unroll", "if (1) unrol"):
        with pytest.raises(UserError, match="pragma"):
            read_hls(words, "", place)


TEMPLATE = """
template <int F> static int sum(const int *a)
{
    int s = 0;
    for (int i = 0; i < 64; i++) {
#pragma HLS unroll factor=F
        s += a[i];
    }
    return s;
}
int total(const int a[64]) { return sum<%d>(a); }
"""


def test_a_templates_parameter_is_a_factor(tmp_path: Path) -> None:
    """Fewer iterations of more of the C's each, which time does not ask for by itself."""

    def build(factor: int) -> dict[str, object]:
        source(tmp_path, TEMPLATE % factor, "app.cpp")
        done = tandem("build", "app.cpp", "--top", "total", "--json", cwd=tmp_path)
        good(done)
        return json.loads(done.stdout)["loops"][0]

    assert build(1)["length_cycles"] != build(4)["length_cycles"]
    source(tmp_path, TEMPLATE % 0, "app.cpp")
    done = tandem("build", "app.cpp", "--top", "total", cwd=tmp_path)
    assert done.returncode == 2 and "app.cpp:5: error[c]" in done.stderr


@pytest.mark.parametrize(
    ("words", "sizes", "banks", "told"),
    [
        ("cyclic factor=4", (64,), 4, ""),
        ("cyclic factor=4 dim=2", (8, 64), 4, ""),
        ("cyclic factor=4 dim=0", (8, 64), 4, "wherever a row begins"),
        ("cyclic factor=4 dim=2", (8, 62), 4, "wherever a row begins"),
        ("cyclic factor=3", (64,), None, "a power of two"),
        ("block factor=4", (64,), None, "try `cyclic`"),
        ("complete", (64,), 0, ""),
        ("complete dim=0", (8, 64), 0, ""),
        ("complete dim=2", (4, 16), 16, ""),
        ("complete dim=2", (4, None), None, "a power of two"),
        ("complete dim=1", (8, 64), None, "only the last dimension"),
    ],
)
def test_what_a_partition_of_others_asks_for(
    words: str, sizes: tuple[int | None, ...], banks: int | None, told: str
) -> None:
    found = read_hls(f"array_partition variable=a {words}", "", Place("f.c", 1)).partition
    assert found is not None
    number, text = found.banks(sizes)
    assert number == banks and told in text and bool(told) == bool(text)
