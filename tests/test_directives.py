# SPDX-License-Identifier: Apache-2.0
"""Directives: what hardware becomes of them, and that values and cycles stay right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from agreement import Values, build, check
from tandem.compiler.compile import Compiled, compile_kernel
from tandem.describe.loops import loops_json
from tandem.diagnostics import UserError
from tandem.frontend.clang import to_llvm_ir
from tandem.frontend.directives.directive import WHOLLY
from tandem.frontend.directives.rewrite import rewrite
from tandem.frontend.program import Program
from tandem.ir.kernel import Kernel
from tandem.ir.memory import MemoryKind
from tandem.ir.ops import Mul
from tandem.languages.imported import import_c
from tandem.schedule.delays import Target
from tandem.schedule.limits import LimitKind
from tandem.schedule.scheduled import BlockSchedule

CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\n"


def compiled(folder: Path, text: str, target: Target) -> Compiled:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    return compile_kernel(Program.of(source), "f", target, CLOCK_PS, slower_clock=True)


def import_c_text(folder: Path, text: str) -> Kernel:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    return import_c(Program.of(source), "f").kernel


def loops(made: Compiled) -> list[BlockSchedule]:
    return [s for s in made.schedule.blocks.values() if s.ii]


def agrees(folder: Path, text: str, target: Target, calls: Sequence[Values]) -> None:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    built = build(source, "f", target, CLOCK_PS, folder, slower_clock=True)
    for values in calls:
        check(built, values)


def words(random: Random, count: int) -> bytes:
    return random.randbytes(4 * count)


SUM = """
uint32_t f(const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint32_t sum = 1;
#pragma tandem unroll(COPIES)
    for (uint32_t i = 0; i < n; i++) {
        sum = sum * 3 + in[i];
        out[i] = sum;
    }
    return sum;
}
"""
FIXED = SUM.replace(", uint32_t n)", ")").replace("i < n", "i < TRIPS")
SEARCH = """
#pragma tandem extent(in, 4 * n + 4)
uint32_t f(const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint32_t i = 0, x = 0;
#pragma tandem unroll(COPIES)
    while (in[i] != n) {
        x ^= in[i] << (i & 7);
        if (x & 1)
            out[i] = x;
        i++;
    }
    out[i] = i;
    return x;
}
"""


@pytest.mark.parametrize("copies", [2, 3, 4])
def test_several_copies_of_a_counted_loop(tmp_path: Path, target: Target, copies: int) -> None:
    random = Random(copies)
    text = SUM.replace("COPIES", str(copies))
    sizes = [1, *range(2, 10), 31]
    calls = [{"in": words(random, n), "out": words(random, n), "n": n} for n in sizes]
    agrees(tmp_path, text, target, calls)


@pytest.mark.parametrize(("copies", "trips"), [(2, 10), (3, 10), (4, 10), (4, 64), (8, 5), (8, 8)])
def test_several_copies_of_a_loop_of_a_fixed_count(
    tmp_path: Path, target: Target, copies: int, trips: int
) -> None:
    random = Random(copies)
    text = FIXED.replace("COPIES", str(copies)).replace("TRIPS", str(trips))
    agrees(tmp_path, text, target, [{"in": words(random, trips), "out": words(random, trips)}])


@pytest.mark.parametrize("copies", [2, 3, 8])
def test_several_copies_of_a_loop_that_looks_for_its_end(
    tmp_path: Path, target: Target, copies: int
) -> None:
    random = Random(copies)
    text = SEARCH.replace("COPIES", str(copies))
    calls: list[Values] = []
    for n in range(1, 18):
        places = words(random, n) + n.to_bytes(4, "little")
        calls.append({"in": places, "out": words(random, n + 1), "n": n})
    agrees(tmp_path, text, target, calls)


def test_copies_that_never_leave_read_records(tmp_path: Path, target: Target) -> None:
    """64 iterations in groups of four: no copy tests anything, and four elements are a record."""
    made = compiled(tmp_path, FIXED.replace("COPIES", "4").replace("TRIPS", "64"), target)
    (loop,) = loops(made)
    assert loop.block.trip_count is not None and loop.block.trip_count.value == 16
    streams = [m for m in made.kernel.memories.values() if m.kind.startswith("stream")]
    assert [m.element_bits for m in streams] == [128, 128]
    assert made.kernel.argument("in").extent.source == "exact"


def test_an_extent_is_that_of_the_loop_without_copies(tmp_path: Path, target: Target) -> None:
    extent = compiled(tmp_path, SUM.replace("COPIES", "4"), target).kernel.argument("in").extent
    assert extent.claim is not None
    assert [extent.claim.evaluate({"n": n}) for n in (0, 1, 6)] == [0, 4, 24]


ONE_BY_ONE = """
uint32_t f(const uint32_t *in, uint32_t *out, uint32_t n)
{
    uint32_t sum = 0;
#pragma tandem pipeline off
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = in[i] * in[i] * 7;
        out[i] = x ^ 5;
        sum += x;
    }
    return sum;
}
"""


def test_iterations_one_after_the_other(tmp_path: Path, target: Target) -> None:
    (loop,) = loops(compiled(tmp_path, ONE_BY_ONE, target))
    assert loop.ii == loop.length > 1
    assert loop.limits.binding is not None and loop.limits.binding.kind is LimitKind.DIRECTIVE
    pipelined = compiled(tmp_path, ONE_BY_ONE.replace("pipeline off", "pipeline"), target)
    assert loops(pipelined)[0].ii == 1
    random = Random(1)
    calls = [{"in": words(random, n), "out": words(random, n), "n": n} for n in (1, 2, 17)]
    agrees(tmp_path, ONE_BY_ONE, target, calls)


def test_copies_one_after_the_other(tmp_path: Path, target: Target) -> None:
    """Of two directives before one loop both hold."""
    text = ONE_BY_ONE.replace("off\n", "off\n#pragma tandem unroll(2)\n")
    (loop,) = loops(compiled(tmp_path, text, target))
    assert loop.ii == loop.length
    assert sum(isinstance(op, Mul) for op in loop.block.ops) > 1
    random = Random(2)
    calls = [{"in": words(random, n), "out": words(random, n), "n": n} for n in (1, 2, 17)]
    agrees(tmp_path, text, target, calls)


def test_what_keeps_a_loop_from_overlapping_is_told(tmp_path: Path, target: Target) -> None:
    (row,) = loops_json(compiled(tmp_path, ONE_BY_ONE, target).schedule)
    assert row["ii"] == row["length_cycles"]
    assert "directive `pipeline off`" in row["limit"]


def test_a_single_copy_is_none(tmp_path: Path, target: Target) -> None:
    """A loop of three iterations, which would be copies without a directive."""
    for words_ in ("unroll(1)", "unroll off"):
        text = FIXED.replace("unroll(COPIES)", words_).replace("TRIPS", "3")
        assert len(loops(compiled(tmp_path, text, target))) == 1
    assert not loops(compiled(tmp_path, FIXED.replace("COPIES", "3").replace("TRIPS", "3"), target))


SHARED = """
DIRECTIVE
/* of two calls { */
static inline uint32_t
mix(uint32_t x, uint32_t y)
{
    return (x * y ^ x >> 7) * 5;
}
uint32_t f(uint32_t a, uint32_t b) { return mix(mix(a, b), b + 1); }
"""


@pytest.mark.parametrize(
    ("directive", "calls"), [("", 0), ("#pragma tandem inline off // shared", 2)]
)
def test_a_function_is_kept_apart(
    tmp_path: Path, target: Target, directive: str, calls: int
) -> None:
    text = SHARED.replace("DIRECTIVE", directive)
    made = compiled(tmp_path, text, target)
    assert sum(block.calls for block in made.kernel.blocks) == calls
    agrees(tmp_path, text, target, [{"a": 3, "b": 1 << 31}, {"a": 0xFFFFFFFF, "b": 7}])


LARGE = """
DIRECTIVE
static uint32_t mix(uint32_t x, uint32_t y)
{
    for (int i = 0; i < 20; i++) {
        x = x * y ^ x >> (y & 7) ^ y / (x | 1);
        y += x << 3 ^ y >> 5 ^ (x & 1 ? y * 77 : x * 91);
    }
    return x;
}
uint32_t f(uint32_t a, uint32_t b) { return mix(mix(mix(a, b) + 1, a), b); }
"""


def test_a_function_is_part_of_its_callers(tmp_path: Path, target: Target) -> None:
    """It is large enough to be tried apart, and worth it."""
    apart = compiled(tmp_path, LARGE.replace("DIRECTIVE", ""), target)
    assert any(block.calls for block in apart.kernel.blocks)
    inlined = compiled(tmp_path, LARGE.replace("DIRECTIVE", "#pragma tandem inline"), target)
    assert not any(block.calls for block in inlined.kernel.blocks)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", "static inline"),
        ("static", ""),  # a prototype before it
        ("", "extern __attribute__((cold))"),
        ("", "/* here */ [[gnu::hot]] static"),
        ("", "_Noreturn static"),
    ],
)
def test_a_directive_stands_before_any_function(tmp_path: Path, before: str, behind: str) -> None:
    source = tmp_path / "f.c"
    prototype = f"{before} int g(int x);\n" if before else ""
    source.write_text(
        f"{prototype}#pragma tandem inline off\n{behind} int g(int x) {{ return x; }}\n"
        "int f(int x) { return g(x); }\n"
    )
    (module,) = [to_llvm_ir(file) for file in Program.of(source).files]
    number = re.search(r"define .*@g\(.* #(\d+)", module)
    assert number
    assert re.search(rf"^attributes #{number[1]} = .* noinline ", module, re.M)


def test_directives_may_have_comments_behind_them() -> None:
    text = rewrite("#pragma tandem unroll(4) /* four */ // or five\n").text
    assert text == f'_Pragma("clang loop interleave_count({WHOLLY + 4})") \n'


def test_directives_in_comments_are_none(tmp_path: Path, target: Target) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        'char *text = "/*";\n/*\n#pragma tandem unrol\n#pragma tandem extent(b, 4)\n*/ // "\n'
        "#pragma tandem extent(a, 16) /* all of it */\n"
        "int f(const int *a) { return a[*a & 3]; }\n"
    )
    made = compile_kernel(Program.of(source), "f", target, CLOCK_PS)
    assert str(made.kernel.argument("a").extent.claim) == "constant 16:128"


BANKS = """
uint32_t f(const uint32_t *in, uint32_t n)
{
DIRECTIVE
    uint32_t sums[16] = {0};
#pragma tandem unroll(4)
    for (uint32_t i = 0; i < (n & ~3u); i++)
        sums[i & 15] += in[i];
    uint32_t x = 0;
    for (uint32_t i = 0; i < n; i++)
        x = x * 3 + sums[(x ^ i) & 15];
    return x;
}
"""


def test_only_the_array_that_is_named_is_in_banks(tmp_path: Path) -> None:
    """Beside one whose name has a digit more, as the name of a second `sums` would have."""
    both = "uint32_t sums[16] = {0}, sums1[16] = {0};"
    text = BANKS.replace("uint32_t sums[16] = {0};", both).replace(
        "^ i) & 15]", "^ i) & 15] ^ sums1[n & 15]++"
    )
    kernel = import_c_text(tmp_path, text.replace("DIRECTIVE", "#pragma tandem partition(sums, 4)"))
    assert {m.name: m.banks for m in kernel.memories.values() if m.kind is MemoryKind.RAM} == {
        "sums": 4,
        "sums1": 1,
    }


@pytest.mark.parametrize(("count", "parts"), [(", 4", 4), (", 2", 2), ("", 16), (", 64", 16)])
def test_an_array_in_banks(tmp_path: Path, target: Target, count: str, parts: int) -> None:
    """The second loop does not know its bank, nor the first one if there is a bank an element."""
    text = BANKS.replace("DIRECTIVE", f"#pragma tandem partition(sums{count})")
    imported = import_c_text(tmp_path, text)
    assert [m.banks for m in imported.memories.values() if m.kind is MemoryKind.RAM] == [parts]
    random = Random(parts)
    calls: list[Values] = [{"in": words(random, n), "n": n} for n in (1, 4, 16, 31)]
    agrees(tmp_path, text, target, calls)


def test_banks_have_ports_of_their_own(tmp_path: Path, target: Target) -> None:
    plain = loops(compiled(tmp_path, BANKS.replace("DIRECTIVE", ""), target))
    text = BANKS.replace("DIRECTIVE", "#pragma tandem partition(sums, 4)")
    banks = loops(compiled(tmp_path, text, target))
    assert banks[0].ii < plain[0].ii


IN_HEADER = """#pragma once
static inline uint32_t total(const uint32_t *in)
{
    uint32_t sum = 0;
#pragma tandem DIRECTIVE
    for (uint32_t i = 0; i < 6; i++)
        sum = sum * 5 + in[i];
    return sum;
}
"""
USES_HEADER = """#include "../shared code/total.h"
uint32_t f(const uint32_t *in) { return total(in) ^ 1; }
"""


def header(folder: Path, directive: str) -> Path:
    """A folder beside one with a header that has a directive."""
    (folder / "shared code").mkdir()
    (folder / "shared code" / "total.h").write_text(IN_HEADER.replace("DIRECTIVE", directive))
    (folder / "own").mkdir()
    return folder / "own"


def test_directives_in_headers_are_followed(tmp_path: Path, target: Target) -> None:
    own = header(tmp_path, "unroll off")
    assert len(loops(compiled(own, USES_HEADER, target))) == 1
    agrees(own, USES_HEADER, target, [{"in": words(Random(1), 6)}])


@pytest.mark.parametrize("directive", ["unrol", "inline"])
def test_wrong_directives_in_headers_are_told(
    tmp_path: Path, target: Target, directive: str
) -> None:
    with pytest.raises(UserError) as told:
        compiled(header(tmp_path, directive), USES_HEADER, target)
    (found,) = told.value.diagnostics
    assert found.code == "pragma" and found.place is not None
    assert (Path(found.place.file).name, found.place.line) == ("total.h", 5)


TWICE = """
static uint32_t sum(const uint32_t *a, int n)
{
    uint32_t s = 0;
#pragma tandem unroll(2)
    for (int i = 0; i < n; i++)
        s += a[i] * 3;
    return s;
}
uint32_t f(const uint32_t *a)
{
    uint32_t kept[16];
#pragma tandem pipeline
    for (int i = 0; i < 16; i++)
        kept[i] = a[i];
    return sum(kept, 16) + sum(kept, 8);
}
"""


def test_copies_of_a_loop_that_the_next_loop_follows(tmp_path: Path, target: Target) -> None:
    agrees(tmp_path, TWICE, target, [{"a": words(Random(2), 16)}])
