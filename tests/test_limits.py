# SPDX-License-Identifier: Apache-2.0
"""What keeps a loop from a smaller ii is told as it is, and each cure, applied, helps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tandem.compiler.compile import compile_kernel
from tandem.compiler.goals import find_goal
from tandem.frontend.program import Program
from tandem.schedule.cures import advice
from tandem.schedule.delays import Target
from tandem.schedule.limits import Limit, LimitKind
from tandem.schedule.scheduled import BlockSchedule, KernelSchedule

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
    cure: str = ""
    """What is told to do, with the `ii` that there is then."""
    is_gone: bool = True
    """Whether something else limits it then, and not less of the same."""


CASES = {
    "unit": Case(
        "unit",
        """void f(const unsigned char *t, const unsigned short *in, unsigned char *out, int n) {
        for (int i = 0; i < n; i++) out[i] = t[in[i] & 255] ^ t[256 + (in[i] >> 8)]; }""",
        """void f(const unsigned char *t, const unsigned char *u, const unsigned short *in,
               unsigned char *out, int n) {
        for (int i = 0; i < n; i++) out[i] = t[in[i] & 255] ^ u[in[i] >> 8]; }""",
        (2, 1),
        cure="put part of `t` into an array of its own: an iteration every cycle",
    ),
    "elements": Case(
        "unit",
        """int f(const int t[2000]) { int sum = 0;
        for (int i = 0; i < 1000; i++) sum += t[i] * t[1999 - i];
        return sum; }""",
        """int f(const int t[1000], const int u[1000]) { int sum = 0;
        for (int i = 0; i < 1000; i++) sum += t[i] * u[999 - i];
        return sum; }""",
        (2, 1),
        cure="put part of `t` into an array of its own: an iteration every cycle",
    ),
    "one width": Case(
        "unit",
        """int f(int *t, int n) { int sum = 0;
        for (int i = 0; i < 400; i++) sum += ((char *)t)[n * i & 1023];
        for (int i = 0; i < n; i++) t[i] = 3 * sum + i;
        return sum; }""",
        """int f(int *t, int n) { int sum = 0;
        for (int i = 0; i < 400; i++) sum += (char)(t[(n * i & 1023) / 4] >> 8 * (n * i & 3));
        for (int i = 0; i < n; i++) t[i] = 3 * sum + i;
        return sum; }""",
        (4, 1),
        cure="`t` has elements of 8 bits, as narrow as its narrowest access; access all of it in "
        "one width: an iteration every cycle",
    ),
    "twice": Case(
        "unit",
        """int f(const int t[512], const unsigned char *in, int n) { int sum = 0;
        for (int i = 0; i < n; i++) sum += t[in[i]] * t[in[i] + 200];
        return sum; }""",
        """int f(const int t[512], const int u[512], const unsigned char *in, int n) { int sum = 0;
        for (int i = 0; i < n; i++) sum += t[in[i]] * u[in[i] + 200];
        return sum; }""",
        (2, 1),
        cure="keep `t` twice: an iteration every cycle",
    ),
    "both twice": Case(
        "unit",
        """int f(const int t[512], const int u[512], const unsigned char *in, int n) { int sum = 0;
        for (int i = 0; i < n; i++) sum += t[in[i]] * t[in[i] + 9] + u[in[i]] * u[in[i] + 9];
        return sum; }""",
        """int f(const int t[512], const int u[512], const int v[512], const int w[512],
               const unsigned char *in, int n) { int sum = 0;
        for (int i = 0; i < n; i++) sum += t[in[i]] * v[in[i] + 9] + u[in[i]] * w[in[i] + 9];
        return sum; }""",
        (2, 1),
        cure="keep `t` twice and keep `u` twice: an iteration every cycle",
    ),
    "sweep": Case(
        "unit",
        """void f(double a[40][40]) {
        for (int i = 1; i < 39; i++) for (int j = 1; j < 39; j++)
            a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j]
                + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0; }""",
        """void f(double a[40][40], double b[40][40]) {
        for (int i = 1; i < 39; i++) for (int j = 1; j < 39; j++)
            b[i][j] = a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1]
                + b[i][j] + b[i][j + 1] + b[i + 1][j - 1] + b[i + 1][j] + b[i + 1][j + 1]) / 9.0;
        }""",
        (9, 5),
        cure="keep `a` twice: an iteration every 5 cycles",
        is_gone=False,
    ),
    "floats": Case(
        "recurrence",
        """double f(const double *in, int n) { double x = 0;
        for (int i = 0; i < n; i++) x = x * 0.3 + in[i];
        return x; }""",
        """float f(const float *in, int n) { float x = 0;
        for (int i = 0; i < n; i++) x = x * 0.3f + in[i];
        return x; }""",
        (19, 16),
        cure="of them 10 in a product of `double` and 9 in an addition of `double`; the next "
        "iteration needs the value; shorten the recurrence, or compute it in `float`",
        is_gone=False,
    ),
    "sum": Case(
        "recurrence",
        """float f(const float *t, const float *u) { float sum = 0;
        for (int i = 0; i < 512; i++) sum += t[i] * u[i];
        return sum; }""",
        """float f(const float *t, const float *u) { float sum = 0;
        #pragma tandem reassociate
        for (int i = 0; i < 512; i++) sum += t[i] * u[i];
        return sum; }""",
        (8, 1),
        cure="all in an addition of `float`; the next iteration needs the value; with the sum in a "
        "variable, let its terms come in any order (`#pragma tandem reassociate`)",
    ),
    "sum of some": Case(
        "recurrence",
        """float f(const float *t, const float *u) { float sum = 0;
        for (int i = 0; i < 512; i++) if (t[i] > 1) sum += t[i] * u[i];
        return sum; }""",
        """float f(const float *t, const float *u) { float sum = 0;
        #pragma tandem reassociate
        for (int i = 0; i < 512; i++) if (t[i] > 1) sum += t[i] * u[i];
        return sum; }""",
        (9, 1),
        cure="with the sum in a variable, let its terms come in any order",
    ),
    "sum in an array": Case(
        "recurrence",
        """void f(double a[40][40], int i) {
        for (int k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k]; }""",
        """void f(double a[40][40], int i) { double sum = a[i][i];
        #pragma tandem reassociate
        for (int k = 0; k < i; k++) sum -= a[i][k] * a[i][k];
        a[i][i] = sum; }""",
        (9, 1),
        cure="with the sum in a variable, let its terms come in any order",
    ),
    "prefix sums": Case(
        "recurrence",
        """void f(const double *t, double *u) { double sum = 0;
        for (int i = 0; i < 512; i++) u[i] = sum += t[i]; }""",
        """void f(const float *t, float *u) { float sum = 0;
        for (int i = 0; i < 512; i++) u[i] = sum += t[i]; }""",
        (9, 8),
        cure="shorten the recurrence, or compute it in `float`",
        is_gone=False,
    ),
    "stored twice": Case(
        "crowded",
        """int f(const int *a, int *c) { int s = 0; for (int i = 0; i < 512; i++) {
            c[i] = a[i] * 3; s += c[511 - i]; if (a[i] > 5) c[i] = 3; } return s; }""",
        """int f(const int *a, int *c) { int s = 0; for (int i = 0; i < 512; i++) {
            s += c[511 - i]; c[i] = a[i] > 5 ? 3 : a[i] * 3; } return s; }""",
        (3, 1),
        cure="choose first what to store in `c`, and store it once",
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
        cure="shorten the recurrence, or use narrower integers in it",
    ),
}


def _loop(text: str, target: Target, folder: Path, goal: str = "balanced") -> BlockSchedule:
    return _slowest(_scheduled(text, target, folder, goal))


def _scheduled(text: str, target: Target, folder: Path, goal: str) -> KernelSchedule:
    source = folder / "f.c"
    source.write_text(text)
    program = Program.of(source)
    return compile_kernel(program, "f", target, CLOCK_PS, goal=find_goal(goal)).schedule


def _slowest(schedule: KernelSchedule) -> BlockSchedule:
    return max(schedule.blocks.values(), key=lambda s: s.ii)


@pytest.mark.parametrize("name", CASES)
def test_cures_help(name: str, target: Target, tmp_path: Path) -> None:
    case = CASES[name]
    texts = case.before, case.after
    schedules = [_scheduled(text, target, tmp_path, case.goal) for text in texts]
    before, after = map(_slowest, schedules)
    assert case.cure in advice(schedules[0].kernel, before)
    print(before.ii, before.limits.sentence(), after.ii, after.limits.sentence())
    assert before.limits.binding is not None and before.limits.binding.kind == case.kind
    assert before.ii == before.limits.binding.least_ii
    assert (before.ii, after.ii) == case.ii
    kind_after = after.limits.binding.kind if after.limits.binding else ""
    assert (kind_after != case.kind) == case.is_gone


def test_what_is_crowded_is_named() -> None:
    """Accesses of a memory that do not fit between those of a recurrence, or products."""
    assert "access `a` less often" in Limit(LimitKind.CROWDED, 3, memory="a").cure()
    assert Limit(LimitKind.CROWDED, 3).cure() == Limit(LimitKind.MULTIPLIERS, 3).cure()
    assert "products" in Limit(LimitKind.CROWDED, 3).sentence()


def test_a_cure_that_gains_nothing_is_not_told(target: Target, tmp_path: Path) -> None:
    """A port that is as busy as a recurrence is long."""
    text = """float f(const float *t, const unsigned char *in) { float sum = 0;
        for (int i = 0; i < 1000; i++)
            sum += t[in[i]] * (t[in[i] + 1] * t[in[i] + 2] - t[in[i] + 3] * t[in[i] + 4])
                 + t[in[i] + 5] * t[in[i] + 6] - t[in[i] + 7];
        return sum; }"""
    schedule = _scheduled(text, target, tmp_path, "time")
    told = advice(schedule.kernel, _slowest(schedule))
    assert told.startswith("8 accesses an iteration: `t` has one port to load through; more ports")
    assert "alone gain nothing: a recurrence takes 8 cycles over 1 iteration" in told
    assert "keep `t`" not in told and "array of its own" not in told


def test_two_dependent_look_ups_in_one_table_take_two_cycles(
    target: Target, tmp_path: Path
) -> None:
    text = """
    unsigned char f(const unsigned char *t, unsigned char s, const unsigned char *k, int n) {
    for (int i = 0; i < n; i++) s = t[t[s] ^ k[i]];
    return s; }"""
    assert _loop(text, target, tmp_path).ii == 2
