# SPDX-License-Identifier: Apache-2.0
"""Extents are what a call reaches, of a size in proportion to the code, and quickly found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from tandem import policy
from tandem.compiler.compile import compile_kernel
from tandem.diagnostics import UserError
from tandem.frontend.program import Program
from tandem.ir.argument import Extent
from tandem.ir.expressions import Expression, Node, parse_expression
from tandem.ir.ops import OPERATIONS, ArgumentOp, Constant, Select
from tandem.languages.imported import import_c
from tandem.package import grows
from tandem.passes import bind_arguments, pipelines
from tandem.passes.bind_arguments import require_extents
from tandem.schedule.delays import Target

BIND = next(i for i, (name, _) in enumerate(pipelines.DEFAULT) if name == bind_arguments.SLUG)

# Indices of one array in loops over x < w and y < h.
WALKS = {
    "row by row": ("x + y * w", "size_t"),
    "columns of int": ("x * h + (h - 1 - y)", "int"),
    "signed products, widened": ("(size_t)y * w + x", "int"),
    "a row ahead": ("(y + 1) * w + x", "uint32_t"),
    "rows around": ("(y + 1) * w + x + 2", "int"),
    "backwards": ("w * h - 1 - (y * w + x)", "size_t"),
    "all bits turned": ("~x + w", "uint32_t"),
    "every fourth": ("4 * (y * w + x) + 3", "unsigned"),
    "in odd places": ("2 * (x + 1) + y * 6 + 1", "int"),
}
REACHES = {
    "row by row": lambda x, y, w, h: x + y * w,
    "columns of int": lambda x, y, w, h: x * h + h - 1 - y,
    "signed products, widened": lambda x, y, w, h: y * w + x,
    "a row ahead": lambda x, y, w, h: (y + 1) * w + x,
    "rows around": lambda x, y, w, h: (y + 1) * w + x + 2,
    "backwards": lambda x, y, w, h: w * h - 1 - (y * w + x),
    "all bits turned": lambda x, y, w, h: w - 1 - x,
    "every fourth": lambda x, y, w, h: 4 * (y * w + x) + 3,
    "in odd places": lambda x, y, w, h: 2 * (x + 1) + y * 6 + 1,
}

WALK = """#include <stddef.h>
#include <stdint.h>
uint32_t top(const uint32_t *a, {type} w, {type} h)
{{
    uint32_t sum = 0;
    for ({type} y = 0; y < h; y++)
        for ({type} x = 0; x < w; x++)
            sum = sum * 3 + a[{index}];
    return sum;
}}
"""

FIR = """#include <stdint.h>
void top(const int16_t *restrict a, const int16_t *restrict t, int32_t *restrict out, unsigned n)
{{
    for (unsigned i = 0; i < n; i++) {{
        int32_t sum = 0;
        for (int k = 0; k < {count}; k++)
            sum += a[i + k] * t[k];
        out[i] = sum;
    }}
}}
"""

ROWS = """#include <stdint.h>
void top(const uint8_t *restrict a, uint32_t *restrict out, uint32_t w, uint32_t h)
{{
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {{
            uint32_t sum = 0;
            {reads}
            out[y * w + x] = sum;
        }}
}}
"""

CHAIN = """#include <stdint.h>
void top(const uint32_t *a, uint32_t *out, uint32_t m, uint32_t w)
{{
    {steps}
    for (uint32_t y = 0; y < m; y++)
        for (uint32_t x = 0; x < w; x++)
            out[y * w + x] = a[(uint64_t)y * w + x + 1];
}}
"""


def bound(text: str, folder: Path) -> tuple[dict[str, Extent], int]:
    """(extents, how many functions bind-arguments called) of the function `top`."""
    source = folder / "top.c"
    source.write_text(text)
    kernel = import_c(Program.of(source), "top").kernel
    pipelines.run_pipeline(kernel, pipelines.Options(), pipelines.DEFAULT[:BIND])
    calls = calls_of(lambda: bind_arguments.run(kernel))
    return {a.name: a.extent for a in kernel.arguments}, calls


def calls_of(work: Callable[[], object]) -> int:
    """How many functions some work calls: its time, whatever else the machine does."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def assert_linear(texts: Iterable[str], counts: Sequence[int], folder: Path) -> None:
    """The nodes of the extent of `a`, and the work that finds it, grow no faster than programs
    do, each twice as long as the one before."""
    extents, calls = zip(*(bound(text, folder) for text in texts), strict=True)
    claims = [found["a"].claim for found in extents]
    for sizes in ([len(claim.nodes) for claim in claims if claim], calls):
        assert len(sizes) == len(counts)
        steps = [(b - a) / c for a, b, c in zip(sizes, sizes[1:], counts, strict=False)]
        assert max(steps) < 1.3 * min(steps), sizes


@pytest.mark.parametrize("walk", WALKS)
def test_an_extent_is_what_a_call_reaches(walk: str, tmp_path: Path) -> None:
    index, kind = WALKS[walk]
    claim = bound(WALK.format(type=kind, index=index), tmp_path)[0]["a"].claim
    assert claim is not None
    for w, h in ((1, 1), (5, 3), (2, 7), (64, 1)):
        furthest = max(REACHES[walk](x, y, w, h) for x in range(w) for y in range(h))
        assert claim.evaluate({"w": w, "h": h}) == 4 * (furthest + 1)


TRIANGLE = """unsigned top(const unsigned *a, unsigned n)
{{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j <= i; j++)
            sum = sum * 3 + a[{index}];
    return sum;
}}
"""
CORNERS: dict[str, Callable[[int, int, int], int]] = {
    "2 * i + j": lambda i, j, n: 2 * i + j,
    "i * n + j": lambda i, j, n: i * n + j,
    "2 * n - 2 * i + j": lambda i, j, n: 2 * n - 2 * i + j,
}


@pytest.mark.parametrize("index", CORNERS)
def test_the_corners_of_a_triangle_tell_its_extent(index: str, tmp_path: Path) -> None:
    claim = bound(TRIANGLE.format(index=index), tmp_path)[0]["a"].claim
    assert claim is not None
    for n in (1, 2, 5, 40):
        furthest = max(CORNERS[index](i, j, n) for i in range(n) for j in range(i + 1))
        assert claim.evaluate({"n": n}) == 4 * (furthest + 1)


def test_what_reaches_before_the_array_has_no_extent(tmp_path: Path) -> None:
    """The least element, over both loops, is one that the array has, or nothing is told."""
    text = WALK.format(type="int", index="x - y + 2")
    claim = bound(text, tmp_path)[0]["a"].claim
    assert claim is not None
    for w, h in ((1, 1), (5, 3), (1, 3), (5, 4), (9, 7)):
        unknown = (1 << claim.width) - 1
        assert claim.evaluate({"w": w, "h": h}) == (4 * (w + 2) if h <= 3 else unknown), (w, h)


@pytest.mark.parametrize("pattern", ["fir", "rows"])
def test_extents_of_many_accesses_are_linear(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "COPIED_OPERATIONS", 4096)

    def text(count: int) -> str:
        reads = "".join(f"sum = sum * 31 + a[(y + {k}) * w + x + {k % 7}];" for k in range(count))
        return FIR.format(count=count) if pattern == "fir" else ROWS.format(reads=reads)

    counts = (8, 16, 32, 64)
    assert_linear(map(text, counts), counts, tmp_path)


def test_extents_behind_a_chain_of_values_are_linear(tmp_path: Path) -> None:
    step = "m = (m ^ (m >> 3)) + (m & (m >> 5));\n"
    counts = (2, 4, 8, 16)
    assert_linear((CHAIN.format(steps=step * count) for count in counts), counts, tmp_path)


def random_expression(random: Random) -> Expression:
    """Twenty nodes over a narrow argument, of all kinds whose ranges are told apart."""
    nodes = [Node(ArgumentOp, 8, name="n"), Node(Constant, 8, value=random.randrange(256))]
    for _ in range(20):
        a, b, c = (random.randrange(len(nodes)) for _ in range(3))
        width = nodes[a].width
        same = [i for i, node in enumerate(nodes) if node.width == width]
        bits = [i for i, node in enumerate(nodes) if node.width == 1]
        kind = random.choice(["constant", "add", "sub", "mul", "slt", "sle", "concat", "extract"])
        if bits and random.random() < 0.3:
            operands = (random.choice(bits), random.choice(same), random.choice(same))
            nodes.append(Node(Select, width, operands))
        elif kind == "constant":
            nodes.append(
                Node(OPERATIONS[kind], width, value=random.choice([0, 1, (1 << width) - 1]))
            )
        elif kind == "concat":
            nodes.append(Node(OPERATIONS[kind], nodes[b].width + nodes[c].width, (b, c)))
        elif kind == "extract":
            low = random.randrange(width)
            nodes.append(Node(OPERATIONS[kind], random.randint(1, width - low), (a,), low))
        else:
            is_bit = kind in ("slt", "sle")
            nodes.append(Node(OPERATIONS[kind], 1 if is_bit else width, (a, random.choice(same))))
    return Expression(tuple(nodes))


def test_what_is_natural_is_never_negative() -> None:
    random = Random(7)
    natural = 0
    for _ in range(3000):
        expression = random_expression(random)
        if not expression.is_natural:
            continue
        natural += 1
        for n in range(256):
            value = expression.evaluate({"n": n})
            assert not value >> (expression.width - 1), (str(expression), n)
    assert natural > 300


def test_what_holds_under_a_condition_counts() -> None:
    text = "constant 0:32; argument n:32; slt %0 %1:1; constant 0:96; concat %3 %1:128;"
    text += " constant 0:128; select %2 %4 %5:128"
    assert parse_expression(text).is_natural
    assert not parse_expression("argument n:32").is_natural


GROWTH = """
struct state { const char *what; int runs; };
unsigned char seen[256];
int top(unsigned char *to, const unsigned char *from, const int *row, int n, const unsigned char *s,
        struct state *r)
{
    int w = 0;
    for (int i = 0; i < n; i++)
        w += row[i];
    for (int i = 0; i < n;) {
        unsigned char v = from[i];
        for (int k = 1; k <= 1 + v; k++)
            i++;
        seen[v] = 1;
        to[w++] = v;
        r->runs++;
    }
    while (*s++)
        w++;
    if (n > 3)
        r->what = 0;
    return w;
}
"""


def test_what_a_calls_work_makes_more_of(tmp_path: Path) -> None:
    """An array that follows a number of the call, or that only the call tells, does; a struct that
    is used or not, and a table, do not."""
    path = tmp_path / "growth.c"
    path.write_text(GROWTH)
    kernel = import_c(Program.of(path), "top").kernel
    pipelines.run_pipeline(kernel, pipelines.Options())
    grown = [a.name for a in kernel.arguments if grows(a)]
    assert grown == ["to", "from", "row", "s"]


@pytest.mark.parametrize(
    "head",
    [
        "#define TYPE signed char\nvoid top(TYPE g[64], const int at[64], int n)",
        "#include <stdbool.h>\nvoid top(bool g[64], const int at[64], int n)",
        "#define NOTHING void\n#define N 64\nNOTHING top(char g[N], const int at[N], int n)",
        "#define PIXELS(name) unsigned char name\nvoid top(PIXELS(*row), char g[64], int at[64])",
    ],
)
def test_sizes_are_told_where_types_are_macros(head: str, target: Target, tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    source.write_text(head + "\n{\n    for (int i = 0; i < 64; i++)\n        g[at[i]] = 1;\n}\n")
    program = Program.of(source)
    kernel = compile_kernel(program, "top", target, 10_000).kernel
    claims = {a.name: a.extent.claim for a in kernel.arguments}
    assert claims["g"] is not None and claims["g"].evaluate({}) == 64


def test_the_access_of_which_it_is_not_told_is_named(target: Target, tmp_path: Path) -> None:
    source = tmp_path / "top.c"
    source.write_text(
        "void top(int *z)\n{\n    for (int k = 0; k < 9; k++)\n        z[k] = 0;\n"
        "    for (int i = 0; i < 160; i++)\n"
        "        for (int k = 0; k <= 8 && k <= i; k++)\n            z[k] += i;\n}\n"
    )
    kernel = compile_kernel(Program.of(source), "top", target, 10_000).kernel
    with pytest.raises(UserError) as error:
        require_extents(kernel)
    assert [d.place and d.place.line for d in error.value.diagnostics] == [7]
