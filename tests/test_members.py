# SPDX-License-Identifier: Apache-2.0
"""Members of structs that are memories of their own: wherever the struct is, the hardware is what
it would be with arrays apart, and computes what the C does."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, build_text, check
from tandem.frontend.program import Program
from tandem.ir.argument import Part
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Access
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.languages.imported import import_c
from tandem.schedule.delays import Target

pytestmark = pytest.mark.usefixtures("models_as_written")

CLOCK_PS = 10_000
WORK_BYTES = 16 + 4 + 128 + 48
HEAD = """#include <stdint.h>
#include <string.h>
struct work { uint8_t key[16]; int32_t sum; int32_t table[32]; uint16_t times[24]; };
"""
BEGIN = """
    for (int i = 0; i < 16; i++) w.key[i] = 7 * i;
    for (int i = 0; i < 32; i++) w.table[i] = i * i;
    for (int i = 0; i < 24; i++) w.times[i] = 0;
    w.sum = 1;
"""
STEPS = """
    for (int i = 0; i < 48; i++) {
        int k = in[i] & 31;
        SUM += TABLE[k] ^ KEY[i & 15];
        TABLE[(k + 5) & 31] = SUM;
        TIMES[k % 24]++;
        out[i] = SUM + TIMES[i % 24];
    }
"""


def steps(struct: str) -> str:
    """The loop, on the members of a struct (`w.`, `w->`)."""
    text = STEPS
    for name in ("sum", "table", "key", "times"):
        text = text.replace(name.upper(), struct + name)
    return text


def function(parameter: str, body: str) -> str:
    return f"void top(const uint8_t in[48], int32_t out[48]{parameter})\n{{\n{body}}}\n"


def local(declared: str, struct: str = "w.") -> str:
    begin = BEGIN.replace("w.", struct)
    return function("", declared + begin + steps(struct))


def given(parameter: str, body: str) -> str:
    return function(f", {parameter}", body)


HELPER = f"""
static void step(struct work *w, const uint8_t *in, int32_t *out)
{{{steps("w->")}}}
"""
MEMBERS = "uint8_t *key = w->key; int32_t *table = w->table; uint16_t *times = w->times;\n"
COUNTED_DOWN = steps("w->").replace("int i = 0; i < 48; i++", "int i = 48; i-- > 0;")
LOCALS = {
    "local": local("struct work w;\n"),
    "nested": local("struct { int id; struct { struct work w; int x; } in; } o;\n", "o.in.w."),
    "by_pointer": local("struct work on_stack, *w = &on_stack;\n", "w->"),
    "helper": HELPER + local("struct work w;\n").replace(steps("w."), "step(&w, in, out);"),
    "cleared": local("struct work w;\nmemset(&w, 0, sizeof w);\n"),
    "copied": local("struct work other = {{3}}, w;\n").replace(
        steps("w."), "other = w;\n" + steps("other.")
    ),
}
PARAMETERS = {
    "pointer": given("struct work *w", steps("w->")),
    "array": given("struct work w[1]", steps("w->")),
    "helper": HELPER + given("struct work *w", "step(w, in, out);\n"),
    "restrict": given("struct work *restrict w", steps("w->")),
    "members": given("struct work *w", MEMBERS + steps("").replace("sum", "w->sum")),
    "counted_down": given("struct work *w", COUNTED_DOWN),
    "nested": "struct outer { struct work w; };\n" + given("struct outer *w", steps("w->w.")),
    "one_field_more": given("struct work *w", steps("w->") + "w->key[0] = w->times[1];\n"),
}
VARIABLES = {
    "variable": "struct work w;\n" + given("int unused", steps("w.")),
    "of_the_file": "static struct work w;\n" + given("int unused", steps("w.")),
    "of_the_function": given("int unused", "static struct work w;\n" + steps("w.")),
    "in_another": "struct { char id[3]; struct work w; } w;\n" + given("int unused", steps("w.w.")),
}
APART = given(
    "int32_t *sum, int32_t *table, uint16_t *times, const uint8_t *key",
    steps("").replace("sum", "(*sum)"),
)


def made(text: str, target: Target, folder: Path) -> Build:
    return build_text(HEAD + text, target, CLOCK_PS, folder, slower_clock=True)


def imported(text: str, folder: Path) -> Kernel:
    source = folder / "top.c"
    source.write_text(HEAD + text)
    kernel = import_c(Program.of(source), "top").kernel
    assert print_kernel(parse(print_kernel(kernel))) == print_kernel(kernel)
    return kernel


def agrees(built: Build, values: dict[str, int]) -> bool:
    """On random bytes: `values` are sizes."""
    random = Random(1)
    for _ in range(4):
        check(built, {name: random.randbytes(size) for name, size in values.items()})
    return True


def widths(kernel: Kernel) -> list[int]:
    """Bits of the elements of memories but the buffers of all spellings."""
    used = {op.memory.name for _, op in kernel.ops() if isinstance(op, Access)}
    memories = (m for m in kernel.memories.values() if m.name in used - {"in", "out"})
    return sorted(memory.element_bits for memory in memories)


def loop_ii(built: Build) -> int:
    return max(block.ii for block in built.schedule.blocks.values() if block.ii)


@pytest.mark.parametrize("name", LOCALS)
def test_a_local_struct_is_a_memory_a_member(name: str, target: Target, tmp_path: Path) -> None:
    built = made(LOCALS[name], target, tmp_path)
    assert set(widths(built.imported)) == {8, 16, 32}
    assert agrees(built, {"in": 48, "out": 192})


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_struct_of_the_caller_is_one_too(name: str, target: Target, tmp_path: Path) -> None:
    built = made(PARAMETERS[name], target, tmp_path)
    parts = [a.part for a in built.imported.arguments if a.part]
    places = [(0, 16), (16, 4), (20, 128), (148, 48)]
    assert parts == [Part("w", *place) for place in places]
    assert widths(built.imported) == [8, 16, 32, 32]
    assert agrees(built, {"in": 48, "out": 192, "w": WORK_BYTES})


@pytest.mark.parametrize("name", VARIABLES)
def test_so_is_a_variable(name: str, target: Target, tmp_path: Path) -> None:
    built = made(VARIABLES[name], target, tmp_path)
    assert widths(built.imported) == [8, 16, 32, 32]
    variable = next(row["name"] for row in built.rows if row["name"].endswith("w"))
    assert agrees(built, {"in": 48, "out": 192, variable: WORK_BYTES + 4, "unused": 4})


def test_a_struct_takes_as_long_as_arrays(target: Target, tmp_path: Path) -> None:
    struct, apart = (made(text, target, tmp_path) for text in (PARAMETERS["pointer"], APART))
    assert loop_ii(struct) <= loop_ii(apart)


def test_members_are_named_as_in_the_c(tmp_path: Path) -> None:
    kernel = imported(PARAMETERS["pointer"], tmp_path)
    names = [argument.name for argument in kernel.arguments if argument.part]
    assert names == ["w.at0", "w.sum", "w.table", "w.times"]
    assert not any(a.is_parameter for a in kernel.arguments if a.part)


def test_scalars_side_by_side_that_are_only_read_are_one(tmp_path: Path) -> None:
    head = "struct filter { int a, b, c; int32_t past[8]; int last, end; };\n"
    body = """
    for (int i = 0; i < 48; i++) {
        f->past[i & 7] = f->a * in[i] + f->b * f->past[(i + 1) & 7] + f->c;
        f->last = in[i];
        out[i] = f->past[i & 7];
    }
    f->end = 1;
    """
    kernel = imported(head + given("struct filter *f", body), tmp_path)
    parts = [(a.part.offset, a.part.bytes) for a in kernel.arguments if a.part]
    assert parts == [(0, 12), (12, 32), (44, 4), (48, 4)]


TOGETHER = {
    "a_walk": ("int32_t *p = &w->sum; for (int i = 0; i < 33; i++) s += p[i];", [(16, 132)]),
    "a_walk_back": (
        "uint16_t *p = w->times; for (int i = 1; i < 70; i++) s += p[-i];",
        [(0, 148)],
    ),
    "bytes": ("for (int i = 0; i < 196; i++) s += ((uint8_t *)w)[i];", []),
    "some_bytes": ("for (int i = 0; i < 20; i++) ((uint8_t *)w)[i] += 3;", [(0, 20)]),
    "bytes_of_a_number": ("for (int i = 0; i < 4; i++) s += ((uint8_t *)&w->sum)[i];", None),
    "a_copy_over_two": ("memcpy(w->key, in, 20);", None),
    "a_copy_from_two": ("memcpy(out, &w->sum, 132);", None),
    "an_index_of_the_caller": ("s += w->table[n];", None),
    "a_pointer_with_an_index": ("int32_t *p = w->table; s += p[n];", []),
    "the_one_behind_with_an_index": ("s += w[1].table[n];", []),
    "others_behind": ("for (struct work *p = w; p < w + 2; p++) s += p->table[n];", []),
    "a_wide_load": ("s += *(int64_t *)&w->sum;", [(16, 132)]),
    "volatile_number": ("s += *(volatile int32_t *)&w->sum;", []),
    "the_one_behind": ("for (int i = 0; i < 17; i++) s += w[1].key[i & 15];", []),
}
"""More of a function, and the bytes that are then one memory: [] for all, None for no others than
without it."""


@pytest.mark.parametrize("name", TOGETHER)
def test_what_one_access_reaches_stays_together(name: str, target: Target, tmp_path: Path) -> None:
    more, whole = TOGETHER[name]
    body = f"int s = 0;\n{more}\n{steps('w->')}\nout[0] += s;\n"
    built = made(given("struct work *w, unsigned n", body), target, tmp_path)
    parts = [(a.part.offset, a.part.bytes) for a in built.imported.arguments if a.part]
    if whole is None:
        assert parts == [(0, 16), (16, 4), (20, 128), (148, 48)]
    elif not whole:
        assert parts == []
    else:
        assert set(whole) < set(parts)
    random = Random(2)
    for _ in range(3):
        sizes = {"in": 48, "out": 192, "w": 2 * WORK_BYTES}
        values = {name: random.randbytes(size) for name, size in sizes.items()}
        check(built, {**values, "n": random.randrange(32)})


OTHERS = {
    "union": """union u { int32_t words[8]; uint8_t bytes[32]; };
        struct s { union u u; int32_t more[8]; };
        int top(struct s *s, unsigned n)
        {
            for (int i = 0; i < 8; i++) s->u.words[i] += s->more[i];
            return s->u.bytes[n & 31];
        }""",
    "flexible": """struct s { int32_t count, more[4]; int32_t data[]; };
        int top(struct s *s, unsigned n)
        {
            int sum = 0;
            for (int i = 0; i < 11; i++) sum += s->data[i] + s->more[i & 3];
            return sum + s->data[n & 7];
        }""",
    "one_and_more": """struct s { int32_t more[19]; int32_t data[1]; };
        int top(struct s *s, unsigned n)
        {
            int sum = 0;
            for (int i = 0; i < 11; i++) sum += s->data[i] + s->more[i];
            return sum + s->data[n & 7];
        }""",
    "container": """struct s { int32_t before[8], data[24]; };
        int top(int32_t *s, unsigned n)
        {
            struct s *around = (struct s *)(s - 8);
            s += 8;
            around = (struct s *)(s - 8);
            return around->before[n & 7] + around->data[n & 15];
        }""",
    "of_many": """struct s { int32_t x[4], y[4]; };
        int top(struct s *s, unsigned n)
        {
            int sum = 0;
            for (int i = 0; i < 4; i++) for (int k = 0; k < 4; k++) sum += s[i].x[k] * s[i].y[k];
            return sum + n;
        }""",
}


@pytest.mark.parametrize("name", OTHERS)
def test_structs_that_are_not_as_they_say(name: str, target: Target, tmp_path: Path) -> None:
    built = made(OTHERS[name], target, tmp_path)
    random = Random(3)
    for _ in range(3):
        check(built, {"s": random.randbytes(192), "n": random.randrange(32)})


INDICES = {
    "parameter": (
        "struct s *s, ",
        "",
        """for (int i = 1; i < n; i++) sum += s->a[i - 1][k] * s->x[i];
        s->ring[s->at] = sum;
        if (++s->at == 5) s->at = 0;""",
    ),
    "local": (
        "const unsigned char *in, ",
        "struct s l, *s = &l; for (int i = 0; i < 12; i++) s->x[i] = in[i] & 3; s->at = n & 3;"
        "for (int i = 0; i < 60; i++) s->a[i / 5][i % 5] = in[i];",
        "for (int i = 0; i < n; i++) { s->ring[s->at] = s->x[i]; sum += s->a[s->x[i]][k]; }"
        "sum += s->ring[s->at];",
    ),
    "variable": (
        "",
        "static struct s l; struct s *s = &l;",
        """for (int i = n; i-- > 0;) sum += s->x[i]++ * s->a[k][i & 3];
        s->ring[s->at++ % 5] = sum;""",
    ),
}
"""Indices of which C alone says that they stay in the array."""


@pytest.mark.parametrize("name", INDICES)
def test_indices_stay_in_the_arrays_of_the_c(name: str, target: Target, tmp_path: Path) -> None:
    parameter, begin, steps = INDICES[name]
    head = "struct s { int16_t a[12][5]; int32_t at, x[12]; uint8_t ring[5]; };\n"
    text = f"int top({parameter}int n, int k)\n{{\n    int sum = 0;\n{begin}\n{steps}\n"
    built = made(f"{head}{text}    return sum;\n}}\n", target, tmp_path)
    assert {8, 16, 32} <= set(widths(built.imported))
    random = Random(4)
    for _ in range(4):
        struct = bytearray(random.randbytes(180))
        struct[120:124] = random.randrange(5).to_bytes(4, "little")
        values = {"s": bytes(struct), "in": random.randbytes(60), "n": random.randrange(13)}
        check(built, {**values, "l": bytes(180), "top_l": bytes(180), "k": random.randrange(5)})


RING = "struct ring { int16_t of[12]; uint8_t at; int32_t last[5]; };\n"
RING_STEPS = """
    int sum = 0;
    for (int i = 0; i < n; i++) {
        R.last[R.of[R.at] % 5u] += in[i];
        R.of[R.at] = in[i] * 3;
        if (++R.at == 12) R.at = 0;
        sum = 5 * sum + R.last[in[i] % 5];
    }
    return sum;
}
"""
RINGS = {
    "variable": ("struct ring r;\n", "", "r."),
    "of_the_file": ("static struct ring r;\n", "", "r."),
    "of_the_function": ("", "static struct ring r;\n", "r."),
    "pointer": ("struct ring r;\n", "struct ring *p = &r;\n", "p->"),
    "static_pointer": ("static struct ring r, *const p = &r;\n", "", "p->"),
    "in_another": ("struct { char id; struct ring r; } o;\n", "", "o.r."),
    "first_of_another": ("struct { struct ring r; char id; } o;\n", "", "o.r."),
    "first_of_all": ("struct { struct { struct ring r; } o; int id[3]; } o;\n", "", "o.o.r."),
    "typedef": ("typedef struct ring ring;\nring r;\n", "", "(&r)->"),
    "one_of_two": ("static struct ring l, r;\n", "l.of[n & 7] += r.of[n & 7];", "r."),
}
"""A struct that is a variable, of which an index is kept in it."""


@pytest.mark.parametrize("name", RINGS)
def test_indices_stay_in_the_arrays_of_variables(name: str, target: Target, tmp_path: Path) -> None:
    outside, inside, ring = RINGS[name]
    steps = RING_STEPS.replace("R.", ring)
    text = f"{RING}{outside}int top(const uint8_t in[40], int n)\n{{\n{inside}{steps}"
    built = made(text, target, tmp_path)
    assert {8, 16, 32} <= set(widths(built.imported))
    random = Random(4)
    for _ in range(4):
        values = {"in": random.randbytes(40), "n": random.randrange(41)}
        check(built, values | dict.fromkeys(("r", "l", "o", "top_r"), bytes(60)))


def test_what_llvm_makes_of_accesses_of_two_members(target: Target, tmp_path: Path) -> None:
    """One load behind a choice of them is of neither."""
    text = """int top(const uint8_t in[40], int n)
    {
        struct { int n, x[8], y[8], m; } s;
        int sum = 0;
        for (int i = 0; i < 8; i++) s.x[i] = 3 * (s.y[i] = in[i]);
        for (int i = 0; i < n; i++) {
            unsigned k = in[i] & 15, at = k > 7 ? k - 8 : k;
            if (k & 1) s.x[at] = i; else s.y[at] = i + 77;
            sum = 3 * sum + (k & 2 ? s.x[at] : s.y[at]);
        }
        return sum;
    }"""
    built = made(text, target, tmp_path)
    random = Random(5)
    for _ in range(4):
        check(built, {"in": random.randbytes(40), "n": random.randrange(41)})


def test_functions_kept_apart_reach_members_too(target: Target, tmp_path: Path) -> None:
    apart = HELPER.replace("static void", "__attribute__((noinline)) static void")
    text = apart + given("struct work *w", "step(w, in, out);\nstep(w, in + 1, out);\n")
    text = text.replace("in[48]", "in[49]")
    assert agrees(made(text, target, tmp_path), {"in": 49, "out": 192, "w": WORK_BYTES})
