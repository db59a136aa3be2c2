# SPDX-License-Identifier: Apache-2.0
"""Numbers that are never negative because of what arrays hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.optimise import Optimiser
from tandem.frontend.program import CFile
from tandem.frontend.signs import without_signs
from tandem.llvm.module import opened

KEPT = "store i32 %n, ptr %p, align 4"


def _module(stored: str, load: str = "load i32, ptr %q, align 4", use: str = "") -> str:
    """A function that asks whether an element of a local array is positive."""
    return f"""declare void @fill(ptr)

define i32 @top(i32 %i, i32 %j, i32 %given, ptr %elsewhere) {{
entry:
  %a = alloca [64 x i32], align 16
  call void @llvm.memset.p0.i64(ptr align 16 %a, i8 0, i64 256, i1 false)
  br label %loop

loop:                                             ; preds = %loop, %entry
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = zext i32 %i to i64
  %p = getelementptr inbounds [64 x i32], ptr %a, i64 0, i64 %at
  {stored}
  %from = zext i32 %j to i64
  %q = getelementptr i32, ptr %a, i64 %from
  %old = {load}
  {use}
  %more = icmp sgt i32 %old, 0
  %next = add nsw i32 %old, 1
  br i1 %more, label %loop, label %done

done:                                             ; preds = %loop
  ret i32 %next
}}
"""


def _again(text: str) -> str:
    """A module as it is written after it was read."""
    with opened(text) as module:
        return module.text()


def test_what_is_stored_nowhere_negative_is_never_negative() -> None:
    text = _module(KEPT)
    assert without_signs(text, "top") == _again(text.replace("icmp sgt", "icmp ugt"))
    assert without_signs(text, "other") is None


@pytest.mark.parametrize(
    "text",
    [
        _module(KEPT.replace("%n", "-1")),
        _module(KEPT.replace("%n", "%given")),
        _module(KEPT).replace("add nsw", "add"),
        _module("store i16 7, ptr %p, align 2"),
        _module(KEPT.replace("align 4", "align 1")),
        _module(KEPT, "load i32, ptr %q, align 2"),
        _module(KEPT, "load volatile i32, ptr %q, align 4"),
        _module(KEPT, use="call void @fill(ptr %q)"),
        _module(KEPT, use="store ptr %q, ptr %q, align 8"),
        _module(KEPT, use="%r = select i1 true, ptr %q, ptr %p"),
        _module(KEPT).replace("i8 0,", "i8 -1,"),
        _module(KEPT, "load i32, ptr %elsewhere, align 4"),
    ],
)
def test_what_may_be_negative_keeps_its_sign(text: str) -> None:
    assert without_signs(text, "top") is None


@pytest.mark.parametrize(
    ("signed", "unsigned"),
    [
        ("icmp slt i32 %old, %n", "icmp ult i32 %old, %n"),
        ("icmp samesign sge i32 %old, 3", "icmp samesign uge i32 %old, 3"),
        ("sext i32 %old to i64", "zext nneg i32 %old to i64"),
        ("sdiv i32 %old, 8", "udiv i32 %old, 8"),
        ("srem i32 %old, %n", "urem i32 %old, %n"),
        ("sdiv i32 %old, -8", "sdiv i32 %old, -8"),
        ("icmp slt i32 %old, %given", "icmp slt i32 %old, %given"),
    ],
)
def test_what_is_written_without_signs(signed: str, unsigned: str) -> None:
    found = without_signs(_module(KEPT, use=f"%x = {signed}"), "top")
    assert found is not None
    assert f"  %x = {unsigned}\n" in found


@pytest.mark.parametrize(
    ("made", "is_kept"),
    [
        ("and i32 %given, %old", False),
        ("lshr i32 %old, 2", False),
        ("call i32 @llvm.smax.i32(i32 %given, i32 %old)", False),
        ("call i32 @llvm.smin.i32(i32 %given, i32 %old)", True),
        ("select i1 true, i32 %old, i32 7", False),
        ("select i1 true, i32 %old, i32 -7", True),
        ("or i32 %given, %old", True),
        ("sub nsw i32 %old, 1", True),
        ("shl nsw i32 %old, %given", False),
        ("shl i32 %old, %given", True),
        ("trunc i64 %from to i32", True),
    ],
)
def test_what_operations_make(made: str, is_kept: bool) -> None:
    found = without_signs(_module(KEPT, use=f"%y = {made}\n  %x = sext i32 %y to i64"), "top")
    assert found is not None
    assert ("sext i32 %y" in found) == is_kept


def test_llvm_goes_on_from_there(tmp_path: Path) -> None:
    """What is not greater than 0 is 0, also after it has been in an array."""
    file = tmp_path / "chain.c"
    file.write_text("""
int top(const unsigned char *text, int n) {
    int back[64], k = 0;
    for (int i = 0; i < 64; i++) back[i] = text[i] & 7;
    for (int i = 0; i < n; i++) {
        while (k > 0 && text[i] != k) k = back[k];
        k = text[k];
    }
    return k;
}
""")
    text = Optimiser([to_llvm_ir(CFile(file, ()))], "top", [str(file)]).optimised().text
    assert "icmp sgt i32 %k" not in text
    assert "sext" not in text
