# SPDX-License-Identifier: Apache-2.0
"""Functions that all of their calls share: values and cycles, when they are, and what stays right
around a call."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from agreement import build, check
from tandem import policy
from tandem.compiler import trials
from tandem.compiler.compile import compile_kernel
from tandem.compiler.fits import Fit
from tandem.describe.lines import line_json
from tandem.describe.loops import loops_json
from tandem.diagnostics import InternalError
from tandem.frontend.program import Program
from tandem.ir.functions import blocks_of, entries
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.parser import parse
from tandem.ir.printer import print_kernel
from tandem.ir.verifier import verify
from tandem.languages.imported import import_c
from tandem.passes.shape import Shape
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.expected import Trips

CLOCK_PS = 10_000
KERNELS = Path(__file__).parents[1] / "bench" / "kernels"
HEAD = "#include <stdint.h>\n#define APART static __attribute__((noinline))\n"
MIX = """
APART uint32_t mix(const uint32_t *t, uint32_t x, int n)
{
    uint32_t h = x;
    for (int i = 0; i < n; i++)
        h = (h ^ t[i & 7]) * 403u + (h >> 7);
    return h;
}
"""
PROGRAMS = {
    "results_that_wait": MIX
    + """
#pragma tandem extent(a, 64)
uint32_t top(const uint32_t *a, int n)
{
    uint32_t x = mix(a, 7, n & 15), y = mix(a, 8, n & 3);
    return x - y * mix(a + 8, x, 2);
}""",
    "in_a_loop": MIX
    + """
#pragma tandem extent(a, 64)
#pragma tandem extent(out, 32)
void top(const uint32_t *a, uint32_t *out, int n)
{
    for (int k = 0; k < (n & 7); k++)
        out[k] = mix(a + k, k, n & 15);
    out[7] += mix(a, out[0], 3);
}""",
    "two_arrays": MIX
    + """
#pragma tandem extent(a, 32)
uint32_t top(const uint32_t *a, int n)
{
    uint32_t local[8];
    for (int i = 0; i < 8; i++)
        local[i] = a[i] ^ i * n;
    return mix(a, 1, n & 15) ^ mix(local, 2, n & 31) ^ mix(a, 3, 2);
}""",
    "what_a_call_stores": """
APART void step(uint32_t *state, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        state[i & 3] = state[(i + 1) & 3] * 5 + x;
}
#pragma tandem extent(out, 16)
void top(uint32_t *out, int n)
{
    uint32_t state[4] = {1, 2, 3, 4}, first = 0;
    for (int k = 0; k < (n & 7); k++) {
        first += state[0];
        step(state, k);
    }
    step(state, first);
    for (int i = 0; i < 4; i++)
        out[i] = state[i];
}""",
    "one_calls_another": MIX
    + """
APART uint32_t twice(const uint32_t *t, uint32_t x, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < 3; i++)
        sum += mix(t, x + i, n);
    return sum;
}
#pragma tandem extent(a, 32)
uint32_t top(const uint32_t *a, int n)
{
    uint32_t x = twice(a, n, n & 7);
    if (n & 1)
        x += mix(a, x, 5);
    return twice(a, x, 2) + x;
}""",
    "early_return": """
APART int32_t find(const uint8_t *a, uint8_t wanted, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] == wanted)
            return i;
    return -1;
}
#pragma tandem extent(a, 32)
int32_t top(const uint8_t *a, uint8_t x, uint8_t y, int n)
{
    int32_t place = find(a, x, n & 31);
    return place < 0 ? find(a, y, 32) : place + 100 * find(a, y, n & 15);
}""",
}


def source(folder: Path, text: str) -> Path:
    path = folder / "top.c"
    path.write_text(HEAD + text)
    return path


def calls(kernel: Kernel) -> list[str]:
    return [block.end.callee for block in kernel.blocks if block.calls]


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_cycles(name: str, target: Target, tmp_path: Path) -> None:
    built = build(source(tmp_path, PROGRAMS[name]), "top", target, CLOCK_PS, tmp_path)
    assert len(calls(built.finished)) >= 2
    random = Random(name)
    for n in (0, 1, 2, 7, 30):
        values: dict[str, int | bytes] = {
            row["name"]: n if row["name"] == "n" else random.getrandbits(8 * row["element_bytes"])
            for row in built.rows
            if row["kind"] == "scalar" and row["direction"] == "in"
        }
        values |= {
            row["name"]: bytes(random.choices(range(8), k=64))
            for row in built.rows
            if row["kind"] != "scalar"
        }
        check(built, values)


def test_extents_are_those_of_the_c(target: Target, tmp_path: Path) -> None:
    """Of what a function reaches there is no proof, but there is of the same C in one piece."""
    text = """
APART void scale(uint32_t *a, uint32_t by, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * by + i;
}
void top(uint32_t *a, uint32_t *b, uint8_t n)
{
    scale(a, 3, n);
    scale(b, 5, 16);
}"""
    kernel = compile_kernel(Program.of(source(tmp_path, text)), "top", target, CLOCK_PS).kernel
    assert calls(kernel) == ["scale", "scale"]
    found = {a.name: a.extent for a in kernel.arguments}
    assert (found["a"].source, found["b"].source) == ("exact", "exact")
    assert found["a"].claim is not None and found["b"].claim is not None
    assert found["a"].claim.evaluate({"n": 7}) == 28
    assert found["b"].claim.evaluate({}) == 64


def test_a_function_that_is_called_once_is_part_of_its_caller(tmp_path: Path) -> None:
    text = MIX + "uint32_t top(const uint32_t *a, int n) { return mix(a, 1, n); }"
    assert not calls(import_c(Program.of(source(tmp_path, text)), "top").kernel)


def test_a_function_whose_other_calls_fold_away_is_part_of_its_caller(tmp_path: Path) -> None:
    text = MIX + (
        "uint32_t top(const uint32_t *a, int n)"
        "{ return mix(a, 1, n) + (n > 3 && n < 2 ? mix(a, 2, n) : 0); }"
    )
    assert not calls(import_c(Program.of(source(tmp_path, text)), "top").kernel)


def test_what_is_called_once_by_a_function_apart_is_not_tried(tmp_path: Path) -> None:
    text = PROGRAMS["results_that_wait"].replace("APART", "static")
    text = text.replace("h = (h ^ t[i & 7])", "h = (h ^ t[i & 7])" + " + (h ^ t[i & 3])" * 12)
    text = text.replace(" mix(", " outer(").replace("uint32_t outer(", "uint32_t mix(", 1)
    around = "static uint32_t outer(const uint32_t *t, uint32_t x, int n)"
    head, brace, body = text.rpartition("uint32_t top(")
    text = f"{head}{around} {{ return x + mix(t, x ^ 5, n); }}\n{brace}{body}"
    found = import_c(Program.of(source(tmp_path, text)), "top").repeated
    assert set(found.large) == {"outer", "mix"}
    assert list(found.left({"outer"})) == []
    assert list(found.left({"mix"})) == ["outer"]


def test_always_inline_is_not_tried_apart(tmp_path: Path) -> None:
    text = PROGRAMS["results_that_wait"]
    large = text.replace("h = (h ^ t[i & 7])", "h = (h ^ t[i & 7])" + " + (h ^ t[i & 3])" * 12)
    plain = large.replace("APART", "static")
    assert import_c(Program.of(source(tmp_path, plain)), "top").repeated.large == ("mix",)
    copied = large.replace("APART", "static inline __attribute__((always_inline))")
    assert import_c(Program.of(source(tmp_path, copied)), "top").repeated.large == ()


def test_a_struct_by_value_is_inlined(tmp_path: Path) -> None:
    text = """
struct pair { uint64_t a, b, c; };
APART uint64_t sum(struct pair p, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s += p.a * i ^ p.b + p.c;
    return s;
}
uint64_t top(uint64_t a, uint64_t b, int n)
{
    struct pair p = {a, b, a ^ b}, q = {b, a, a + b};
    return sum(p, n) ^ sum(q, 3);
}"""
    assert not calls(import_c(Program.of(source(tmp_path, text)), "top").kernel)


def test_three_calls_of_a_large_function_share_it(target: Target) -> None:
    """SHA-1 compresses blocks at three places."""
    program = Program.of(KERNELS / "sha1.c")
    shared = compile_kernel(program, "sha1", target, CLOCK_PS)
    assert calls(shared.kernel) == ["compress"] * 3
    text = (KERNELS / "sha1.c").read_text()
    assert text.count("static void compress") == 1
    assert estimate_area(shared.schedule)["lut4"] < 2000


def test_a_line_with_a_call_is_explained(target: Target, tmp_path: Path) -> None:
    program = Program.of(source(tmp_path, PROGRAMS["in_a_loop"]))
    schedule = compile_kernel(program, "top", target, CLOCK_PS).schedule
    line = next(b.end.line for b in schedule.kernel.blocks if b.calls)
    rows = line_json(schedule, line)
    assert [row["unit"] for row in rows if row["operation"] == "call"] == ["`mix`, one for 2 calls"]
    loops = loops_json(schedule)
    (around,) = [row for row in loops if row["limit"].startswith("no pipeline")]
    assert "it calls `mix`" in around["limit"]


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ("x ^= x << 3;", "`#pragma tandem inline` before it gives each one of its own"),
        ("for (int i = 0; i < n; i++) x ^= x << i;", "in which there is a loop"),
        ("x = deep(x, n);", "in which there is a loop"),
    ],
)
def test_inlining_is_advised_where_it_would_give_a_pipeline(
    inside: str, told: str, target: Target, tmp_path: Path
) -> None:
    text = f"""APART uint32_t deep(uint32_t x, int n) {{ while (n-- > 0) x ^= x >> n; return x; }}
    APART uint32_t mix(uint32_t x, int n) {{ {inside} return x * 77; }}
    uint32_t top(uint32_t x, int n) {{
        x = mix(deep(x, n), n);
        for (int k = 0; k < n; k++)
            x += mix(x, k);
        return x;
    }}"""
    program = Program.of(source(tmp_path, text))
    loops = loops_json(compile_kernel(program, "top", target, CLOCK_PS).schedule)
    (around,) = [row for row in loops if "it calls `mix`" in row["limit"]]
    assert around["limit"].endswith(told)


TEXT = """tandem-ir 1
kernel @top
  argument @n : scalar in i32 "int"
  argument @result : scalar out i32 "int"
^a:
  %0 = add @n, 1:i32 : i32
  call @f, ^f0(%0), ^b()
^b:
  %1 = result {function=f} : i32
  call @f, ^f0(%1), ^c()
^c:
  %2 = result {function=f} : i32
  %3 = sub %1, %2 : i32
  return %3
^f0(%4:i32):
  %5 = mul %4, 3:i32 : i32
  return %5
"""


def test_text_and_interpreter() -> None:
    kernel = parse(TEXT)
    verify(kernel)
    assert print_kernel(parse(print_kernel(kernel))) == print_kernel(kernel)
    assert interpret(kernel, {"n": 4}) == (15 - 45) % (1 << 32)
    assert [b.name for b in blocks_of(kernel.entry)] == ["a", "b", "c"]
    assert {name: block.name for name, block in entries(kernel).items()} == {"f": "f0"}


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("mul %4, 3:i32", "mul %4, %0", "before its definition"),
        ("%2 = result {function=f} : i32", "%2 = result {function=g} : i32", "no call of @g"),
        ("call @f, ^f0(%1)", "call @f, ^a()", "two first blocks"),
        ("return %5", "call @f, ^f0(%5), ^d()\n^d:\n  return %4", "@f calls itself"),
        ("return %5", "return", "a result of i32"),
        ("return %5", "jump ^c()", "part of two functions"),
    ],
)
def test_what_is_no_call_is_found(old: str, new: str, finding: str) -> None:
    assert TEXT.count(old) == 1
    with pytest.raises(InternalError) as error:
        verify(parse(TEXT.replace(old, new)))
    assert any(finding in d.message for d in error.value.diagnostics)


def test_the_order_of_sets_does_not_matter(tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    parts = [
        f"APART int part{i}(int x) {{ return x * {2 * i + 3} + x / (x | 8); }}" for i in range(6)
    ]
    sums = " + ".join(f"part{i}(a + {i}) * part{i}(a)" for i in range(6))
    source.write_text(HEAD + "\n".join([*parts, f"int top(int a) {{ return {sums}; }}"]))
    texts = []
    for seed in "123":
        command = [Path(sys.executable).with_name("tandem"), "build", source, "--top", "top"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TANDEM_CACHE": "off"}
        folder = tmp_path / seed
        subprocess.run([*command, "-o", folder], check=True, env=environment, capture_output=True)
        texts.append((folder / "top.tandem" / "kernel.sv").read_text())
    assert len(set(texts)) == 1


ROUNDS = """
static uint32_t mix(uint32_t x, uint32_t k)
{
    for (int i = 0; i < 6; i++) {
        x ^= x << 13 ^ k;
        x += x >> 7 ^ k << 3;
        x = (x << 11 | x >> 21) * 5 + (x & k);
    }
    x ^= (x << 3 ^ k >> 5) + (x << 9 ^ k >> 11) + (x << 15 ^ k >> 17);
    x += (x << 4 ^ k >> 6) ^ (x << 10 ^ k >> 12) ^ (x << 16 ^ k >> 18);
    return x ^ ((x << 5 ^ k >> 7) + (x << 11 ^ k >> 13) + (x << 17 ^ k >> 19));
}
static uint32_t turned(uint32_t x)
{
    uint32_t y = 0;
    for (int i = 0; i < 32; i++)
        y |= (x >> i & 1) << (i * 5 & 31);
    for (int i = 0; i < 16; i++)
        y = (y << 7 | y >> 25);
    y = (y & 0x0f0f0f0f) << 4 | (y & 0xf0f0f0f0) >> 4;
    y = (y & 0x33333333) << 2 | (y & 0xcccccccc) >> 2;
    y = (y & 0x55555555) << 1 | (y & 0xaaaaaaaa) >> 1;
    return (y & 0xff00ff00) >> 8 | (y & 0x00ff00ff) << 8;
}
"""
IN_A_PIPELINE = "for (int i = 0; i < n; i++) y[i] = mix(mix(x[i], 3), x[i] >> 9) ^ mix(i, 77);"
ONLY_WIRES = "y[0] = turned(x[0]); y[1] = turned(x[1] + n); y[2] = turned(y[1] ^ x[2]);"


@pytest.mark.parametrize("body", [IN_A_PIPELINE, ONLY_WIRES])
def test_a_function_whose_copies_are_worth_it_is_not_tried_apart(
    body: str, target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And if it is, nothing is gained."""
    text = f"{ROUNDS}void top(const uint32_t *x, uint32_t *y, int n) {{ {body} }}"
    program = Program.of(source(tmp_path, text))
    tried = []
    take = trials.Trial.take

    def recorded(self: trials.Trial, shape: Shape, *trips: Trips, **others: Any) -> Fit | None:
        made = take(self, shape, *trips, **others)
        tried.append((shape.apart, self.shape.apart))
        return made

    monkeypatch.setattr(trials.Trial, "take", recorded)
    compile_kernel(program, "top", target, CLOCK_PS, slower_clock=True)
    assert not any(apart for apart, _ in tried)
    monkeypatch.setattr(trials, "may_be_shared", lambda *_: True)
    compile_kernel(program, "top", target, CLOCK_PS, slower_clock=True)
    assert any(apart for apart, _ in tried)
    assert not any(taken for _, taken in tried)


def limbs(n: int) -> str:
    """A product of numbers of `n` digits, modulo a power but for 19, every digit by itself."""
    terms = [[f"(uint64_t)f[{i}] * g[{(k - i) % n}]" for i in range(n)] for k in range(n)]
    rows = [
        f"h = {' + '.join(f'{t} * {1 if i <= k else 19}' for i, t in enumerate(row))} + (h >> 26);"
        f" o[{k}] = h & 0x3ffffff;"
        for k, row in enumerate(terms)
    ]
    stored = "".join(f" out[{k}] = o[{k}];" for k in range(n))
    head = "static void multiply(uint32_t *out, const uint32_t *f, const uint32_t *g)"
    return f"{head}\n{{\nuint64_t h = 0; uint32_t o[{n}];\n" + "\n".join(rows) + f"\n{stored}\n}}\n"


CHAIN = "".join(
    f"    multiply({o}, {f}, {g});\n" for o, f, g in ["axx", "bax", *["caa", "abc"] * 14]
)
POWER = f"""{HEAD}{limbs(10)}
#pragma tandem extent(x, 40)
#pragma tandem extent(out, 40)
void top(uint32_t *out, const uint32_t *x)
{{
    uint32_t a[10], b[10], c[10];
{CHAIN}    multiply(out, a, c);
}}"""


def test_a_kernel_too_large_with_all_copies_has_none(tmp_path: Path, target: Target) -> None:
    """An inverse by an addition chain: 31 products of ten digits would be 3,100 multipliers."""
    file = tmp_path / "top.c"
    file.write_text(POWER)
    imported = import_c(Program.of(file), "top")
    assert imported.apart == {"multiply"}
    assert imported.having(frozenset()).kernel.size > policy.INLINED_OPERATIONS
    built = build(file, "top", target, CLOCK_PS, tmp_path)
    digits = bytes(Random(1).randrange(256) & (3 if i % 4 == 3 else 255) for i in range(40))
    check(built, {"out": bytes(40), "x": digits})
