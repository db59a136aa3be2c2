# SPDX-License-Identifier: Apache-2.0
"""What is there for a compiler or a cache alone: inline assembly that hands on what it is given, or
says what is read later. What does something is refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import build_text, check
from tandem.compiler.compile import compile_kernel
from tandem.diagnostics import UserError
from tandem.frontend.program import Program
from tandem.schedule.delays import Target

CLOCK_PS = 10_000
TOP = """#include <stdint.h>
#pragma tandem extent(p, 16)
uint32_t top(uint8_t *p, uint32_t x, uint32_t y)
{{
    uint8_t all = 0;
    for (int i = 0; i < 16; i++) {{
        uint8_t c = p[i];
        {}
        all |= c ^ x;
        p[i] = (uint8_t)y;
    }}
    return all + x * 3 + y;
}}
"""
NOTHING = {
    "value": '__asm__ volatile("" : "+r"(c));',
    "without volatile": '__asm__("" : "+r"(c));',
    "blanks": '__asm__ volatile(" \\n\\t" : "+r"(c));',
    "memory": '__asm__ volatile("" ::: "memory");',
    "pointer": '__asm__ volatile("" : : "r"(p) : "memory");',
    "several": '__asm__ volatile("" : "+r"(x), "+r"(y), "+r"(c));',
    "crossed": '{ uint32_t a, b; __asm__("" : "=r"(a), "=r"(b) : "1"(x), "0"(y)); x = a; y = b; }',
    "in memory": '__asm__ volatile("" : "+m"(*p), "+r"(y) : "r"(x));',
    "anywhere": '__asm__ volatile("" : "+g"(y));',
    "early": '__asm__ volatile("" : "+&r"(y) : "r"(x) : "memory");',
    "nobody reads it": '{ uint32_t a = x; __asm__("" : "+r"(a)); }',
    "asks a cache": "__builtin_prefetch(p + i);",
    "asks a cache for later": "__builtin_prefetch(&p[15 - i], 1, 3);",
    "an expression": 'y += ({ uint32_t a = x; __asm__("" : "+r"(a)); a; });',
}
SOMETHING = {
    "an instruction": '__asm__ volatile("nop" : "+r"(c));',
    "from nowhere": '__asm__("" : "=r"(c));',
    "one of two": '__asm__("" : "=r"(x), "=r"(y) : "0"(x));',
}


@pytest.mark.parametrize("barrier", NOTHING.values(), ids=[*NOTHING])
def test_does_nothing(barrier: str, target: Target, tmp_path: Path) -> None:
    built = build_text(TOP.format(barrier), target, CLOCK_PS, tmp_path)
    random = Random(barrier)
    for _ in range(3):
        x, y = (random.getrandbits(32) for _ in range(2))
        check(built, {"p": random.randbytes(16), "x": x, "y": y})


@pytest.mark.parametrize("written", ["optnone", "noinline", "optnone, noinline", "minsize"])
def test_what_is_not_to_be_optimised(written: str, target: Target, tmp_path: Path) -> None:
    """That holds for a compiler's code."""
    helper = f"__attribute__(({written})) static void wipe(uint8_t *p) {{{{ *p = 3; }}}}"
    code = TOP.replace("#pragma", f"{helper}\n#pragma", 1).format("wipe(&p[i]);")
    built = build_text(code.replace("p[i] = (uint8_t)y", "p[i] += y"), target, CLOCK_PS, tmp_path)
    check(built, {"p": bytes(range(16)), "x": 7, "y": 9})


@pytest.mark.parametrize("end", ["abort();", "__builtin_trap();"])
def test_what_ends_the_program(end: str, target: Target, tmp_path: Path) -> None:
    """The kernel ends there too; calls that do not come to it are as they would be without."""
    code = "#include <stdlib.h>\n" + TOP.format(f"if (c > 200) {end}")
    built = build_text(code, target, CLOCK_PS, tmp_path)
    check(built, {"p": bytes(range(185, 201)), "x": 7, "y": 9})


@pytest.mark.parametrize("barrier", SOMETHING.values(), ids=[*SOMETHING])
def test_does_something(barrier: str, target: Target, tmp_path: Path) -> None:
    file = tmp_path / "top.c"
    file.write_text(TOP.format(barrier))
    with pytest.raises(UserError, match=r"top\.c:\d+: error\[assembly\]: inline assembly"):
        compile_kernel(Program.of(file), "top", target, CLOCK_PS)


def test_a_barrier_costs_nothing(target: Target, tmp_path: Path) -> None:
    """What it hides is seen through: a constant is one."""
    hidden = "{ uint32_t a = 5; %s x = a; }"
    sizes = []
    for i, barrier in enumerate(("", '__asm__("" : "+r"(a));')):
        file = tmp_path / f"top{i}.c"
        file.write_text(TOP.format(hidden % barrier))
        made = compile_kernel(Program.of(file), "top", target, CLOCK_PS)
        sizes.append([type(op) for _, op in made.kernel.ops()])
    assert sizes[0] == sizes[1]
