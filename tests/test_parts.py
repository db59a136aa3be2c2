# SPDX-License-Identifier: Apache-2.0
"""Models whose one long function is many short ones: values, cycles, and what crosses."""

from __future__ import annotations

from pathlib import Path
from random import Random

import llvmlite.binding as llvmlite
import pytest
from agreement import build, check
from tandem.llvm.binding import call
from tandem.llvm.module import opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import children, incoming_blocks, instructions, opcode_of
from tandem.models import parts
from tandem.models.parts import in_parts
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
SORTED = """#include <stdint.h>
#pragma tandem extent(in, 32)
#pragma tandem extent(out, 32)
uint32_t sorted(const uint32_t *in, uint32_t *out, uint32_t add)
{
    uint32_t a[8], swaps = 0;
    for (int i = 0; i < 8; i++)
        a[i] = in[i] * 3 + add;
    for (int i = 1; i < 8; i++)
        for (int j = i; j && a[j - 1] > a[j]; j--, swaps++) {
            uint32_t t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
    for (int i = 0; i < 8; i++)
        out[i] = a[i] / (add | 1);
    return swaps;
}
"""
FUNCTION = """
define void @f_eval(ptr %0) {
  %2 = getelementptr i8, ptr %0, i32 8
  %3 = load i5, ptr %2, align 1
  %4 = icmp eq i5 %3, 0
  br i1 %4, label %5, label %9

5:                                                ; preds = %1
  %6 = zext i5 %3 to i48
  %7 = add nuw i48 %6, 1
  %8 = mul i48 %7, %7
  br label %10

9:                                                ; preds = %1
  br label %10

10:                                               ; preds = %9, %5
  %11 = phi i48 [ 3, %9 ], [ %8, %5 ]
  store i48 %11, ptr %2, align 8
  ret void
}
"""


@pytest.mark.parametrize("lines", [1, 7, 40])
def test_parts_compute_what_the_whole_does(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    monkeypatch.setattr(parts, "MOST_LINES", 0)
    monkeypatch.setattr(parts, "PART_LINES", lines)
    (tmp_path / "sorted.c").write_text(SORTED)
    built = build(tmp_path / "sorted.c", "sorted", target, CLOCK_PS, tmp_path)
    random = Random(5)
    for add in (0, 6, random.getrandbits(32)):
        check(built, {"in": random.randbytes(32), "out": bytes(32), "add": add})


def test_a_short_function_stays_whole() -> None:
    assert in_parts(FUNCTION, "f_eval") == FUNCTION


def test_a_part_is_entered_in_one_place_and_left_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """No part has the end of one block and the beginning of another one that is jumped to from
    elsewhere; a choice that follows a part is between the blocks that are left."""
    monkeypatch.setattr(parts, "MOST_LINES", 0)
    monkeypatch.setattr(parts, "PART_LINES", 2)
    with opened(in_parts(FUNCTION, "f_eval")) as module:
        whole, *others = module.defined
        assert len(others) == 2
        assert all(len([*children(one, "BasicBlock")]) == 1 for one in others)
        phi = next(ref for ref in instructions([whole]) if opcode_of(ref) == Opcode.PHI)
        joined = [after for block in incoming_blocks(phi) for after in successors(block)]
        assert joined == [call("GetInstructionParent", phi)] * 2


def test_values_between_parts_go_through_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has the bytes that it takes; places in the state are computed anew."""
    monkeypatch.setattr(parts, "MOST_LINES", 0)
    monkeypatch.setattr(parts, "PART_LINES", 2)
    made = in_parts(FUNCTION, "f_eval")
    assert "alloca [9 x i8]" in made
    assert made.count("store i5 ") == 1 and made.count("load i5, ") == 3
    assert made.count("getelementptr i8, ptr %0, i32 8") == 2


@pytest.mark.parametrize("lines", [1, 2, 3, 5])
def test_a_part_of_several_blocks(monkeypatch: pytest.MonkeyPatch, lines: int) -> None:
    """It begins in the middle of one and ends in the middle of another one."""
    monkeypatch.setattr(parts, "MOST_LINES", 0)
    monkeypatch.setattr(parts, "PART_LINES", lines)
    made = in_parts(FUNCTION, "f_eval")
    assert made.count("define internal void @f_eval_") == made.count("call void @f_eval_") > 0
    llvmlite.parse_assembly(made).verify()
