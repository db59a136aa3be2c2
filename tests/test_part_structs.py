# SPDX-License-Identifier: Apache-2.0
"""Local structs of arrays and pointers: as good as variables of their own, however written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.frontend.part_structs import part_structs
from tandem.ir.ops import Load
from tandem.llvm.module import edited
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
HEAD = """#include <stdint.h>
#include <string.h>
struct coder { uint8_t seen[32]; const uint8_t *next; uint8_t *to; int count; };
"""
TOP = "int top(const uint8_t in[64], uint8_t out[64], int n)"
CLEAR = "    for (int i = 0; i < 32; i++) C.seen[i] = i;\n"
BEGIN = CLEAR + "    C.next = in; C.to = out; C.count = 0;\n"
LOOP = """    for (int i = 0; i < n; i++) {
        uint8_t byte = *C.next++;
        C.count += C.seen[byte & 31];
        C.seen[byte & 31] = byte;
        *C.to++ = byte ^ 85;
    }
"""
CODE = BEGIN + LOOP
RETURN = "    return C.count;\n"
STEP = """static void step(struct coder *c)
{
    uint8_t byte = *c->next++;
    c->count += c->seen[byte & 31];
    c->seen[byte & 31] = byte;
    *c->to++ = byte ^ 85;
}
"""


def spelled(struct: str, *parts: str, before: str = "") -> str:
    """The function with a struct that is called so."""
    return f"{before}{TOP}\n{{\n{''.join(parts)}}}\n".replace("C.", struct)


IN_A_LOOP = (
    """    int sum = 0;
    for (int k = 0; k < 2; k++) {
        struct coder c;
    for (int i = 0; i < 32; i++) c.seen[i] = i;
        c.next = in; c.to = out; c.count = k;
"""
    + LOOP
    + """        sum += C.count;
    }
    return sum;
"""
)
PLAIN = spelled(
    "",
    "uint8_t seen[32]; const uint8_t *next; uint8_t *to; int count;\n",
    *(CODE, RETURN),
)
SPELLINGS = {
    "struct": spelled("c.", "struct coder c;\n", CODE, RETURN),
    "pointer": spelled("c->", "struct coder own, *c = &own;\n", CODE, RETURN),
    "nested": spelled("o.c.", "struct { int id; struct coder c; } o;\n", CODE, RETURN),
    "cleared": spelled("c.", "struct coder c;\nmemset(&c, 0, sizeof c);\n", CODE, RETURN),
    "initialised": spelled(
        "c.", "struct coder c = {.next = in, .to = out};\n", CLEAR, LOOP, RETURN
    ),
    "copied": spelled(
        "c.", "struct coder b, c;\n", BEGIN.replace("C.", "b."), "c = b;\n", LOOP, RETURN
    ),
    "function": spelled(
        "c.",
        *("struct coder c;\n", BEGIN, "for (int i = 0; i < n; i++) step(&c);\n", RETURN),
        before=STEP,
    ),
    "by way of another": spelled(
        "c.",
        "struct coder c; struct { uint8_t marks[8]; struct coder *of; } o; o.of = &c;\n",
        *("o.marks[n & 7] = 0;\n", BEGIN, "for (int i = 0; i < n; i++) step(o.of);\n"),
        *("c.count += o.marks[n & 7];\n", RETURN),
        before=STEP,
    ),
    "call through it": spelled(
        "c.",
        "struct coder c; struct { uint8_t marks[8]; void (*go)(struct coder *); } o;\n",
        "o.go = step;\n",
        *("o.marks[n & 7] = 0;\n", BEGIN, "for (int i = 0; i < n; i++) o.go(&c);\n"),
        *("c.count += o.marks[n & 7];\n", RETURN),
        before=STEP,
    ),
    "in a loop": spelled("c.", IN_A_LOOP),
}


def made(text: str, target: Target, folder: Path) -> Build:
    return build_text(HEAD + text, target, CLOCK_PS, folder, slower_clock=True)


def loops(built: Build) -> set[int]:
    return {s.ii for s in built.schedule.blocks.values() if s.ii}


def agrees(built: Build) -> bool:
    random = Random(3)
    for n in (0, 1, 17, 64):
        check(built, {"in": random.randbytes(64), "out": random.randbytes(64), "n": n})
    return True


@pytest.mark.parametrize("name", SPELLINGS)
def test_pointers_beside_an_array(name: str, target: Target, tmp_path: Path) -> None:
    built = made(SPELLINGS[name], target, tmp_path)
    read = {op.memory for _, op in built.imported.ops() if isinstance(op, Load)}
    assert {memory.element_bits for memory in read} == {8}
    assert agrees(built)
    if name != "in a loop":
        (tmp_path / "plain").mkdir()
        assert loops(built) == loops(made(PLAIN, target, tmp_path / "plain"))


STAYS = {
    "walked": "struct coder c; uint8_t *p = (uint8_t *)&c;\n"
    + CODE
    + "for (unsigned i = 0; i < (unsigned)n; i++) c.count += p[i % 36u < 32 ? i % 36u : 48];\n"
    + RETURN,
    "together": "struct coder c;\n"
    + CODE
    + "struct coder d = c; d.next = in; d.to = out; c.count += memcmp(d.seen, c.seen, 32);\n"
    + RETURN,
    "volatile": "struct { uint8_t seen[32]; const uint8_t *next; uint8_t *to; volatile int count; }"
    " c;\n" + CODE + RETURN,
}


@pytest.mark.parametrize("name", STAYS)
def test_what_is_reached_otherwise(name: str, target: Target, tmp_path: Path) -> None:
    assert agrees(made(spelled("c.", STAYS[name]), target, tmp_path))


ALIGNED = """
define i32 @f(ptr %p, i64 %i) {
  %s = alloca { ptr, [9 x i32], i32 }, align 16
  store ptr %p, ptr %s, align 16
  %array = getelementptr inbounds i8, ptr %s, i64 8
  %low = and i64 %i, 7
  %at = getelementptr inbounds i32, ptr %array, i64 %low
  store i32 1, ptr %at, align 4
  %third = getelementptr inbounds i8, ptr %s, i64 16
  %x = load i32, ptr %third, align 16
  ret i32 %x
}
"""


def test_what_was_aligned_in_the_struct_is_less_so_in_a_member() -> None:
    parted = edited(ALIGNED, part_structs)
    assert parted is not None
    (load,) = [line for line in parted.splitlines() if " = load " in line]
    assert load.endswith("align 8")
