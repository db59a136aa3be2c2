# SPDX-License-Identifier: Apache-2.0
"""Products that share few multipliers: values and cycles, and what it costs."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Values, check, packaged
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.compiler.goals import find_goal
from tandem.compiler.room import Room
from tandem.frontend.program import Program
from tandem.ir.parser import parse
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import BlockSchedule
from tandem.schedule.setting import Setting

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\n"

UNSIGNED = """uint64_t f(uint64_t a, uint64_t b) {
    return a * b ^ (uint64_t)((unsigned __int128)a * b >> 64); }"""
SIGNED = "int64_t f(int64_t a, int64_t b) { return a * b + ((__int128)a * b >> 64); }"
STREAM = """void f(const int16_t *in, int32_t *out, int n) {
    for (int i = 0; i < n; i++) out[i] = (in[i] * in[i] + 7) * (in[i] - 3) * 5 - in[i] * 1001; }"""
RECURRENCE = """uint32_t f(uint32_t *data, int n) {
    uint32_t s = 1;
    for (int i = 0; i < n; i++) { s = s * data[i] + 77; data[i] = s * s; }
    return s; }"""
NEST = """int32_t f(const int16_t *in, int n) {
    int32_t s = 1;
    for (int i = 0; i < n; i++) {
        int d = in[i] * in[n - 1 - i];
        for (int j = 0; j < (d & 7); j++) s += in[i] * s + j * in[j % n];
        s ^= s * s >> 5;
    }
    return s * n; }"""


def numbers(random: Random) -> Values:
    size = random.randrange(64)
    return {"a": random.getrandbits(64) >> size, "b": random.getrandbits(64)}


def arrays(random: Random) -> Values:
    n = random.randrange(1, 12)
    names = ("in", "out", "data")
    return {**{name: random.randbytes(4 * n) for name in names}, "n": n}


PROGRAMS = {
    "unsigned": (UNSIGNED, numbers),
    "signed": (SIGNED, numbers),
    "stream": (STREAM, arrays),
    "recurrence": (RECURRENCE, arrays),
    "nest": (NEST, arrays),
}


def made(folder: Path, text: str, target: Target, multipliers: int | None) -> Compiled:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    goal = find_goal("balanced", Room(dsp=multipliers))
    return compile_kernel(Program.of(source), "f", target, CLOCK_PS, goal=goal)


def loop(compiled: Compiled) -> BlockSchedule:
    return max(compiled.schedule.blocks.values(), key=lambda s: s.ii)


@pytest.mark.parametrize("multipliers", [1, 3, 7])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_cycles_agree(
    tmp_path: Path, target: Target, name: str, multipliers: int
) -> None:
    text, values = PROGRAMS[name]
    compiled = made(tmp_path, text, target, multipliers)
    assert estimate_area(compiled.schedule)["dsp"] <= multipliers
    built = packaged(compiled, tmp_path)
    random = Random(name)
    for _ in range(12):
        check(built, values(random))


def test_each_product_has_its_own_where_there_is_room(tmp_path: Path, target: Target) -> None:
    compiled = made(tmp_path, STREAM, target, None)
    count = estimate_area(compiled.schedule)["dsp"]
    assert made(tmp_path, STREAM, target, count).kernel.multipliers is None
    assert made(tmp_path, STREAM, target, count - 1).kernel.multipliers == count - 1


def test_a_loop_starts_as_often_as_its_multipliers_allow(tmp_path: Path, target: Target) -> None:
    """And with as many as its products are, as the cure says, every cycle."""
    alone = loop(made(tmp_path, STREAM, target, 1))
    assert alone.limits.sentence() == "5 products an iteration share one multiplier (line 3)"
    assert alone.limits.cure() == "give it more of them, or multiply narrower integers"
    assert alone.ii == alone.limits.res_mii == 5
    assert [loop(made(tmp_path, STREAM, target, n)).ii for n in (2, 3, 5)] == [3, 2, 1]


USES = """tandem-ir 1
kernel @uses
  argument @a : pointer inout memory=@a "uint8_t *"
  argument @n : scalar in i8 "uint8_t"
  memory @a : argument ? x i8
^b0:
  %0 = load 0:i8 {memory=a} : i8
  %1 = load 1:i8 {memory=a} : i8
  %2 = mul %0, %1 : i8
  %3 = mul %2, @n : i8
  %4 = mul %3, %1 : i8
  store 2:i8, %4 {memory=a}
  return
"""


def test_a_unit_is_shared_by_all_that_use_it_anywhere(target: Target) -> None:
    sharing = Setting(parse(USES, "uses"), target).sharing
    assert sorted(sharing.values()) == [1, 2, 3], "a store, loads, products"
    assert sharing["load a"] == 2 and sharing["store a"] == 1
