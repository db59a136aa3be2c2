# SPDX-License-Identifier: Apache-2.0
"""What keeps a loop from a smaller ii is told as it is, and each cure, applied, helps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tandem.choices import find_goal
from tandem.compiler import compile_kernel
from tandem.frontend.program import Program
from tandem.schedule.delays import Target
from tandem.schedule.limits import Limit
from tandem.schedule.scheduled import BlockSchedule

CLOCK_PS = 10_000


@dataclass(frozen=True)
class Case:
    """A loop, what limits it, and the same loop with the cure applied."""

    kind: str
    before: str
    after: str
    ii: tuple[int, int]
    """Before and after."""
    goal: str = "balanced"


CASES = {
    "unit": Case(
        "unit",
        """void f(const unsigned char *t, const unsigned short *in, unsigned char *out, int n) {
        for (int i = 0; i < n; i++) out[i] = t[in[i] & 255] ^ t[256 + (in[i] >> 8)]; }""",
        """void f(const unsigned char *t, const unsigned char *u, const unsigned short *in,
               unsigned char *out, int n) {
        for (int i = 0; i < n; i++) out[i] = t[in[i] & 255] ^ u[in[i] >> 8]; }""",
        (2, 1),
    ),
    "dependence": Case(
        "dependence",
        """void f(unsigned *sums, const unsigned char *in, int n) {
        for (int i = 0; i < n; i++) {
            sums[in[i]] += i;
            sums[in[i] >> 4] -= i; } }""",
        """void f(unsigned *sums, const unsigned char *in, int n) {
        unsigned sum = sums[0], last = 0;
        for (int i = 0; i < n; i++) {
            sum = in[i] == last ? sum + i : i;
            last = in[i];
            sums[i] = sum; } }""",
        (4, 1),
    ),
    "exit": Case(
        "exit",
        """unsigned f(unsigned char *next, unsigned key) {
        unsigned p = 0, v;
        do { v = next[p]; next[p] = 0; p = v; } while (v * key * key != 5);
        return p; }""",
        """unsigned f(unsigned char *next, unsigned n) {
        unsigned p = 0, v;
        for (unsigned i = 0; i < n; i++) { v = next[p]; next[p] = 0; p = v; }
        return p; }""",
        (3, 2),
    ),
    "divider": Case(
        "divider",
        """unsigned f(unsigned *p, unsigned n, unsigned x) {
        for (unsigned i = 0; i < n; i++) p[i * 2] = p[i * 2] / (x + i);
        return x; }""",
        """unsigned f(unsigned *p, unsigned n, unsigned x) {
        for (unsigned i = 0; i < n; i++) p[i * 2] = p[i * 2] / 10 + x;
        return x; }""",
        (17, 1),
        "area",
    ),
    "recurrence": Case(
        "recurrence",
        """unsigned f(const unsigned char *in, int n) {
        unsigned x = 1;
        for (int i = 0; i < n; i++) x = x * 40503u + in[i];
        return x; }""",
        """unsigned f(const unsigned char *in, int n) {
        unsigned short x = 1;
        for (int i = 0; i < n; i++) x = (unsigned short)(x * 3u + in[i]);
        return x; }""",
        (2, 1),
    ),
}


def _loop(text: str, target: Target, folder: Path, goal: str = "balanced") -> BlockSchedule:
    source = folder / "f.c"
    source.write_text(text)
    program = Program.of(source)
    schedule = compile_kernel(program, "f", target, CLOCK_PS, goal=find_goal(goal)).schedule
    return max(schedule.blocks.values(), key=lambda s: s.ii)


@pytest.mark.parametrize("name", CASES)
def test_cures_help(name: str, target: Target, tmp_path: Path) -> None:
    case = CASES[name]
    texts = case.before, case.after
    before, after = (_loop(text, target, tmp_path, case.goal) for text in texts)
    print(before.ii, before.limits.sentence(), after.ii, after.limits.sentence())
    assert before.limits.binding is not None and before.limits.binding.kind == case.kind
    assert before.ii == before.limits.binding.least_ii
    assert (before.ii, after.ii) == case.ii
    assert after.limits.binding is None or after.limits.binding.kind != case.kind


def test_what_is_crowded_is_named() -> None:
    """Accesses of a memory that do not fit between those of a recurrence, or products."""
    assert "put part of `a` into an array" in Limit("crowded", 3, memory="a").cure()
    assert Limit("crowded", 3).cure() == Limit("multipliers", 3).cure()
    assert "products" in Limit("crowded", 3).sentence()


def test_two_dependent_look_ups_in_one_table_take_two_cycles(
    target: Target, tmp_path: Path
) -> None:
    text = """
    unsigned char f(const unsigned char *t, unsigned char s, const unsigned char *k, int n) {
    for (int i = 0; i < n; i++) s = t[t[s] ^ k[i]];
    return s; }"""
    assert _loop(text, target, tmp_path).ii == 2
