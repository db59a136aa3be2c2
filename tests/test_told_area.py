# SPDX-License-Identifier: Apache-2.0
"""What is told of constant tables, multiplier blocks, carries and registers that never change,
before synthesis: by what each family has."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel, find_target
from tandem.frontend.program import Program
from tandem.installation import known
from tandem.ir.memory import Memory, MemoryKind
from tandem.ir.ops import ArgumentOp, Mul, Op, Rom, Shl, constant
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import tree_lut4
from tandem.schedule.multiplier_area import in_block, product_lut4
from tandem.schedule.operator_area import operator_lut4

CLOCK_PS = 80_000


def argument(width: int) -> Op:
    return ArgumentOp((), width)


def told(text: str, target: str, folder: Path, clock_ps: int = CLOCK_PS) -> dict[str, int]:
    source = folder / "top.c"
    source.write_text(text)
    made = compile_kernel(Program.of(source), "top", find_target(target), clock_ps)
    return estimate_area(made.schedule)


def table(words: list[int], width: int) -> Op:
    index_bits = (len(words) - 1).bit_length()
    memory = Memory("t", MemoryKind.ROM, width, len(words), tuple(words))
    return Rom((argument(index_bits),), width, {"memory": memory})


@pytest.mark.parametrize("target", known("targets"))
def test_what_a_table_holds(target: str) -> None:
    family = find_target(target)
    equal = [(0b10 if i in (1, 2, 7) else 0b01) for i in range(16)]
    assert operator_lut4(family, table(equal, 2)) == 1
    assert operator_lut4(family, table(list(range(16)), 4)) == 0
    parity = [i.bit_count() & 1 for i in range(256)]
    assert operator_lut4(family, table(parity, 1)) == tree_lut4(family, 8)
    majority = [int(i.bit_count() > 4) for i in range(256)]
    assert operator_lut4(family, table(majority, 1)) == family.rows["rom"].area(8)


@pytest.mark.parametrize("target", known("targets"))
def test_narrow_products_are_look_up_tables(target: str) -> None:
    family = find_target(target)
    one = Mul((argument(1), argument(16)), 16)
    assert not in_block(family, one) and product_lut4(one) == 16
    assert in_block(family, Mul((argument(16), argument(16)), 16))


def test_each_family_takes_in_what_it_can(tmp_path: Path) -> None:
    """A sum with a product, and none with one that something else reads."""
    alone = "int top(short a, short b, int c) { return a * b + c; }"
    twice = "int top(short a, short b, int c) { return a * b + c ^ a * b; }"
    for target in known("targets"):
        family = find_target(target)
        area = [told(text, target, tmp_path)["lut4"] for text in (alone, twice)]
        more = family.rows["add"].area(32) if family.multipliers.sum_bits else 0
        assert area[1] - area[0] == more + (0 if family.table_behind_carry else 32)


def test_what_is_subtracted_is_inverted_where_carries_do_not(tmp_path: Path) -> None:
    sub = "int top(int a, int b) { return a - b; }"
    add = sub.replace("-", "+")
    for target in known("targets"):
        more = told(sub, target, tmp_path)["lut4"] - told(add, target, tmp_path)["lut4"]
        assert more == (32 if find_target(target).table_behind_carry else 0)


def test_a_bit_that_never_changes_has_no_register(tmp_path: Path) -> None:
    """Every other bit of a bit that goes two places a turn."""
    text = """int top(unsigned n) {
        unsigned bit = 1u << 30, sum = 0;
        while (bit > n) { bit >>= 2; sum ^= bit + n; }
        return sum; }"""
    slower = text.replace(">>= 2", ">>= 1")
    assert told(slower, "ecp5", tmp_path)["ff"] - told(text, "ecp5", tmp_path)["ff"] >= 15


def test_logic_behind_a_sum_is_in_the_carrys_table(tmp_path: Path) -> None:
    """Where that is behind the carry, one more bit fits and nothing else reads the sum."""
    alone = "int top(int a, int b, int c) { return (a + b) ^ c; }"
    twice = "int top(int a, int b, int c) { return ((a + b) ^ c) + (a + b); }"
    for target in known("targets"):
        family = find_target(target)
        add = family.rows["add"].area(32)
        logic = 0 if family.table_behind_carry else 32
        assert told(alone, target, tmp_path)["lut4"] == add + logic + 2
        assert told(twice, target, tmp_path)["lut4"] >= 2 * add + 32


def test_a_comparison_takes_in_what_it_compares(tmp_path: Path) -> None:
    """Pairs of bits are in the tables of the tree that compares them, if only that reads them."""
    alone = "int top(int a, int b) { return (a & b) == 0; }"
    for target in known("targets"):
        assert told(alone, target, tmp_path)["lut4"] == tree_lut4(find_target(target), 64) + 2


COPY = (
    "void top(const short in[64], short out[64]) { for (int i = 0; i < 64; i++) out[i] = in[i]; }"
)
SIGN = """int top(const unsigned char *in, int *out, int n) { int s = 0;
    for (int i = 0; i < n; i++) { int d = in[i] - 3; out[i & 7] = d; s ^= d; } return s; }"""
ONE_BIT = """unsigned top(unsigned a, int n) { unsigned s = 0, m = a & 31;
    for (int i = 0; i < n; i++) { s += 1u << m; m = (s ^ i) & 31; } return s; }"""
MIXED = """int top(const short *in, const unsigned short *to, int n) { int s = 0;
    for (int i = 0; i < n; i++) s ^= in[i] * to[i]; return s; }"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (COPY, {"ecp5": 24, "ice40up": 7, "nexus": 24}),
        (SIGN, {"ecp5": 103, "ice40up": 103, "nexus": 103}),
        (ONE_BIT, {"ecp5": 144, "ice40up": 110, "nexus": 110}),
        (MIXED, {"ecp5": 102, "ice40up": 100, "nexus": 100}),
    ],
)
def test_flip_flops_are_those_that_synthesis_makes(
    text: str, found: dict[str, int], tmp_path: Path
) -> None:
    """`found`: by yosys 0.70. What streams count, copies of a sign, what is returned, what says
    that a loop is left, and factors that blocks take in or, of two signs, do not."""
    assert found == {
        target: told(text, target, tmp_path, CLOCK_PS if target == "ice40up" else 10_000)["ff"]
        for target in known("targets")
    }


def test_a_choice_between_sums_is_one_sum(tmp_path: Path) -> None:
    """With a value in common, and of one kind: what is added is chosen."""
    once = "int top(int a, int b, int c, int d) { return d & 1 ? a + b : a + c; }"
    apart = once.replace("a + c", "a - c")
    for target in known("targets"):
        family = find_target(target)
        add = family.rows["add"].area(32)
        area = [told(text, target, tmp_path)["lut4"] for text in (once, apart)]
        assert area[0] == add + 32 + 2
        assert area[1] - area[0] == add + (32 if family.table_behind_carry else 0)


def test_a_shifted_bit_in_a_register_is_a_table_of_less() -> None:
    """One bit of the amount resets the register, and each half takes what the other does."""
    for target in known("targets"):
        family = find_target(target)
        one = Shl((constant(1, 32), argument(5)), 32)
        assert operator_lut4(family, one, is_stored=True) == 16
        assert operator_lut4(family, one) > 16


def test_two_numbers_are_compared_once(tmp_path: Path) -> None:
    """The less and the greater one of two ask the same carry; other answers also whether both are
    equal."""
    least = "int top(int a, int b, int *o) { *o = 0; return a < b ? a : b; }"
    both = least.replace("0", "b < a ? a : b")
    other = least.replace("0", "b < a")
    for target in known("targets"):
        family = find_target(target)
        area = [told(text, target, tmp_path)["lut4"] for text in (least, both, other)]
        assert area[1] - area[0] == 32
        assert area[2] - area[0] == round(family.rows["eq"].area(32))
