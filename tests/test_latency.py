# SPDX-License-Identifier: Apache-2.0
"""Registers inside multiplier blocks and block RAMs: where a kernel gets them, and that the RTL
still does what the C does, in the cycles that the schedule says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from agreement import Values, build, check
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import Mul
from tandem.rtl.circt import to_verilog
from tandem.schedule.delays import Target
from tandem.schedule.expected import expected_cycles
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

CLOCK_PS, FAST_CLOCK_PS = 10_000, 6_000
MIDDLE_CLOCK_PS = 7_000
"""Here a square is what the next one is made of in the very cycle in which it comes."""

PRODUCTS = """
void f(const int *a, const int *b, int *out, unsigned n) {
    for (unsigned i = 0; i < n; i++) out[i] = a[i] * b[i]; }"""
NARROW_PRODUCTS = """
void f(const signed char *a, const unsigned char *b, int *out, unsigned n, short gain) {
    for (unsigned i = 0; i < n; i++) out[i] = a[i] * b[i] + a[i] * gain; }"""
POWERS = """
unsigned short f(unsigned short x, unsigned n) {
    unsigned short y = 1;
    for (unsigned i = 0; i < n; i++) y *= x;
    return y; }"""
SQUARES = """
void f(unsigned short x, unsigned short *out, unsigned n) {
    for (unsigned i = 0; i < n; i++) { x *= x; out[i] = x; } }"""
SLOW_PRODUCTS = """
unsigned f(unsigned *a, unsigned n) {
    unsigned last = 1;
    for (unsigned i = 0; i < n; i++) {
        last = a[last & 7] * 3u + a[i & 7] * last;
        a[i & 7] = last; }
    return last; }"""
DEEP_TABLE = """
unsigned f(const unsigned short *in, unsigned *out, unsigned n) {
    unsigned t[4225];
    for (unsigned i = 0; i < 4225; i++) t[i] = i * 2654435761u;
    for (unsigned i = 0; i < n; i++) out[i] = t[in[i] % 4225u] ^ t[in[i] >> 4];
    return t[4224] ^ t[4095] ^ t[4096]; }"""
WALK = """
unsigned f(const unsigned short *next, unsigned n) {
    unsigned short t[2048], p = 0;
    for (unsigned i = 0; i < 2048; i++) t[i] = next[i] & 2047;
    for (unsigned i = 0; i < n; i++) p = t[p];
    return p; }"""
COUNTS = """
unsigned f(const unsigned char *in, unsigned n) {
    unsigned counts[256], most = 0;
    for (unsigned i = 0; i < 256; i++) counts[i] = 0;
    for (unsigned i = 0; i < n; i++) counts[in[i]]++;
    for (unsigned i = 0; i < 256; i++) if (counts[i] > most) most = counts[i];
    return most; }"""


CASES: dict[str, tuple[str, dict[str, int]]] = {
    # The kernel, and how many bytes an element of each array has; a number is drawn for the rest.
    "products": (PRODUCTS, {"a": 4, "b": 4, "out": 4}),
    "narrow products": (NARROW_PRODUCTS, {"a": 1, "b": 1, "out": 4}),
    "powers": (POWERS, {}),
    "squares": (SQUARES, {"out": 2}),
    "slow products": (SLOW_PRODUCTS, {"a": 4}),
    "deep table": (DEEP_TABLE, {"in": 2, "out": 4}),
    "walk": (WALK, {"next": 2}),
    "counts": (COUNTS, {"in": 1}),
}
LEAST_ELEMENTS = {"walk": 2048, "slow products": 8}


def _values(name: str, random: Random, n: int) -> Values:
    text, arrays = CASES[name]
    elements = max(n, LEAST_ELEMENTS.get(name, 0))
    found: dict[str, int | bytes] = {
        array: random.randbytes(elements * size) for array, size in arrays.items()
    }
    numbers = [word for word in ("x", "gain") if f"short {word}" in text]
    return {**found, "n": n, **{word: random.getrandbits(14) for word in numbers}}


@pytest.mark.parametrize("clock_ps", [FAST_CLOCK_PS, MIDDLE_CLOCK_PS, CLOCK_PS])
@pytest.mark.parametrize("name", CASES)
def test_the_rtl_does_what_the_c_does(
    name: str, clock_ps: int, target: Target, tmp_path: Path
) -> None:
    source = tmp_path / "f.c"
    source.write_text(CASES[name][0])
    built = build(source, "f", target, clock_ps, tmp_path, slower_clock=True)
    random = Random(name)
    for n in (0, 1, 2, 9, 40):
        check(built, _values(name, random, n))


def _schedule(text: str, target: Target, clock_ps: int, folder: Path) -> KernelSchedule:
    source = folder / "f.c"
    source.write_text(text)
    return compile_kernel(Program.of(source), "f", target, clock_ps).schedule


def _product_latencies(schedule: KernelSchedule) -> set[int]:
    return {
        block.latency.get(op, 0)
        for block in schedule.blocks.values()
        for op in block.start
        if isinstance(op, Mul)
    }


def _loops(schedule: KernelSchedule) -> list[BlockSchedule]:
    return [block for block in schedule.blocks.values() if block.ii]


def test_a_product_at_a_fast_clock_has_registers(target: Target, tmp_path: Path) -> None:
    schedule = _schedule(PRODUCTS, target, FAST_CLOCK_PS, tmp_path)
    assert schedule.ii == 1 and min(_product_latencies(schedule)) > 0


def test_a_deep_table_answers_from_registers_in_its_parts(target: Target, tmp_path: Path) -> None:
    schedule = _schedule(DEEP_TABLE, target, FAST_CLOCK_PS, tmp_path)
    (table,) = [m for m in schedule.kernel.memories.values() if m.kind is MemoryKind.RAM]
    assert schedule.read_latency[table.name] == 2
    assert target.parts(table) == [4096, 129]
    assert all(loop.ii == 1 for loop in _loops(schedule))


def _without_choice(target: Target) -> Target:
    """The target with the lowest latency of everything only."""
    rows = dict(target.rows)
    rows["mul"] = replace(rows["mul"], registered=())
    rows["ram"] = replace(rows["ram"], registered=rows["ram"].registered[:1])
    return replace(target, rows=rows)


@pytest.mark.parametrize("text", [WALK, COUNTS, POWERS, SLOW_PRODUCTS])
def test_a_recurrence_keeps_its_ii(text: str, target: Target, tmp_path: Path) -> None:
    schedule = _schedule(text, target, CLOCK_PS, tmp_path)
    lowest = _schedule(text, _without_choice(target), CLOCK_PS, tmp_path)
    iis = [[loop.ii for loop in _loops(one)] for one in (schedule, lowest)]
    assert iis[0] == iis[1]
    assert expected_cycles(schedule) <= 1.01 * expected_cycles(lowest)


def test_a_look_up_that_the_next_one_waits_for_takes_one_cycle(
    target: Target, tmp_path: Path
) -> None:
    schedule = _schedule(WALK, target, CLOCK_PS, tmp_path)
    assert [loop.ii for loop in _loops(schedule)] == [1, 1]
    assert set(schedule.read_latency.values()) == {1}


def test_parts_take_the_fewest_blocks(target: Target) -> None:
    def parts(depth: int, bits: int) -> list[int]:
        return target.parts(Memory("m", MemoryKind.RAM, bits, depth))

    assert parts(2048, 32) == [2048]
    assert parts(4096, 32) == [4096]
    assert parts(300, 32) == [300]
    assert parts(20_000, 8) == [16384, 3616]


def test_the_verilog_has_the_registers(target: Target, tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text(DEEP_TABLE)
    compiled = compile_kernel(Program.of(source), "f", target, FAST_CLOCK_PS)
    text = to_verilog(compiled.hardware)
    assert "cells[0:4095]" in text and "cells[0:128]" in text
    assert "late0 <= answer0" in text
