# SPDX-License-Identifier: Apache-2.0
"""Loops that take what they have just stored from registers: values, cycles, and an iteration every
cycle."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\n#pragma tandem extent(keys, n)\n#pragma tandem extent(out, 256)\n"
LOCAL = """
void top(const uint8_t *keys, uint32_t *out, int n)
{
    uint32_t count[%d];
    for (int i = 0; i < %d; i++)
        count[i] = i;
    for (int i = 0; i < n; i++)
        %s
    for (int i = 0; i < 64; i++)
        out[i] = count[i];
}"""
PROGRAMS = {
    "in_tables": LOCAL % (64, 64, "count[keys[i] & 63]++;"),
    "in_block_ram": LOCAL % (1024, 1024, "count[keys[i] & 63]++;"),
    "where_it_is_odd": LOCAL % (1024, 1024, "if (keys[i] & 1) count[keys[i] & 63] += keys[i];"),
    "behind_a_port": """
void top(const uint8_t *keys, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[keys[i] & 63] += i;
}""",
    "from_one_place_to_another": LOCAL % (1024, 1024, "count[keys[i] & 63] = count[i & 63] + 1;"),
}
AT_ONCE = ("in_tables", "in_block_ram", "where_it_is_odd", "behind_a_port")
"""Those that need nothing but what they have stored at the place that they load."""


def made(name: str, target: Target, folder: Path) -> Build:
    return build_text(HEAD + PROGRAMS[name], target, CLOCK_PS, folder)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_cycles(name: str, target: Target, tmp_path: Path) -> None:
    built = made(name, target, tmp_path)
    loads = [op for _, op in built.finished.ops() if "forwarded" in op.attributes]
    assert loads, "nothing is taken from registers"
    random = Random(name)
    for n in (0, 1, 2, 3, 5, 40):
        for kinds in (1, 2, 3, 200):  # equal keys one after the other, or a few apart
            keys = bytes(random.choices(range(kinds), k=n))
            check(built, {"keys": keys, "out": random.randbytes(256), "n": n})


@pytest.mark.parametrize("name", AT_ONCE)
def test_an_iteration_every_cycle(name: str, target: Target, tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    source.write_text(HEAD + PROGRAMS[name])
    schedule = compile_kernel(Program.of(source), "top", target, CLOCK_PS).schedule
    assert max(s.ii for s in schedule.blocks.values()) == 1
