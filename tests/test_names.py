# SPDX-License-Identifier: Apache-2.0
"""Names that C allows and other languages do not, or that meet after cleaning."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from agreement import build, check
from tandem.ir.names import plain, spelled
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.rtl.ports import port_name
from tandem.rtl.text import module_name
from tandem.schedule.delays import Target

PARAMETERS = (
    "größe",
    "gr_uf6__udf_e",
    "clk",
    "begin",
    "dol$lar",
    "x_read_data",
    "result_value",
    "done",
    "b1_valid1",
    "result",
    "result_",
    "EOF",
    "fixed_0",
    "v",
)
TEMPLATE = """
#include <stdint.h>
#pragma tandem extent(b2_valid1, 64)
#pragma tandem extent(x, 64)
#pragma tandem extent(x_read, 64)
static const uint8_t table[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};
static const uint8_t tab$le[16] = {{13, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};
uint32_t {top}(const uint32_t *x, uint32_t *x_read, uint32_t *b2_valid1, {parameters})
{{
    uint32_t start = 0, reset = clk, b1_active = 5, logic[16] = {{0}}, lög[4] = {{1}};
    for (uint32_t i = 0; i < größe; i++)
        logic[i & 15] = i * begin + EOF;
    for (uint32_t i = 0; i < größe; i++) {{
        uint32_t finished = x[i & 15] / (dol$lar | 1);
        x_read[(i * 3) & 15] += finished ^ start;
        b2_valid1[i & 15] = reset + table[i & 15] * tab$le[start & 15];
        start += logic[finished & 15] + x_read[i & 15] + lög[i & 3];
        lög[start & 3] += reset ^ x_read_data;
        reset = reset * 3 + b1_active;
        b1_active ^= start + b1_valid1;
    }}
    return start + reset + v + result_value + done + gr_uf6__udf_e + result * result_ + fixed_0;
}}
"""


def text(top: str) -> str:
    return TEMPLATE.format(top=top, parameters=", ".join(f"uint32_t {p}" for p in PARAMETERS))


def values(random: Random) -> dict[str, int | bytes]:
    scalars = {name: random.randrange(1 << 32) for name in PARAMETERS} | {"größe": 19}
    return {**scalars, **{name: random.randbytes(64) for name in ("x", "x_read", "b2_valid1")}}


@pytest.mark.parametrize("top", ["module", "x_", "größe_2"])
def test_every_way_agrees(top: str, tmp_path: Path, target: Target) -> None:
    source = tmp_path / "kernel.c"
    source.write_text(text(top))
    built = build(source, top, target, 10_000, tmp_path, slower_clock=True)
    assert [a.name for a in built.finished.arguments][3:-1] == list(PARAMETERS)
    check(built, values(Random(top)))
    printed = print_kernel(built.finished)
    assert print_kernel(parse(printed)) == printed
    verilog = (built.package / "kernel.sv").read_text()
    assert verilog.isascii()
    modules = re.findall(r"^module (\S+?)\(", verilog, re.M)
    assert modules[-1] == module_name(top) and len(modules) > 2
    assert all(name.startswith(f"{module_name(top)}$") for name in modules[:-1])


def test_spelled_names_stay_different() -> None:
    names = [
        "größe",
        "gr_uf6__udf_e",
        "gr_uf6_",
        "grö",
        "a$b",
        "a_b",
        "a_u24_b",
        "x",
        "x_",
        "_u5f_u",
    ]
    assert len({spelled(n) for n in names}) == len(names)
    assert all(re.fullmatch(r"\w+", spelled(n), re.A) for n in names)
    more = [*names, "x_valid", "x_valid_", "clk", "clk_", "logic", "logic_", "EOF", "EOF_"]
    assert len({port_name(n) for n in more}) == len(more)
    assert len({module_name(n) for n in more}) == len(more)


def test_plain_names() -> None:
    assert [plain(n, "array") for n in ("x", ".str.1", "ß", "größe", "4", "")] == [
        *("x", "str_1", "array", "gr__e", "array", "array")
    ]
