# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as a source, beside C."""

from __future__ import annotations

from pathlib import Path

import pytest
from trial import good, refused, source, tandem

pytestmark = pytest.mark.usefixtures("cache")

MODULE = """
define i32 @total(ptr %v, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr i32, ptr %v, i32 %i
  %value = load i32, ptr %place
  %more = add i32 %sum, %value
  %next = add i32 %i, 1
  %again = icmp ne i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret i32 %more
}
"""
LAYOUT = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128'
    '-n8:16:32:64-S128"\n'
)
USES_TOTAL = """
#include <stdio.h>
int total(const int *v, int n);
int main(void) { int v[4] = {4, 3, 2, 1}; return printf("%d\\n", total(v, 4)) < 0; }
"""


def test_llvm_ir_is_a_source(tmp_path: Path) -> None:
    source(tmp_path, USES_TOTAL)
    source(tmp_path, LAYOUT + MODULE, "total.ll")
    words = ("run", "app.c", "--source", "total.ll", "--offload", "total", "--mode", "simulate")
    done = tandem(*words, cwd=tmp_path)
    good(done)
    assert done.stdout.startswith("10\n") and ", 0 wrong" in done.stdout
    source(tmp_path, MODULE, "total.ll")
    refused(tandem(*words, cwd=tmp_path), "total.ll: error[llvm-ir]", "another machine", "target")
    source(tmp_path, LAYOUT + MODULE.replace("i32 %more\n", "i33 %more\n"), "total.ll")
    refused(tandem(*words, cwd=tmp_path), "total.ll:16: error[llvm-ir]", "%more")
