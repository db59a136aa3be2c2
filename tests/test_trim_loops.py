# SPDX-License-Identifier: Apache-2.0
"""Iterations at the ends of a loop that do nothing are left out, however that is spelled."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tandem.frontend.program import Program
from tandem.ir.clone import clone
from tandem.ir.interpreter import interpret
from tandem.ir.kernel import Kernel
from tandem.ir.ops import Compare
from tandem.ir.verifier import verify
from tandem.languages.imported import import_c
from tandem.passes import simplify, trim_loops

BODY = "out[y][x] = in[y - 1][x] + 2 * in[y][x] + in[y + 1][x - 1] - in[y][x + 1];"
LOOPS = "for (int y = 0; y < 12; y++) for (int x = 0; x < 40; x++)"
HEAD = "#include <stdint.h>\nvoid top(const uint8_t in[12][40], uint8_t out[12][40])"
SPELLINGS = {
    "left_early": f"{LOOPS} {{ if (y == 0 || y == 11 || x == 0 || x == 39) continue; {BODY} }}",
    "if": f"{LOOPS} if (y > 0 && y < 11 && x > 0 && x < 39) {{ {BODY} }}",
    "row_first": f"""for (int y = 0; y < 12; y++) {{ if (y < 1 || y > 10) continue;
        for (int x = 0; x < 40; x++) if (x >= 1 && x <= 38) {{ {BODY} }} }}""",
    "unsigned": f"{LOOPS} if ((unsigned)(y - 1) < 10u && (unsigned)(x - 1) < 38u) {{ {BODY} }}",
    "down": f"""for (int y = 11; y >= 0; y--) for (int x = 39; x >= 0; x--)
        {{ if (!y || !x || y == 11 || x == 39) continue; {BODY} }}""",
    "size_t": f"""for (unsigned long y = 0; y != 12; ++y) for (unsigned long x = 0; x != 40; ++x)
        {{ if (y % 11 == 0 || x % 39 == 0) continue; {BODY} }}""",
    "do_while": f"""int y = 0; do {{ int x = 0; do {{
        if (y && y != 11 && x && x != 39) {{ {BODY} }} }}
        while (++x < 40); }} while (++y < 12);""",
    "helper": f"""{LOOPS} {{ if (is_border(y, x)) continue; {BODY} }}""",
    "flag": f"""{LOOPS} {{ int inside = 1; if (y == 0) inside = 0; if (x == 0) inside = 0;
        if (y >= 11) inside = 0; if (x >= 39) inside = 0; if (inside) {{ {BODY} }} }}""",
    "no_branches": f"""{LOOPS} {{ unsigned edge = (y == 0) | (y == 11) | (x == 0) | (x == 39);
        if (edge == 0) {{ {BODY} }} }}""",
}
HELPER = "static int is_border(int y, int x) { return y < 1 || x < 1 || y > 10 || x > 38; }\n"


def imported(text: str, folder: Path) -> Kernel:
    source = folder / "top.c"
    source.write_text(text)
    kernel = import_c(Program.of(source), "top").kernel
    simplify.run(kernel)
    return kernel


def count_tests(kernel: Kernel) -> int:
    """Comparisons."""
    return sum(isinstance(op, Compare) for _, op in kernel.ops())


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_border_is_not_visited(spelling: str, tmp_path: Path) -> None:
    kernel = imported(f"{HELPER}{HEAD} {{ {SPELLINGS[spelling]} }}", tmp_path)
    before = clone(kernel)
    assert trim_loops.run(kernel)
    verify(kernel, trim_loops.SLUG)
    assert count_tests(kernel) == 2  # what ends the two loops
    pixels = Random(spelling).randbytes(480)
    assert results(kernel, pixels) == results(before, pixels)


def results(kernel: Kernel, pixels: bytes) -> tuple[int | None, bytes]:
    data = {"in": bytearray(pixels), "out": bytearray(480)}
    return interpret(kernel, data), bytes(data["out"])


def compute_the_same(kernel: Kernel, before: Kernel, random: Random) -> None:
    for _ in range(2):
        pixels = random.randbytes(480)
        assert results(kernel, pixels) == results(before, pixels)


def random_nest(random: Random) -> str:
    """Loops with tests of their counters, sums and pointers that go through them, and what is left
    behind."""

    def test(name: str, most: int) -> str:
        few = random.randrange(4)
        return random.choice(
            [
                f"{name} >= {few} && {name} < {most - random.randrange(3)}",
                f"{name} != {few} && {name} < {most - 1}",
                f"{name} > {few} || {name} == {most}",
                f"({name} & 1)",
                f"in[{name}] > 99",
                f"{name} - {few} < {most - 5}u",
            ]
        )

    rows, columns = random.randrange(1, 14), random.randrange(1, 17)
    inner = random.choice(
        [f"for (x = 0; x < {columns}; x++)", f"for (x = {columns} - 1; x >= 0; x--)"]
    )
    one, other = test("y", rows), test("x", columns)
    work = random.choice(
        [
            "sum += in[at] * (x + 3);",
            "out[at] = in[y * 16 + x] + y;",
            "last = x;",
            f"sum += in[(x > 1 ? x - 1 : 0) + 16 * (y < {rows} - 2 ? y + 1 : {rows} - 1)];",
        ]
    )
    always = random.choice(["", "at++;", "seen += 2;", "count += x;", "if (in[x] == 7) break;"])
    both = random.choice([f"({one}) && ({other})", f"({one}) || ({other})", other, one])
    nest = f"for (y = 0; y < {rows}; y++) {{ {inner} {{ if ({both}) {{ {work} }} {always} }} }}"
    return f"""#include <stdint.h>
int top(const uint8_t in[480], uint8_t out[480]) {{
    int x = 0, y, sum = 0, at = 0, seen = 0, count = 0, last = 0;
    {nest}
    return sum + at * 3 + seen * 5 + count * 7 + last * 11 + x * 13 + y * 17;
}}"""


@pytest.mark.parametrize("seed", range(60))
def test_random_nests(seed: int, tmp_path: Path) -> None:
    kernel = imported(random_nest(Random(seed)), tmp_path)
    before = clone(kernel)
    trim_loops.run(kernel)
    verify(kernel, trim_loops.SLUG)
    compute_the_same(kernel, before, Random(seed))


def test_many_random_nests_are_trimmed(tmp_path: Path) -> None:
    kernels = [imported(random_nest(Random(seed)), tmp_path) for seed in range(60)]
    assert sum(trim_loops.run(kernel) for kernel in kernels) > 5
