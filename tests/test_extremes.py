# SPDX-License-Identifier: Apache-2.0
"""The least and the greatest of numbers of which some are one more than another."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from dataclasses import dataclass

import llvmlite.binding as llvm
import pytest
from tandem.frontend.extremes import with_one_form
from tandem.ir.ops import mask, signed
from tandem.llvm import passes as llvm_passes

NUMBERS = (-128, -127, -126, -1, 0, 1, 126, 127, 5, -5)
COUNT = 4
assert llvm_passes  # has initialised LLVM


@dataclass
class Tree:
    """Extremes of extremes, as LLVM's text, and what they are; None where a sum wraps that may
    not."""

    sign: str
    which: str
    lines: list[str]
    value: Callable[[list[int]], int | None]
    name: str = "%r"


def random_tree(sign: str, which: str, depth: int, lines: list[str]) -> Tree:
    if depth == 0 or random.random() < 0.2:
        place = random.randrange(COUNT)
        return Tree(sign, which, lines, lambda given: given[place], f"%a{place}")
    if random.random() < 0.4:
        return sum_of(random_tree(sign, which, depth - 1, lines))
    other = random.choice([which, which, which, {"min": "max", "max": "min"}[which]])
    parts = [random_tree(sign, other, depth - 1, lines) for _ in range(2)]
    name = f"%v{len(lines)}"
    values = ", ".join(f"i8 {part.name}" for part in parts)
    lines.append(f"  {name} = tail call i8 @llvm.{sign}{other}.i8({values}), !dbg !7")

    def value(given: list[int]) -> int | None:
        found = [part.value(given) for part in parts]
        known = [number for number in found if number is not None]
        return (min if other == "min" else max)(known) if len(known) == 2 else None

    return Tree(sign, which, lines, value, name)


def sum_of(tree: Tree) -> Tree:
    more = random.choice([1, -1]) if tree.sign == "s" else 1
    name, ends = f"%v{len(tree.lines)}", (-128, 127) if tree.sign == "s" else (0, 255)
    tree.lines.append(f"  {name} = add n{tree.sign}w i8 {tree.name}, {more}, !dbg !7")

    def value(given: list[int]) -> int | None:
        found = tree.value(given)
        return found + more if found is not None and ends[0] <= found + more <= ends[1] else None

    return Tree(tree.sign, tree.which, tree.lines, value, name)


def module(lines: list[str], result: str) -> str:
    given = ", ".join(f"i8 %a{i}" for i in range(COUNT))
    declared = [f"declare i8 @llvm.{s}{w}.i8(i8, i8)" for s in "su" for w in ("min", "max")]
    body = "\n".join(line.removesuffix(", !dbg !7") for line in lines)
    return "\n".join(
        [f"define i8 @top({given}) {{", "entry:", body, f"  ret i8 {result}", "}", "", *declared]
    )


def run(text: str) -> tuple[llvm.ExecutionEngine, Callable[..., int]]:
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    made = ctypes.CFUNCTYPE(ctypes.c_uint8, *[ctypes.c_uint8] * COUNT)
    return engine, made(engine.get_function_address("top"))


@pytest.mark.parametrize("sign", ["s", "u"])
def test_any_extremes_stay_what_they_are(sign: str) -> None:
    """Wherever no sum of the C wraps, and as well where another's sum would."""
    random.seed(sign)
    changed = 0
    for _ in range(60):
        tree = random_tree(sign, random.choice(["min", "max"]), 5, [])
        remade = with_one_form(module(tree.lines, tree.name), "top")
        if remade is None:
            continue
        changed += 1
        engine, function = run(remade)
        for _ in range(300):
            given = [random.choice(NUMBERS) & mask(8) for _ in range(COUNT)]
            meant = [signed(n, 8) if sign == "s" else n for n in given]
            wanted = tree.value(meant)
            if wanted is not None:
                assert function(*given) == wanted & mask(8), (tree.lines, meant)
        engine.close()
    assert changed > 15


LOOP = """define i32 @top(i32 %n, ptr %p) {
entry:
  br label %loop

loop:
  %left = phi i32 [ 0, %entry ], [ %best, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = load i32, ptr %p, align 4
  %c = load i32, ptr %p, align 4
BODY
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop

end:
  ret i32 %best
}

declare i32 @llvm.smin.i32(i32, i32)
"""
SPELLINGS = {
    "both_at_once": """
  %m = call i32 @llvm.smin.i32(i32 %a, i32 %left)
  %m1 = add nsw i32 %m, 1
  %best = call i32 @llvm.smin.i32(i32 %c, i32 %m1)""",
    "one_by_one": """
  %a1 = add nsw i32 %a, 1
  %left1 = add nsw i32 %left, 1
  %m = call i32 @llvm.smin.i32(i32 %left1, i32 %c)
  %best = call i32 @llvm.smin.i32(i32 %a1, i32 %m)""",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_what_the_loop_has_left_is_compared_last(name: str) -> None:
    remade = with_one_form(LOOP.replace("BODY", SPELLINGS[name]), "top")
    assert remade is not None
    llvm.parse_assembly(remade).verify()
    for line in (
        "icmp slt i32 %a, %c",
        "icmp slt i32 %left, %tandem.found",
        "add i32 %left, 1",
        "%best = select i1 %tandem.is",
    ):
        assert line in remade


@pytest.mark.parametrize(
    "body",
    [
        "  %best = call i32 @llvm.smin.i32(i32 %left, i32 %a)",
        "  %a1 = add i32 %a, 1\n  %best = call i32 @llvm.smin.i32(i32 %left, i32 %a1)",
        "  %a1 = add nuw i32 %a, 1\n  %best = call i32 @llvm.smin.i32(i32 %left, i32 %a1)",
        "  %a1 = add nsw i32 %a, 2\n  %best = call i32 @llvm.smin.i32(i32 %left, i32 %a1)",
    ],
)
def test_what_stays(body: str) -> None:
    assert with_one_form(LOOP.replace("BODY", body), "top") is None
    assert with_one_form(LOOP.replace("BODY", SPELLINGS["one_by_one"]), "other") is None
