# SPDX-License-Identifier: Apache-2.0
"""Variables of the program: what a kernel shares with it, and memories that start with contents."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.parser import parse
from tandem.languages.imported import import_c
from tandem.rtl.circt import to_model
from tandem.rtl.emit import emit_kernel
from tandem.schedule.delays import Target
from tandem.schedule.scheduler import schedule_kernel
from trial import KERNEL, good, refused, source, tandem

CONTENTS = """tandem-ir 1
kernel @f
  argument @i : scalar in i8 "uint8_t"
  argument @result : scalar out i8 "uint8_t"
  memory @m : ram 128 x i8 = [1, 2]
^a:
  %0 = extract @i {low=0} : i7
STORE  %1 = load %0 {memory=m} : i8
  return %1
"""


@pytest.mark.parametrize("store", ["", "  store %0, 7:i8, 0:i1 {memory=m}\n"])
def test_what_is_never_written_keeps_its_contents_in_the_model(store: str, target: Target) -> None:
    kernel = parse(CONTENTS.replace("STORE", store))
    code = to_model(emit_kernel(schedule_kernel(kernel, target, 10_000)).model_text)
    assert "m" in code.memories


TWO_FILES = {
    "app.c": """#include <stdio.h>
#include "other.h"
static int state = 5;
int step(int by) { state += by; return state * 100 + other_step(by); }
int main(void) {
    for (int i = 0; i < 4; i++) printf("%d %d\\n", step(i), other_state());
    return 0; }
""",
    "other.h": "int other_step(int by);\nint other_state(void);\n",
    "other.c": """static int state = 7;
int other_step(int by) { state ^= by; return state; }
int other_state(void) { state++; return state; }
""",
}


def test_variables_of_one_name_in_two_files(tmp_path: Path) -> None:
    for name, text in TWO_FILES.items():
        (tmp_path / name).write_text(text)
    kernel = import_c(Program.of(tmp_path / "app.c", tmp_path / "other.c"), "step").kernel
    shared = [a.variable for a in kernel.arguments if a.variable is not None]
    assert sorted(v.symbol for v in shared) == ["state.file0", "state.file1"]
    done = tandem("verify", "app.c", "--offload", "step", cwd=tmp_path)
    good(done)
    assert "0 8" not in done.stdout and "4 calls" in done.stdout + done.stderr


def test_a_variable_that_nothing_changes_is_a_table(tmp_path: Path, target: Target) -> None:
    path = source(tmp_path, "static int t[4] = {3, 1, 4, 1};\nint f(int i) { return t[i & 3]; }\n")
    kernel = compile_kernel(Program.of(path), "f", target, 10_000).kernel
    assert not any(a.variable for a in kernel.arguments)


def test_a_call_that_ends_the_program_is_told(tmp_path: Path) -> None:
    text = "#include <stdlib.h>\nint main(int n, char **a) { if (n > 0) exit(0); return 1; }\n"
    source(tmp_path, text)
    done = tandem("verify", "app.c", "--offload", "main", cwd=tmp_path)
    refused(done, "ended in a call of `main`", "in place of calling `exit`")


def test_the_status_of_main_is_its_result(tmp_path: Path) -> None:
    source(
        tmp_path,
        KERNEL + "int main(void) { unsigned char a[1] = {9}, b[1]; scale(a, b, 1); "
        "return b[0]; }\n",
    )
    good(tandem("verify", "app.c", "--offload", "main", cwd=tmp_path))


ONCE = """
static volatile unsigned begun;

int main(void)
{
    while (begun)
        begun |= 2;
    begun = 1;
    return 0;
}
"""


def test_main_is_timed_once(tmp_path: Path) -> None:
    """Its variables are as the first run left them."""
    source(tmp_path, ONCE)
    good(tandem("verify", "app.c", "--offload", "main", cwd=tmp_path))
