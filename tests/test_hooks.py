# SPDX-License-Identifier: Apache-2.0
"""Calls through variables: of the one function that a program sets them to, in whichever file.
Where there are several, or somebody else may set them, they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.diagnostics import UserError
from tandem.frontend.program import Program
from tandem.ir.interpreter import interpret
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
USER = """
extern int (*hook)(int);
int top(int a) { return hook(a) + 1; }
int main(void) { void set(void); set(); return top(1) != 4; }
"""
OWNER = """
int (*hook)(int){0};
static int thrice(int a) {{ return 3 * a; }}
int twice(int a) {{ return 2 * a; }}
int by_two(int a, int b) {{ return a + b; }}
void own(int (**where)(int));
int chosen(int);
void set(void) {{ {1} }}
"""
ONE = {
    "set": ("", "hook = thrice;"),
    "set twice": ("", "hook = thrice; hook = 0; hook = thrice;"),
    "unset": (" = 0", "if (!hook) hook = thrice;"),
    "from the start": (" = thrice", ""),
}
MORE = {
    "two": ("", "hook = thrice; hook = twice;"),
    "another one from the start": (" = twice", "hook = thrice;"),
    "chosen": ("", "hook = chosen(1) ? thrice : twice;"),
    "given away": ("", "hook = thrice; own(&hook);"),
    "of other parameters": ("", "hook = (int (*)(int))by_two;"),
    "never": ("", ""),
}


def _program(folder: Path, first: str, set_up: str) -> Program:
    files = folder / "main.c", folder / "owner.c"
    files[0].write_text(USER)
    text = OWNER.format(first, set_up)
    if first.strip(" =0"):  # what it begins with is declared before
        text = f"static int thrice(int);\nint twice(int);\n{text}"
    files[1].write_text(text)
    return Program.of(*files)


@pytest.mark.parametrize("owner", ONE.values(), ids=[*ONE])
def test_of_one_function(owner: tuple[str, str], target: Target, tmp_path: Path) -> None:
    made = compile_kernel(_program(tmp_path, *owner), "top", target, CLOCK_PS)
    for value in (0, 1, 7, 2**31 - 1, 2**32 - 1):
        data = {"a": value}
        assert interpret(made.kernel, data) == (3 * value + 1) % 2**32


@pytest.mark.parametrize("owner", MORE.values(), ids=[*MORE])
def test_of_more(owner: tuple[str, str], target: Target, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"main\.c:3: error\[indirect-call\]"):
        compile_kernel(_program(tmp_path, *owner), "top", target, CLOCK_PS)


def test_a_call_in_a_header_is_told_there(target: Target, tmp_path: Path) -> None:
    header = "struct s { int n; void (*go)(struct s *); };\n\n"
    header += "static void step(struct s *s) { if (s->n++ > 9) s->go(s); }\n"
    (tmp_path / "step.h").write_text(header)
    main = tmp_path / "main.c"
    main.write_text('#include "step.h"\nstruct s s;\nint top(void) { step(&s); return s.n; }\n')
    with pytest.raises(UserError, match=r"step\.h:3: error\[indirect-call\]"):
        compile_kernel(Program.of(main), "top", target, CLOCK_PS)


HELD = """
typedef int (*function)(int);
struct held {{ function go; int k; }};
static int thrice(int a) {{ return 3 * a; }}
static int twice(int a) {{ return 2 * a; }}
static int ten(int a) {{ return a + 10; }}
{}
int main(void) {{ volatile function set = ten; return set(1) != 11 || {}; }}
"""
LOCAL = {
    "array": """int top(int i, int a)
{
    function table[2] = {twice, thrice};
    if (a == 77)
        table[0] = thrice;
    return table[i & 1](a);
}""",
    "one of one": """int top(int i, int a)
{
    function table[4] = {0};
    table[i & 3] = twice;
    return table[i & 3](a) + (i & 1 ? a : 0);
}""",
    "constant": """static const struct held table[2] = {{twice, 0}, {thrice, 0}};
int top(int i, int a) { return table[i & 1].go(a) + table[i & 1].k; }""",
}
SHARED = {
    "struct": """int top(struct held *p, int a) { return p->go(a) + p->k; }
static struct held one = {twice, 1};""",
    "copy": """int top(struct held *p, int a)
{
    struct held q = *p;
    if (a == 77)
        q.go = twice;
    return q.go(a) + q.k;
}
static struct held one = {thrice, 1};""",
    "variable": """static function held = twice;
int top(int a) { return held(a); }
void set(int a) { held = a ? thrice : twice; }""",
}


@pytest.mark.parametrize("text", LOCAL.values(), ids=[*LOCAL])
def test_what_the_kernel_itself_sets(text: str, target: Target, tmp_path: Path) -> None:
    """Others of that type may be set elsewhere."""
    file = tmp_path / "held.c"
    file.write_text(HELD.format(text, "top(1, 5) != 15"))
    made = compile_kernel(Program.of(file), "top", target, CLOCK_PS)
    assert interpret(made.kernel, {"i": 1, "a": 5}) == 15
    assert interpret(made.kernel, {"i": 0, "a": 5}) == 10


@pytest.mark.parametrize("text", SHARED.values(), ids=[*SHARED])
def test_what_the_host_may_set(text: str, target: Target, tmp_path: Path) -> None:
    """Of what it may be set to, only some is part of the kernel."""
    file = tmp_path / "held.c"
    file.write_text(HELD.format(text, "0"))
    with pytest.raises(UserError, match=r"error\[indirect-call\]"):
        compile_kernel(Program.of(file), "top", target, CLOCK_PS)
