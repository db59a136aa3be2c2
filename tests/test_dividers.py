# SPDX-License-Identifier: Apache-2.0
"""Dividers: values and cycles of all widths, and where there is one instead of a chain of steps."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from agreement import Build, Values, build, build_text, check, packaged
from seeds import sampled
from tandem.compiler.compile import compile_kernel
from tandem.frontend.program import Program
from tandem.ir.ops import Divide
from tandem.rtl.emit import emit_kernel
from tandem.schedule.area import estimate_area
from tandem.schedule.delays import Target
from tandem.schedule.scheduled import KernelSchedule

CLOCK_PS = 10_000
HEAD = "#include <stdint.h>\n"

BOTH = """TYPE f(TYPE a, TYPE b) {
    return !b || ((TYPE)-1 < 0 && b == (TYPE)-1) ? 7 : a / b ^ (TYPE)(a % b) * 5;
}"""
"""A divider gives both. What C leaves open is asked of none."""
EACH = """void f(const uint32_t *in, uint32_t *out, uint32_t by, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) out[i] = in[i] / (by | 1);
}"""
CHAIN = """uint32_t f(const uint32_t *in, uint32_t n) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < n; i++) sum = (sum * 77 + in[i]) / ((in[i] & 15) + 1);
    return sum;
}"""
GCD = """uint32_t f(uint32_t a, uint32_t b) {
    while (b) { uint32_t rest = a % b; a = b; b = rest; }
    return a;
}"""
INSIDE = """uint32_t f(const uint32_t *in, uint32_t n) {
    uint32_t sum = n * 77777;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t of = sum / ((in[i] & 7) + 1), x = 5;
        for (uint32_t j = 0; j <= (of & 7); j++) x = x * 3 + in[j % n];
        sum = of * 9 + x % (i + 1);
    }
    return sum;
}"""


def made(folder: Path, text: str, target: Target, clock_ps: int = CLOCK_PS) -> Build:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    return build(source, "f", target, clock_ps, folder, slower_clock=True)


def scheduled(folder: Path, text: str, target: Target) -> KernelSchedule:
    source = folder / "f.c"
    source.write_text(HEAD + text)
    return compile_kernel(Program.of(source), "f", target, CLOCK_PS, slower_clock=True).schedule


def dividers(built: Build) -> int:
    return sum(isinstance(op, Divide) for _, op in built.finished.ops())


def pairs(bits: int) -> list[Values]:
    random = Random(bits)

    def any_size() -> int:
        return random.getrandbits(bits) >> random.randrange(bits)

    top = (1 << bits) - 1
    edges = [(a, b) for a in (0, 1, top - 1, 1 << bits - 1) for b in (0, 1, 2, 3, top, top // 2)]
    found = [*edges, *((any_size(), any_size()) for _ in range(40))]
    return [{"a": a, "b": b} for a, b in found]


@pytest.mark.parametrize("kind", ["uint16_t", "uint32_t", "uint64_t", "int32_t", "int64_t"])
@pytest.mark.parametrize("clock_ps", [20_000, 10_000, 4_480])
def test_every_width_at_every_clock(
    tmp_path: Path, target: Target, kind: str, clock_ps: int
) -> None:
    """With several steps a cycle, with one, and where none fits."""
    built = made(tmp_path, BOTH.replace("TYPE", kind), target, clock_ps)
    fits = clock_ps > 4_480
    assert dividers(built) == fits
    for values in sampled(pairs(int(kind.strip("uint_"))), 3):
        check(built, values)


@pytest.mark.parametrize(("dividend", "divisor"), [(64, 32), (32, 64), (64, 9), (9, 64)])
def test_operands_of_two_widths(
    tmp_path: Path, target: Target, dividend: int, divisor: int
) -> None:
    text = f"""uint64_t f(uint64_t a, uint64_t b) {{
        a &= ~0ull >> {64 - dividend}; b &= ~0ull >> {64 - divisor};
        return b ? a / b + (a % b << 1) : 5; }}"""
    built = made(tmp_path, text, target)
    assert dividers(built) == 1
    for values in pairs(64):
        check(built, values)


@pytest.mark.parametrize(("text", "count"), [(CHAIN, 1), (EACH, 0), (INSIDE, 1)])
def test_in_loops(tmp_path: Path, target: Target, text: str, count: int) -> None:
    """One division after the other takes a divider; one every cycle does not."""
    random = Random(7)
    built = made(tmp_path, text, target)
    assert dividers(built) >= count if count else not dividers(built)
    for n in (1, 2, 3, 8, 13):
        words = random.randbytes(4 * n)
        check(built, {"in": words, "out": bytes(4 * n), "by": random.getrandbits(9), "n": n})


def test_a_loop_of_divisions(tmp_path: Path, target: Target) -> None:
    built = made(tmp_path, GCD, target)
    assert dividers(built) == 1
    for values in pairs(32):
        check(built, values)


def test_cycles_without_the_operators_of_the_c(tmp_path: Path, target: Target) -> None:
    """What decides about the loop is what the divider gives."""
    source = tmp_path / "f.c"
    source.write_text(HEAD + GCD)
    program = Program.of(source)
    compiled = compile_kernel(program, "f", target, CLOCK_PS)
    compiled.kernel.plain = None
    built = packaged(compiled, tmp_path)
    for values in pairs(32):
        check(built, values)


def test_a_divider_takes_little_room(tmp_path: Path, target: Target) -> None:
    area = estimate_area(scheduled(tmp_path, BOTH.replace("TYPE", "uint64_t"), target))
    assert area["lut4"] < 500 and area["ff"] < 500


def test_a_long_wait_is_counted(tmp_path: Path, target: Target) -> None:
    """Not a register for each of 64 cycles in which nothing happens but the division."""
    schedule = scheduled(tmp_path, BOTH.replace("TYPE", "uint64_t"), target)
    longest = max(schedule.blocks.values(), key=lambda s: s.length)
    assert longest.length > 64 and longest.token_cycles == [0, longest.length - 1]
    text = emit_kernel(schedule).verilog_text
    assert text.count("_valid") < 64 and "_waits0 = seq.compreg" in text


def test_a_divider_takes_a_cycle_a_bit(tmp_path: Path, target: Target) -> None:
    schedule = scheduled(tmp_path, BOTH.replace("TYPE", "uint64_t"), target)
    assert 64 < max(s.length for s in schedule.blocks.values()) <= 64 + 3


ROUNDED = {
    "choice": "r = v < 0 ? -((-v + q / 2) / q) : (v + q / 2) / q;",
    "branch": "if (v < 0) r = -((-v + q / 2) / q); else r = (v + q / 2) / q;",
    "early": "if (v >= 0) { out[i] = (v + q / 2) / q; continue; } r = -((q / 2 - v) / q);",
    "the other way": "if (v > 0) r = (v + (q >> 1)) / q; else r = -((q / 2 - v) / q);",
    "helper": "r = rounded(v, q);",
}
HELPER = """static inline int rounded(int v, int q)
{ if (v < 0) return -((-v + q / 2) / q); return (v + q / 2) / q; }
"""


@pytest.mark.parametrize("spelling", ROUNDED)
def test_a_division_for_each_sign(spelling: str, target: Target, tmp_path: Path) -> None:
    """Both are done in any case: a branch would have each iteration wait for the one before."""
    head = f"{HELPER}void top(const short in[64], const unsigned char by[64], short out[64])"
    body = f"int v = in[i], q = by[i] | 1, r; {ROUNDED[spelling]} out[i] = r;"
    text = f"{head} {{ for (int i = 0; i < 64; i++) {{ {body} }} }}"
    built = build_text(text, target, 10_000, tmp_path)
    random = Random(spelling)
    values = {"in": random.randbytes(128), "by": random.randbytes(64), "out": bytes(128)}
    assert check(built, values).cycles <= 2 * 64
